"""Makes the runs of a study in parallel, and only those that are not there yet."""

import multiprocessing
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from socscope.errors import RecordError, SocscopeError, StudyError
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

    report(0, "")
    failures: list[str] = []
    for point in missing:
        # What is there without being sound is made again.
        shutil.rmtree(runs / point.key, ignore_errors=True)
    if missing:
        runs.mkdir(parents=True, exist_ok=True)
        # A fresh interpreter for each worker: a forked one would share the threads' locks of this one.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=min(jobs, len(missing)), mp_context=context) as pool:
            futures: dict[Future[None], Point] = {
                pool.submit(worker, point, runs / point.key): point for point in missing
            }
            try:
                for done, future in enumerate(as_completed(futures), start=1):
                    point = futures[future]
                    if failure := _failure(future):
                        failures.append(f"{point.describe()}: {failure}")
                    report(done, point.describe(names))
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    if failures:
        listed = "\n".join(f"  {failure}" for failure in failures)
        raise StudyError(f"{len(failures)} of {total} runs failed; the others are kept:\n{listed}")
    return [open_run(runs / point.key) for point in points]


def _failure(future: Future[None]) -> str | None:
    try:
        future.result()
    except SocscopeError as error:
        return str(error)
    except BrokenProcessPool:
        return "its process died"
    return None
