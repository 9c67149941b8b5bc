"""What the static analysis found: bounds, what has none and why, the worst path."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import networkx

from socscope.characterize.static import coverage, drawing
from socscope.characterize.static.facts import Assumption, Place, Uncovered, WithoutEffect
from socscope.sheet.formula import Formula


@dataclass(frozen=True)
class Region:
    """A range of addresses and what accesses cost there.

    `cycles` by direction (0 read and fetch, 1 write), width (0 byte, 1 half-word, 2 word) and sequence (0 N,
    1 S, 2 S after an internal cycle).
    """

    name: str
    start: int
    size: int
    cycles: tuple[tuple[tuple[int, int, int], ...], ...]
    float_cycles: int = 0
    external: int = 0
    early_read: bool = False
    kind: str = "ram"


@dataclass(frozen=True)
class Reference:
    """The platform under whose costs the worst path is the worst."""

    name: str
    regions: tuple[Region, ...]
    cpi: tuple[int, int] | None = None
    """Cycles for so many instructions, whatever they do and wherever, as the timing "fixed-cpi" counts.

    Without it the core's own timing model counts, by the regions.
    """


@dataclass(frozen=True)
class Unbounded:
    """What the analysis cannot bound, and the annotation that would help."""

    kind: Literal["loop", "irreducible", "recursion", "jump", "size"]
    place: Place
    reason: str
    remedy: str

    @property
    def address(self) -> int:
        """Address of the instruction that it begins with."""
        return self.place.address

    @property
    def source(self) -> str:
        """Source file and line; empty where the image does not say."""
        return self.place.source


@dataclass(frozen=True)
class Loop:
    """A loop in one calling context. `bound` is how often its head executes for each entry into the loop."""

    place: Place
    callers: tuple[Place, ...]
    bound: int | str | None
    found: Literal["analysis", "annotation", "library", "none"]


@dataclass(frozen=True)
class WorstPath:
    """A path that is the worst one under some costs: how often each edge of the graph is taken."""

    references: tuple[str, ...]
    cycles: Mapping[str, int]
    edges: Mapping[tuple[int, int], int] = field(repr=False)


@dataclass
class StaticResult:
    """A worst case from the binary alone.

    `bound_cycles` is a number, the text of a formula over the parameters, or None where something is
    unbounded; `bounds` has it by platform. `assumptions` is what it takes for granted, `without_effect`
    has the annotations that changed nothing. `graph` has a node for each basic block in each calling context
    (-1 and -2 are the ends, by return and at a stop), with `address`, `steps`, `function`, `source`,
    `context`, `count`, and on edges `kind` and `count` on the worst path; `calls` has one for each function.
    """

    entry: str
    bound_cycles: int | str | None
    bounds: Mapping[str, Formula]
    paths: tuple[WorstPath, ...]
    loops: tuple[Loop, ...]
    unbounded: tuple[Unbounded, ...]
    infeasible: int
    assumptions: tuple[Assumption, ...]
    without_effect: tuple[WithoutEffect, ...]
    graph: networkx.DiGraph = field(repr=False)
    calls: networkx.DiGraph = field(repr=False)
    solver: "Solver" = field(repr=False)

    def bound_at(self, values: Mapping[str, int], reference: str | None = None) -> int | None:
        """The bound in cycles for values of the parameters; None where something is unbounded.

        Without a reference it is the greatest of all.
        """
        return self.solver(values, reference)

    def covers(self, transitions: Iterable[tuple[int, int]]) -> list[Uncovered]:
        """Which part of the worst path runs did not take.

        `transitions` are (address of an instruction, address of the next one executed), of all runs.
        """
        return coverage.uncovered(self.graph, frozenset(transitions))

    def transitions(self) -> set[tuple[int, int]]:
        """All pairs of addresses of which the second instruction may follow on the first."""
        return coverage.transitions(self.graph)

    def picture(self) -> str:
        """The entry's control-flow graph as SVG: calls as single boxes, the worst path marked."""
        return drawing.control_flow(self.graph, self.calls)

    def call_picture(self) -> str:
        """The call graph as SVG."""
        return drawing.call_graph(self.calls)


class Solver(Protocol):
    """Finds the bound for values of parameters."""

    def __call__(self, values: Mapping[str, int], reference: str | None) -> int | None:
        """The bound in cycles; None where there is none."""
