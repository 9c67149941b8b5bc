"""Questions about a price: which memory matters most, how slow may it be, how does the price grow with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from socscope.estimate.knob import Knob, slowest
from socscope.estimate.platform import IDLE
from socscope.estimate.price import PathCost, Target, Uses
from socscope.estimate.result import Json, PathPrice, plain

# More lines than colours cannot be told apart.
LINES_MAX = 8


@dataclass(frozen=True)
class Weight:
    """How much a memory matters for a path."""

    price: PathPrice
    memory: str
    ns: Fraction
    accesses: int

    @property
    def share(self) -> Fraction:
        """Of the path's time."""
        return self.ns / self.price.total_ns if self.price.total_ns else Fraction(0)

    def as_json(self) -> Json:
        """For other programs."""
        return {
            "service": self.price.cost.service.name,
            "path": self.price.cost.path.name,
            "memory": self.memory,
            "ns": plain(self.ns),
            "share": float(self.share),
            "ns_per_ns": self.accesses,
        }


def weights(target: Target, price: PathPrice) -> list[Weight]:
    """Each memory's share of a path's time, and the ns that each ns more of its accesses costs."""
    uses = price.cost.uses
    found = []
    for memory in dict.fromkeys(entry.memory for entry in uses if entry.memory):
        own = {entry: number for entry, number in uses.items() if entry.memory == memory}
        accesses = sum(number for entry, number in own.items() if entry.key not in IDLE)
        found.append(Weight(price, memory, target.ns(own), accesses))
    return sorted(found, key=lambda weight: -weight.ns)


@dataclass(frozen=True)
class Slowest:
    """The answer to how slow something may be; all exact."""

    knob: Knob
    now: Fraction
    allowed: Fraction | None
    """As the user names it; none when no price depends on it."""
    times: dict[str, Fraction]
    """The access times in ns that this means."""
    limiting: PathCost | None
    """The path that reaches the deadline first."""

    def as_json(self) -> Json:
        """For other programs."""
        return {
            "solve": self.knob.text,
            "unit": self.knob.unit,
            "now": plain(self.now),
            "allowed": None if self.allowed is None else plain(self.allowed),
            "times_ns": {name: plain(ns) for name, ns in self.times.items()},
            "limiting": self.limiting and f"{self.limiting.service.name}/{self.limiting.path.name}",
        }


def how_slow(
    target: Target, costs: Sequence[PathCost], knob: Knob, deadline_ns: Fraction, *, blocking: bool = False
) -> Slowest:
    """The slowest value of a knob at which every path (or its longest blocking) holds the deadline."""

    def runs(cost: PathCost) -> list[Uses]:
        return [run for found in cost.blocking().values() for run in found] if blocking else [cost.uses]

    now = knob.outward(knob.now(target.platform))
    limits = [
        (allowed, cost)
        for cost in costs
        if (allowed := slowest((knob.line(target, run) for run in runs(cost)), deadline_ns, knob)) is not None
    ]
    if not limits:
        return Slowest(knob, now, None, {}, None)
    allowed, limiting = min(limits, key=lambda limit: limit[0])
    turned = knob.turned(target.platform, allowed)
    times = {f"{entry}": turned.ns(entry) for entry in sorted(knob.entries) if entry.memory}
    return Slowest(knob, now, knob.outward(allowed), times, limiting)


def picture(
    target: Target, costs: Sequence[PathCost], knob: Knob, values: Sequence[Fraction]
) -> dict[str, Any]:
    """The prices over what is varied, as a chart: a line for each path, of the dearest at most eight."""
    from socscope.report import charts  # noqa: PLC0415 - takes a moment.

    dearest = sorted(costs, key=lambda cost: -target.ns(cost.uses))[:LINES_MAX]
    several_paths = len({cost.service.name for cost in dearest}) < len(dearest)
    names = {id(c): f"{c.service.name} {c.path.name}" if several_paths else c.service.name for c in dearest}
    rows = [
        {
            "x": float(value),
            "us": float(knob.line(target, cost.uses).at(knob.outward(value)) / 1000),
            "service": names[id(cost)],
        }
        for cost in dearest
        for value in values
    ]
    unit = "times as slow" if knob.unit == "times" else knob.unit
    parts = list(names.values())
    return charts.lines(rows, x=("x", f"{knob.text}, {unit}"), y=("us", "µs"), part="service", parts=parts)
