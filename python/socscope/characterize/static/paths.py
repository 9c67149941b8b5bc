"""Implicit path enumeration: the worst path as a flow through the graph, found by linear programming (HiGHS).

After Li and Malik, "Performance analysis of embedded software using implicit path enumeration", 1995.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from socscope.errors import CharacterizeError

FRACTION = 1e-6
"""How far a solution may be from whole numbers to be taken as one."""


@dataclass(frozen=True)
class Edge:
    """A way from a node (a block in a state of the timing model) to another; -1 leads out."""

    start: int
    end: int
    cycles: int


@dataclass(frozen=True)
class Cycle:
    """A loop: its blocks, its head, and how often the head runs for each entry."""

    head: int
    members: frozenset[int]
    bound: int
    irreducible: bool = False


@dataclass(frozen=True)
class Graph:
    """Nodes, by the number of their block, with priced edges. A path begins at one of the sources."""

    blocks: Sequence[int]
    edges: Sequence[Edge]
    sources: frozenset[int]
    visits_max: Mapping[int, int]


Row = tuple[dict[int, float], float, float]


def worst(graph: Graph, cycles: Sequence[Cycle]) -> tuple[int, dict[tuple[int, int], int]]:
    """The cycles of the worst path, and how often it takes each way between blocks (-1: out)."""
    if not any(edge.end < 0 for edge in graph.edges):
        raise CharacterizeError("no path leads from the entry to a return or a stop: nothing can be bounded")
    rows = _rows(graph, cycles)
    costs = [float(edge.cycles) for edge in graph.edges] + [0.0] * len(graph.sources)
    values = _solve(costs, rows, whole=False)
    if any(abs(value - round(value)) > FRACTION for value in values):
        values = _solve(costs, rows, whole=True)
    counts: dict[tuple[int, int], int] = defaultdict(int)
    total = 0
    for edge, value in zip(graph.edges, values, strict=False):
        if taken := round(value):
            end = graph.blocks[edge.end] if edge.end >= 0 else -1
            counts[graph.blocks[edge.start], end] += taken
            total += taken * edge.cycles
    return total, dict(counts)


def _rows(graph: Graph, cycles: Sequence[Cycle]) -> list[Row]:
    """Flow that is kept, loops that end, and blocks that run only so often."""
    first = len(graph.edges)
    sources = {node: first + at for at, node in enumerate(sorted(graph.sources))}
    balance: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    entering: dict[int, list[int]] = defaultdict(list)
    leaving: list[tuple[int, int, int]] = []
    for at, edge in enumerate(graph.edges):
        balance[edge.start][at] -= 1
        if edge.end >= 0:
            balance[edge.end][at] += 1
            entering[graph.blocks[edge.end]].append(at)
            leaving.append((at, graph.blocks[edge.start], graph.blocks[edge.end]))
    for node, at in sources.items():
        balance[node][at] += 1
        entering[graph.blocks[node]].append(at)
    rows: list[Row] = [(row, 0.0, 0.0) for row in balance.values()]
    rows.append((dict.fromkeys(sources.values(), 1.0), 1.0, 1.0))
    for cycle in cycles:
        row: dict[int, float] = defaultdict(float)
        for at, start, end in leaving:
            if end in cycle.members and start not in cycle.members:
                row[at] -= cycle.bound - (0 if cycle.irreducible else 1)
            if end == cycle.head and (start in cycle.members or cycle.irreducible):
                row[at] += 1
        for node, at in sources.items():
            if graph.blocks[node] in cycle.members:
                row[at] -= cycle.bound
        rows.append((row, -float("inf"), 0.0))
    for block, most in graph.visits_max.items():
        if block in entering:
            rows.append((dict.fromkeys(entering[block], 1.0), 0.0, float(most)))
    return rows


def _solve(costs: Sequence[float], rows: Sequence[Row], *, whole: bool) -> list[float]:
    """The values that make the sum of costs greatest."""
    import highspy  # noqa: PLC0415 - loads slowly, and only this needs it.
    import numpy as np  # noqa: PLC0415

    starts: list[int] = [0]
    columns: list[int] = []
    factors: list[float] = []
    for row, _, _ in rows:
        columns += row.keys()
        factors += row.values()
        starts.append(len(columns))
    program = highspy.HighsLp()
    program.num_col_ = len(costs)
    program.num_row_ = len(rows)
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.array(costs)
    program.col_lower_ = np.zeros(len(costs))
    program.col_upper_ = np.full(len(costs), highspy.kHighsInf)
    program.row_lower_ = np.array([low for _, low, _ in rows])
    program.row_upper_ = np.array([high for _, _, high in rows])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.array(starts)
    program.a_matrix_.index_ = np.array(columns)
    program.a_matrix_.value_ = np.array(factors)
    if whole:
        program.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.passModel(program)
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise CharacterizeError(f"the worst path has no solution ({solver.modelStatusToString(status)})")
    return list(solver.getSolution().col_value)
