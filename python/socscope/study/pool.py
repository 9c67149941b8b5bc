"""Makes the runs of a study in parallel, and only those that are not there yet."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from socscope import processes
from socscope.errors import RecordError, StudyError
from socscope.record import Run, open_run
from socscope.study.space import Point, varied

Worker = Callable[[Point, Path], None]


@dataclass(frozen=True)
class Progress:
    """How far a study is; the estimate is None until a run has ended."""

    done: int
    total: int
    kept: int
    seconds: float
    seconds_left: float | None
    last: str


def finished(point: Point, runs: Path) -> Run | None:
    """The record of a point, when there is a sound one."""
    try:
        return open_run(runs / point.key)
    except RecordError:
        return None


def carry_out(
    points: Sequence[Point],
    worker: Worker,
    runs: Path,
    *,
    jobs: int,
    on_progress: Callable[[Progress], None],
) -> list[Run]:
    """Makes the missing runs, some at a time; gives the records of all points in their order.

    A run that fails does not stop the others; all failures are told at the end. Every process is a fresh one.
    """
    wanted = {point.key: point for point in points}
    missing = [point for point in wanted.values() if not finished(point, runs)]
    total = len(wanted)
    kept = total - len(missing)
    names = varied(points)
    started = time.monotonic()

    def report(done: int, last: str) -> None:
        seconds = time.monotonic() - started
        left = seconds / done * (len(missing) - done) if done else None
        on_progress(Progress(kept + done, total, kept, seconds, left, last))

    done = count(1)
    failures: list[str] = []

    def on_result(number: int, _: None) -> None:
        report(next(done), missing[number].describe(names))

    def on_failure(number: int, failure: str) -> None:
        failures.append(f"{missing[number].describe()}: {failure}")
        on_result(number, None)

    report(0, "")
    for point in missing:
        # What is there without being sound is made again.
        shutil.rmtree(runs / point.key, ignore_errors=True)
    if missing:
        runs.mkdir(parents=True, exist_ok=True)
    processes.each(
        partial(_make, worker, runs), missing, jobs=jobs, on_result=on_result, on_failure=on_failure
    )
    if failures:
        listed = "\n".join(f"  {failure}" for failure in failures)
        raise StudyError(f"{len(failures)} of {total} runs failed; the others are kept:\n{listed}")
    return [open_run(runs / point.key) for point in points]


def _make(worker: Worker, runs: Path, point: Point) -> None:
    worker(point, runs / point.key)
