"""Carries a study out: makes the runs that are missing, then tables, pictures, the store and the report."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from socscope import processes
from socscope.record import Run
from socscope.record.write import whole_file
from socscope.study import pool, store
from socscope.study.find import find
from socscope.study.pool import Each, Progress
from socscope.study.sheet import Sheet
from socscope.study.space import Point
from socscope.study.standing import Standing, remove_superseded, standing, told
from socscope.study.store import RUNS
from socscope.study.study import Result, Study

QUICK = "This is the quick form: few points and short runs. The numbers that count are those of the whole."


@dataclass(frozen=True)
class Results:
    """What the study gave: its sheets, its runs, the page, and the hash of all results.

    The hash depends on neither the number of jobs nor the order in which runs were made.
    """

    sheets: list[Sheet]
    runs: list[Run]
    page: Path
    sha256: str
    standings: list[Standing]
    """Why each run was kept or made."""


def carry_out(
    reference: str,
    folder: Path,
    *,
    quick: bool = False,
    jobs: int = 1,
    settings: Sequence[str] = (),
    only: Sequence[str] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_build: Callable[[str], None] = lambda _: None,
    on_standing: Callable[[str], None] = lambda _: None,
    each: Each = processes.each,
) -> Results:
    """Makes the runs that `folder` does not hold yet, and everything that follows from them.

    `reference` is the name of a study, or the path of a Python file that defines one. `only` names the parts
    that are wanted. `each` says who makes the runs; `on_standing` is told how many are kept, and why others
    are made.
    """
    study = find(reference)
    parts = study.wanted(quick=quick, settings=settings, only=only)
    with pool.alone(folder):
        points = {
            parameters: study.point(parameters, on_build)
            for parameters in dict.fromkeys(one for part in parts.values() for one in part)
        }
        by_key = {point.key: parameters for parameters, point in points.items()}
        standings = standing(points.values(), folder / RUNS)
        on_standing(told(standings.values()))
        study.prepare(
            {parameters: point for parameters, point in points.items() if not standings[point.key].kept},
            folder,
            jobs=jobs,
            say=on_build,
        )
        runs = pool.carry_out(
            list(points.values()),
            partial(_make, reference),
            folder / RUNS,
            standings=standings,
            jobs=jobs,
            on_progress=on_progress,
            weight=lambda point: study.weight(by_key[point.key]),
            each=each,
        )
        remove_superseded(list(points.values()), folder / RUNS)
        made = {parameters: Result(parameters, run) for parameters, run in zip(points, runs, strict=True)}
        results = {name: [made[one] for one in part] for name, part in parts.items()}
        sheets = list(study.sheets(results))
        for sheet in sheets:
            sheet.write(folder)
        store.write(folder, runs, sheets)
        page = folder / "report.html"
        whole_file(page, _page(study, sheets, runs, quick=quick))
    together = sha256("\n".join(sorted(run.sha256 for run in runs)).encode()).hexdigest()
    return Results(sheets, runs, page, together, list(standings.values()))


def _page(study: Study[Any], sheets: Sequence[Sheet], runs: Sequence[Run], *, quick: bool) -> str:
    from socscope.report import study_page  # noqa: PLC0415 - takes a moment to import.

    paragraphs = [QUICK, *study.paragraphs] if quick else study.paragraphs
    return study_page.render(study.title, paragraphs, sheets, runs)


def _make(reference: str, point: Point, folder: Path) -> None:
    """Makes one run, in a process of its own."""
    study = find(reference)
    begun = time.monotonic()
    with study.explained():
        study.make(study.parameters.of(point.parameters), point, folder)
    store.note_host(folder, time.monotonic() - begun)
