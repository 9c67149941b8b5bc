"""A priced path as plain values: total, by part, by section, by memory, blocking."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from socscope.estimate.choose import Values, paths
from socscope.estimate.platform import BRANCH, IDLE
from socscope.estimate.price import CORE, PathCost, Target, grouped
from socscope.sheet.model import Part, Service
from socscope.sheet.verified import inexact, outside

Json = dict[str, object]


@dataclass(frozen=True)
class PathPrice:
    """What a path costs; all times in ns, exact."""

    cost: PathCost
    total_ns: Fraction
    parts_ns: dict[str, Fraction]
    sections_ns: dict[str, Fraction]
    memories_ns: dict[str, Fraction]
    blocking_ns: dict[str, Fraction]
    """Longest time by kind of blocking."""

    @property
    def longest_blocking_ns(self) -> Fraction:
        """Of whatever kind."""
        return max(self.blocking_ns.values(), default=Fraction(0))

    @property
    def not_verified(self) -> list[str]:
        """A warning for each value of a parameter for which the formulas were not verified."""
        return outside(self.cost.service, self.cost.path, self.cost.parameters)

    def as_json(self) -> Json:
        """For other programs: whole numbers of ns as such."""
        return {
            "service": self.cost.service.name,
            "path": self.cost.path.name,
            "ends": self.cost.path.ends,
            "parameters": dict(self.cost.parameters),
            "total_ns": plain(self.total_ns),
            "parts": [
                {
                    "part": part.part.name,
                    "repetition": part.repetition,
                    "blocking": part.part.blocking,
                    "ns": plain(self.parts_ns[part.part.name]),
                }
                for part in self.cost.parts
            ],
            "sections_ns": {name: plain(ns) for name, ns in self.sections_ns.items()},
            "memories_ns": {name: plain(ns) for name, ns in self.memories_ns.items()},
            "blocking_ns": {kind: plain(ns) for kind, ns in self.blocking_ns.items()},
            "formulas_exact": self.cost.path.fit.exact,
            "not_verified": self.not_verified,
        }


def plain(value: Fraction) -> int | float:
    """A number for JSON and tables: whole where it is whole."""
    return int(value) if value.denominator == 1 else float(value)


def shown(value: Fraction) -> str:
    """A number for people: to the thousandth, without zeros at its end."""
    text = f"{float(round(value, 3)):,.3f}" if value.denominator != 1 else f"{int(value):,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def price(target: Target, cost: PathCost) -> PathPrice:
    """Prices a counted path on the target's platform."""
    return PathPrice(
        cost,
        total_ns=target.ns(cost.uses),
        parts_ns={part.part.name: target.ns(part.uses) for part in cost.parts},
        sections_ns=grouped(cost, target.ns, lambda section, _entry: section),
        memories_ns=grouped(cost, target.ns, lambda _section, entry: entry.memory or CORE),
        blocking_ns={kind: max(map(target.ns, runs)) for kind, runs in cost.blocking().items()},
    )


def prices(target: Target, service: Service, values: Values, path: str | None = None) -> list[PathPrice]:
    """Prices a service's path, or all of them, the dearest first."""
    given = values.of(service)
    priced = [price(target, target.cost(service, one, given)) for one in paths(service, path)]
    return sorted(priced, key=lambda one: -one.total_ns)


def notes(target: Target, priced: list[PathPrice]) -> list[str]:
    """What a reader must know beside the numbers."""
    said: dict[str, None] = {}
    parts: list[Part] = [part for one in priced for part in one.cost.path.parts]
    sections = sorted(set().union(*(part.sections() for part in parts)))
    if by_rest := target.placement.by_rest(sections):
        said[f'in {target.placement.memory(by_rest[0])} by "*" of the mapping: {", ".join(by_rest)}'] = None
    sharing = {entry.memory for entry in target.platform.times if entry.key in IDLE}
    if sharing and (alone := [name for name in target.platform.memories if name not in sharing]):
        said[f"taken to be on no shared bus: {', '.join(alone)}; give select_ns to those that are"] = None
    used = set().union(*(one.cost.uses for one in priced))
    if BRANCH in target.platform.times and BRANCH not in used:
        said["branch_ns is not used: the sheet counts the fetches that refill the pipeline"] = None
    return [*said, *doubts(one.cost for one in priced)]


def doubts(costs: Iterable[PathCost]) -> list[str]:
    """Why prices may not hold: values that were not verified, formulas that are not exact."""
    said: dict[str, None] = {}
    for cost in costs:
        said |= dict.fromkeys(outside(cost.service, cost.path, cost.parameters))
        said |= dict.fromkeys(inexact(cost.service, cost.path))
    return list(said)
