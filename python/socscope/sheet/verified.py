"""For which values of its parameters a path's formulas were verified."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from socscope.report.words import percent
from socscope.sheet.model import Fit, Path, Service

SHOWN_MAX = 8


@dataclass(frozen=True)
class Verified:
    """The values of one parameter that were run, from `first` to `last`; all are `step` apart or multiples
    of it.
    """

    first: int
    last: int | None
    step: int
    ranges: tuple[tuple[int, int], ...]

    def complaint(self, value: int) -> str:
        """What is wrong with a price for this value; empty where nothing is."""
        if value < self.first or (self.last is not None and value > self.last):
            return f"lies outside of what was verified ({self})"
        if (value - self.first) % self.step:
            return f"is of a kind that was never run: only every {self.step}th value was verified ({self})"
        return ""

    @property
    def listed(self) -> str:
        """All values that were run, in words."""
        return shown(self.ranges)

    def __str__(self) -> str:
        if self.last is None:
            return f"{self.first} or more"
        if self.step == 1 or len(self.ranges) > SHOWN_MAX:
            by = f" by {self.step}" if self.step > 1 else ""
            return f"{self.first} to {self.last}{by}" if self.last != self.first else str(self.first)
        return shown(self.ranges)


def ranges(values: Iterable[int]) -> list[tuple[int, int]]:
    """The values as ranges from first to last, in order."""
    found: list[tuple[int, int]] = []
    for value in sorted(set(values)):
        if found and value == found[-1][1] + 1:
            found[-1] = found[-1][0], value
        else:
            found.append((value, value))
    return found


def shown(several: Sequence[tuple[int, int]]) -> str:
    """Ranges in words: `0 to 40, 63, 64`."""
    texts = [
        ", ".join(str(value) for value in dict.fromkeys((first, last)))
        if last - first < 2
        else f"{first} to {last}"
        for first, last in several
    ]
    return ", ".join(texts)


def of_path(service: Service, path: Path) -> dict[str, Verified]:
    """By parameter that the path's cost depends on; a sheet made by hand has the parameter's range."""
    found = {}
    for parameter in service.parameters:
        if parameter.name not in path.names:
            continue
        listed = path.fit.values.get(parameter.name)
        if listed:
            found[parameter.name] = _of_ranges(listed)
        else:
            found[parameter.name] = Verified(parameter.minimum, parameter.maximum, 1, ())
    return found


def _of_ranges(listed: Sequence[tuple[int, int]]) -> Verified:
    first, last = listed[0][0], listed[-1][1]
    distances = [end - first for one in listed for end in one]
    step = 1 if any(end > begin for begin, end in listed) else gcd(*distances) or 1
    return Verified(first, last, step, tuple(listed))


def upper_bound(fit: Fit) -> str:
    """That formulas are no more than upper bounds, and by how much at most; empty where they are exact."""
    return "" if fit.exact else f"upper bound, up to {percent(fit.excess_max)} above the runs"


def inexact(service: Service, path: Path) -> list[str]:
    """A warning where a path's formulas are upper bounds, with the values for which that was verified."""
    if path.fit.exact:
        return []
    run = [f"{name} = {one}" for name, one in of_path(service, path).items() if path.fit.values.get(name)]
    runs = f" ({'; '.join(run)})" if run else ""
    return [f"{service.name}, path {path.name}: {upper_bound(path.fit)}{runs}"]


def outside(service: Service, path: Path, values: Mapping[str, int]) -> list[str]:
    """A warning for each value for which the path's formulas were not verified."""
    return [
        f"{service.name}, path {path.name}: {name} = {values[name]} {complaint}; the price may not hold there"
        for name, verified in of_path(service, path).items()
        if name in values and (complaint := verified.complaint(values[name]))
    ]
