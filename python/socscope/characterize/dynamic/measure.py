"""A path's runs and what they add up to: formulas that are verified on runs they do not come from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic.align import Aligned
from socscope.characterize.dynamic.bench import Bench
from socscope.characterize.dynamic.episode import Entered, Episode
from socscope.characterize.dynamic.grid import Point
from socscope.characterize.dynamic.parts import parts
from socscope.characterize.dynamic.rows import Key
from socscope.characterize.dynamic.runs import Runs
from socscope.characterize.dynamic.solve import solve
from socscope.characterize.dynamic.solved import Solved
from socscope.characterize.services import PathFacts, ServiceFacts
from socscope.sheet.model import Fit, Part
from socscope.sheet.verified import ranges

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


def measure(
    bench: Bench, service: ServiceFacts, path: PathFacts, on_run: OnRun = lambda: None
) -> MeasuredPath:
    """Runs a path for all values of its parameters, and for further ones, and solves its counts."""
    names = [parameter.name for parameter in service.parameter]

    def run(point: Point, by_row: bool) -> Episode:
        episode = bench.episode(service, path, dict(zip(names, point, strict=True)), by_row=by_row)
        on_run()
        return episode

    runs = Runs(service, path, run)
    return _result(path, runs, solve(runs))


def _result(path: PathFacts, runs: Runs, solved: Solved) -> MeasuredPath:
    total = sum(len(row) for row in solved.formulas)
    inexact = sum(not one.exact for row in solved.formulas for one in row)
    notes = []
    if inexact:
        notes.append(f"{inexact} of {total} counts follow no formula that was found; they are upper bounds")
    elif not runs.verified and len(runs.fitted) > 1:
        notes.append("not verified: the parameters have no values to verify on")
    if runs.refused:
        shown = ", ".join(f"{name}={value}" for name, value in zip(runs.names, runs.refused[0], strict=True))
        notes.append(f"{len(runs.refused)} further runs were refused by the case, such as {shown}")
    return MeasuredPath(
        name=path.name,
        parts=parts(zip(solved.table.blocking, solved.table.keys, solved.formulas, strict=True)),
        fit=Fit(
            runs=len(runs.fitted),
            verified=len(runs.verified),
            exact=not inexact,
            excess_max=_excess(runs, solved) if inexact else 0.0,
            note="; ".join(notes),
            values={
                name: ranges(column.tolist()) for name, column in runs.columns.items() if len(runs.order)
            },
        ),
        cycles={point: episode.cycles for point, episode in runs.episodes.items()},
        entered={
            point: episode.entered for point, episode in runs.episodes.items() if episode.entered is not None
        },
    )


def _excess(runs: Runs, solved: Solved) -> float:
    """How far the formulas may be above a run, at the mean cost of each kind of access there.

    Steps are as high just above a run as at the next one; that is what is taken.
    """
    episodes = [runs.episodes[point] for point in runs.order]
    costs = _unit_costs(episodes, solved.table)
    over: NDArray[np.float64] = np.zeros(len(episodes))
    for keys, row in zip(solved.table.keys, solved.above, strict=True):
        for key, above in zip(keys, row, strict=True):
            if above is not None:
                over += costs.get(key, 0.0) * above
    cycles = np.array([episode.cycles for episode in episodes])
    return round(float((over / np.maximum(cycles, 1)).max()), 6)


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
