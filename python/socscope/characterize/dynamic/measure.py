"""A path's runs and what they add up to: formulas that are verified on runs they do not come from."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic import fit
from socscope.characterize.dynamic.align import Aligned, aligned
from socscope.characterize.dynamic.bench import Bench
from socscope.characterize.dynamic.episode import Entered, Episode, Key
from socscope.characterize.dynamic.fit import Fitted
from socscope.characterize.dynamic.parts import parts
from socscope.characterize.dynamic.trace import Column
from socscope.characterize.services import PathFacts, ServiceFacts
from socscope.errors import CharacterizeError
from socscope.sheet.model import Fit, Part

FIT_RUNS_MAX = 64
VERIFY_RUNS_MAX = 27
MORE_RUNS_MAX = 8
ROUNDS_MAX = 4

Point = tuple[int, ...]
OnRun = Callable[[], None]


@dataclass(frozen=True)
class MeasuredPath:
    """What the runs of a path say."""

    name: str
    parts: list[Part]
    fit: Fit
    cycles: dict[Point, int]
    """By the values of the parameters, on the platform that it ran on."""
    entered: dict[Point, Entered]
    """The same for the entry alone; without the runs that did not execute it."""


@dataclass
class _Runs:
    """Runs by the values of the parameters."""

    episodes: dict[Point, Episode]
    fitted: list[Point]
    verified: list[Point]


def measure(
    bench: Bench, service: ServiceFacts, path: PathFacts, on_run: OnRun = lambda: None
) -> MeasuredPath:
    """Runs a path for all values of its parameters and solves its counts."""
    names = [parameter.name for parameter in service.parameter]

    def run(point: Point) -> Episode:
        episode = bench.episode(service, path, dict(zip(names, point, strict=True)))
        on_run()
        return episode

    fitted, verified = points(service, path)
    runs = _Runs({point: run(point) for point in (*fitted, *verified)}, fitted, verified)
    for _ in range(ROUNDS_MAX):
        table, solved, failing = _solve(runs, names)
        if failing is None:
            break
        if not _go_on(runs, failing, run):
            break
    table, solved, failing = _solve(runs, names)
    return _result(service, path, runs, table, solved)


def points(service: ServiceFacts, path: PathFacts) -> tuple[list[Point], list[Point]]:
    """The values of the parameters to fit and to verify on."""
    fits = [[path.fixed.get(one.name, value) for value in one.fit] for one in service.parameter]
    verifies = [
        [path.fixed[one.name]] if one.name in path.fixed else (one.verify or one.fit)
        for one in service.parameter
    ]
    fitted = _some(list(dict.fromkeys(product(*fits))), FIT_RUNS_MAX)
    others = [point for point in dict.fromkeys(product(*verifies)) if point not in fitted]
    return fitted, _some(others, VERIFY_RUNS_MAX)


def _some(listed: Sequence[Point], count: int) -> list[Point]:
    """Evenly spread ones of a long list, the first and the last among them."""
    if len(listed) <= count:
        return list(listed)
    return [listed[number * (len(listed) - 1) // (count - 1)] for number in range(count)]


Solved = list[list[Fitted | None]]


def _solve(runs: _Runs, names: Sequence[str]) -> tuple[Aligned, Solved, list[Point] | None]:
    """Solves all counts on the runs to fit; the runs on which a formula fails, or `[]` where there is no
    formula; None if all is well.
    """
    order = [*runs.fitted, *runs.verified]
    table = aligned([runs.episodes[point] for point in order])
    some = len(runs.fitted)
    columns = _columns(names, order)
    first = {name: column[:some] for name, column in columns.items()}
    solved: Solved = []
    wrong = np.zeros(len(order), np.bool_)
    missing = False
    stacked = np.column_stack(table.counts)
    distinct, places = np.unique(stacked, axis=1, return_inverse=True)
    found = fit.exact(first, distinct[:some])
    checked: list[Fitted | None] = []
    for place, one in enumerate(found):
        if one is not None:
            off = one.column(columns, len(order)) != distinct[:, place]
            wrong |= off
            checked.append(None if off.any() else one)
        else:
            missing = True
            checked.append(None)
    spread = iter(places.ravel().tolist())
    solved = [[checked[next(spread)] for _ in keys] for keys in table.keys]
    if not missing and not wrong.any():
        return table, solved, None
    return table, solved, [order[place] for place in np.flatnonzero(wrong)]


def _columns(names: Sequence[str], order: Sequence[Point]) -> dict[str, Column]:
    array = np.array(order, np.int64).reshape(len(order), len(names))
    return {name: array[:, place] for place, name in enumerate(names)}


def _go_on(runs: _Runs, failing: Sequence[Point], run: Callable[[Point], Episode]) -> bool:
    """Moves some runs over to those to fit, and makes further ones to verify; False, with nothing changed,
    if none would be left to verify.
    """
    moved = list(failing or runs.verified)[: max(1, len(runs.verified) // 2)]
    left = [point for point in runs.verified if point not in moved]
    if not moved:
        return False
    for point in _between(list(runs.episodes)):
        try:
            runs.episodes[point] = run(point)
        except CharacterizeError:
            # Not every value between others is one that the case can take.
            continue
        left.append(point)
    if not left:
        return False
    runs.fitted += moved
    runs.verified = left
    return True


def _between(known: Sequence[Point]) -> list[Point]:
    """Further values: in the middle of the gaps between those that were run."""
    found: list[Point] = []
    for place in range(len(known[0])):
        values = sorted({point[place] for point in known})
        gaps = [(low, high) for low, high in pairwise(values) if high - low > 1]
        for number, (low, high) in enumerate(gaps):
            other = list(known[number % len(known)])
            other[place] = (low + high) // 2
            found.append(tuple(other))
    return _some([point for point in dict.fromkeys(found) if point not in known], MORE_RUNS_MAX)


def _result(
    service: ServiceFacts, path: PathFacts, runs: _Runs, table: Aligned, solved: Solved
) -> MeasuredPath:
    names = [parameter.name for parameter in service.parameter]
    order = [*runs.fitted, *runs.verified]
    columns = _columns(names, order)
    inexact = 0
    whole: list[list[Fitted]] = []
    for place, row in enumerate(solved):
        filled = []
        for number, one in enumerate(row):
            if one is None:
                inexact += 1
            filled.append(one or fit.upper(columns, table.counts[place][:, number]))
        whole.append(filled)
    excess = _excess(runs, order, columns, table, whole) if inexact else 0.0
    note = ""
    if inexact:
        total = sum(len(row) for row in solved)
        note = f"{inexact} of {total} counts follow no formula that was found; they are given from above"
    elif not runs.verified and len(runs.fitted) > 1:
        note = "not verified: the parameters have no values to verify on"
    return MeasuredPath(
        name=path.name,
        parts=parts(zip(table.blocking, table.keys, whole, strict=True)),
        fit=Fit(
            runs=len(runs.fitted),
            verified=len(runs.verified),
            exact=not inexact,
            excess_max=excess,
            note=note,
        ),
        cycles={point: episode.cycles for point, episode in runs.episodes.items()},
        entered={
            point: episode.entered for point, episode in runs.episodes.items() if episode.entered is not None
        },
    )


def _excess(
    runs: _Runs,
    order: Sequence[Point],
    columns: dict[str, Column],
    table: Aligned,
    whole: Sequence[Sequence[Fitted]],
) -> float:
    """How far the formulas may be above a run, at the mean cost of each kind of access there.

    Steps are as high just above a run as at the next one; that is what is taken.
    """
    costs = _unit_costs([runs.episodes[point] for point in order], table)
    above: NDArray[np.float64] = np.zeros(len(order))
    for keys, counts, row in zip(table.keys, table.counts, whole, strict=True):
        for number, (key, one) in enumerate(zip(keys, row, strict=True)):
            if not one.exact:
                above += costs.get(key, 0.0) * (fit.above_at_most(one, columns) - counts[:, number])
    cycles = np.array([runs.episodes[point].cycles for point in order])
    return round(float((above / np.maximum(cycles, 1)).max()), 6)


def _unit_costs(episodes: Iterable[Episode], table: Aligned) -> dict[Key, float]:
    totals: dict[Key, int] = {}
    for episode in episodes:
        for key, cost in episode.costs.items():
            totals[key] = totals.get(key, 0) + cost
    counted: dict[Key, int] = {}
    for keys, counts in zip(table.keys, table.counts, strict=True):
        for number, key in enumerate(keys):
            counted[key] = counted.get(key, 0) + int(counts[:, number].sum())
    return {key: cost / counted[key] for key, cost in totals.items() if counted.get(key)}
