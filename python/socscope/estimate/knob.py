"""What is varied: an access time, all times of a memory, the core's clock. A price is a line over it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Self

from socscope.errors import EstimateError
from socscope.estimate.platform import CYCLE, IDLE, Entry, Platform, Time, entry_named
from socscope.estimate.price import Target, Uses

CLOCK = "core_mhz"


@dataclass(frozen=True)
class Line:
    """A price in ns over what is varied: fixed + slope · x."""

    fixed: Fraction
    slope: Fraction

    def at(self, x: Fraction) -> Fraction:
        """The price at `x`."""
        return self.fixed + self.slope * x


@dataclass(frozen=True)
class Knob:
    """What is varied. `x` is a time, a factor on all times of a memory, or the length of a cycle."""

    text: str
    entries: frozenset[Entry]
    unit: str
    """`ns`, `cycles`, `times` (the factor) or `MHz`."""

    @classmethod
    def parse(cls, text: str, platform: Platform) -> Self:
        """Reads `memory.ext`, `memory.ext.fetch_ns.n16`, `branch_ns`, `cycle_ns` or `core_mhz`."""
        if text == CLOCK:
            _ = platform.cycle_ns
            platform.check_varied([CYCLE])
            return cls(text, frozenset({CYCLE}), "MHz")
        if (name := text.removeprefix("memory.")) in platform.memories:
            # Waits of a shared bus stay what they are.
            accesses = frozenset(e for e in platform.times if e.memory == name and e.key not in IDLE)
            if accesses == {Entry(name, "access")}:
                unit = "cycles" if platform.times[Entry(name, "access")].in_cycles else "ns"
                return cls(f"memory.{name}.access_{unit}", accesses, unit)
            return cls(f"memory.{name}", accesses, "times")
        if re.fullmatch(r"memory\.[^.]+", text):
            raise EstimateError(
                f"{text}: {platform.name} has no memory {name}; it has {', '.join(platform.memories)}"
            )
        entry, in_cycles = entry_named(text)
        if entry not in platform.times:
            known = ", ".join(str(one) for one in platform.times if one.memory == entry.memory)
            raise EstimateError(
                f"{text}: {platform.name} gives no such time; it gives {known or 'none of these'}"
            )
        platform.check_varied([entry])
        return cls(text, frozenset({entry}), "cycles" if in_cycles else "ns")

    def line(self, target: Target, uses: Uses) -> Line:
        """The price of some counts over what is varied; for the clock over the length of its cycle."""
        fixed = slope = Fraction(0)
        for entry, number in uses.items():
            time = target.platform.times[entry]
            if self.entries == {CYCLE} and time.in_cycles:
                slope += number * time.value
            elif entry not in self.entries:
                fixed += number * target.platform.ns(entry)
            elif self.unit == "times":
                slope += number * target.platform.ns(entry)
            else:
                slope += number * (target.platform.cycle_ns if self.unit == "cycles" else 1)
        return Line(fixed, slope)

    def now(self, platform: Platform) -> Fraction:
        """What `x` is on the platform as given."""
        if self.unit == "times":
            return Fraction(1)
        (entry,) = self.entries
        return platform.times[entry].value if self.unit == "cycles" else platform.ns(entry)

    def turned(self, platform: Platform, x: Fraction) -> Platform:
        """The platform with what is varied at `x`."""
        for entry in self.entries:
            time = platform.times[entry]
            if self.unit == "times":
                platform = platform.with_time(entry, Time(time.value * x, time.in_cycles))
            else:
                platform = platform.with_time(entry, Time(x, self.unit == "cycles"))
        return platform

    def outward(self, x: Fraction) -> Fraction:
        """`x` as the user names it: MHz instead of a cycle's length. It is its own inverse."""
        return 1000 / x if self.unit == "MHz" else x


def span(text: str, platform: Platform, steps: int = 10) -> tuple[Knob, list[Fraction]]:
    """Reads `memory.ext=10..200`: what is varied, and values from end to end as the user names them."""
    found = re.fullmatch(r"([^=]+)=(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)", text)
    if found is None:
        raise EstimateError(f"{text!r}: no range of an access time; write memory.NAME=10..200")
    knob = Knob.parse(found.group(1).strip(), platform)
    first, last = (Fraction(Decimal(end)) for end in found.groups()[1:])
    if first >= last or (knob.unit == "MHz" and first == 0):
        raise EstimateError(f"{text!r}: the range must go from a smaller to a larger value")
    return knob, [first + (last - first) * step / steps for step in range(steps + 1)]


def slowest(lines: Iterable[Line], deadline_ns: Fraction, knob: Knob) -> Fraction | None:
    """The largest `x` at which every price holds the deadline; none when none depends on `x`.

    Each price rises with `x`, so it is the least that any of them allows; exact.
    """
    allowed: Fraction | None = None
    for line in lines:
        at_best = "an endless clock" if knob.unit == "MHz" else f"{knob.text} = 0"
        if line.fixed > deadline_ns or (knob.unit == "MHz" and line.fixed == deadline_ns and line.slope):
            raise EstimateError(
                f"{knob.text}: no value holds the deadline of {float(deadline_ns):,.10g} ns: even with "
                f"{at_best} it takes {float(line.fixed):,.10g} ns; make something else faster, "
                "or the deadline longer"
            )
        if line.slope:
            x = (deadline_ns - line.fixed) / line.slope
            allowed = x if allowed is None else min(allowed, x)
    return allowed


def crossings(first: Sequence[Line], second: Sequence[Line]) -> list[Fraction]:
    """The values above 0 at which the larger of some prices overtakes that of others, in order; exact."""
    lines = [*first, *second]
    corners = {Fraction(0)}
    for place, line in enumerate(lines):
        for other in lines[place + 1 :]:
            if line.slope != other.slope:
                corners.add(max((other.fixed - line.fixed) / (line.slope - other.slope), Fraction(0)))
    ordered = sorted(corners)
    # Between two corners the difference keeps its sign; each stretch is tried in its middle.
    middles = [(low + high) / 2 for low, high in pairwise(ordered)] + [ordered[-1] + 1]
    signs = [_sign(_largest(first, x) - _largest(second, x)) for x in middles]
    found = []
    before = signs[0]
    for corner, sign in zip(ordered[1:], signs[1:], strict=True):
        if sign and before and sign != before:
            found.append(corner)
        before = sign or before
    return found


def _largest(lines: Sequence[Line], x: Fraction) -> Fraction:
    return max(line.at(x) for line in lines)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
