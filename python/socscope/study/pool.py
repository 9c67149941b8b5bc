"""Makes the runs of a study in parallel, and only those that are not there yet."""

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from socscope import processes
from socscope.errors import StudyError
from socscope.record import Run, open_run
from socscope.record.partial import remove_left
from socscope.record.sources import IMAGES
from socscope.study import reads
from socscope.study.space import Point, varied
from socscope.study.standing import READS, Standing, note, standing

Worker = Callable[[Point, Path], None]
# A process that is killed, by the system for its memory or by hand, costs its run a second try.
ATTEMPTS = 2


class Each(Protocol):
    """Who does the work: `processes.each`, or a cluster."""

    def __call__(
        self,
        work: Callable[[Point], None],
        arguments: Sequence[Point],
        *,
        jobs: int,
        on_result: Callable[[int, None], None],
        on_failure: Callable[[int, str], None],
        attempts: int = 1,
        on_death: Callable[[int, str], None] = lambda _number, _how: None,
    ) -> None:
        """Does `work` for each argument."""


@dataclass(frozen=True)
class Progress:
    """How far a study is; the estimate is None until a run has ended, `trouble` what went wrong just now."""

    done: int
    total: int
    kept: int
    seconds: float
    seconds_left: float | None
    last: str
    trouble: str = ""


def once(points: Sequence[Point]) -> list[Point]:
    """The points, each once."""
    return list({point.key: point for point in points}.values())


def carry_out(
    points: Sequence[Point],
    worker: Worker,
    runs: Path,
    *,
    standings: Mapping[str, Standing] | None = None,
    jobs: int,
    on_progress: Callable[[Progress], None],
    weight: Callable[[Point], float] = lambda _: 1.0,
    each: Each = processes.each,
) -> list[Run]:
    """Makes the runs that do not stand, some at a time; gives the records of all points in their order.

    A run that fails does not stop the others; all failures are told at the end. What a process was at when it
    was killed is tried again. `weight` says how long a run takes compared with others: long ones go first.
    """
    stand = standings or standing(points, runs)
    todo = sorted((point for point in once(points) if not stand[point.key].kept), key=weight, reverse=True)
    total = len(once(points))
    kept = total - len(todo)
    names = varied(points)
    started = time.monotonic()
    left = sum(map(weight, todo))
    done_weight = 0.0

    def report(last: str, trouble: str = "") -> None:
        seconds = time.monotonic() - started
        seconds_left = seconds / done_weight * (left - done_weight) if done_weight else None
        on_progress(Progress(kept + done, total, kept, seconds, seconds_left, last, trouble))

    done = 0
    failures: list[str] = []

    def on_result(number: int, _: None, trouble: str = "") -> None:
        nonlocal done, done_weight
        done += 1
        done_weight += weight(todo[number])
        report(todo[number].describe(names), trouble)

    def on_failure(number: int, failure: str) -> None:
        if os.strerror(errno.ENOSPC) in failure:
            raise StudyError(
                f"{failure}\nThe disk is full. All runs that were finished are kept: free some space, and "
                "give the same command again."
            )
        failures.append(f"{todo[number].describe()}: {failure}")
        on_result(number, None, "failed")

    report("")
    if todo:
        runs.mkdir(parents=True, exist_ok=True)
        _clean(todo, runs)
    each(
        partial(_make, worker, runs),
        todo,
        jobs=jobs,
        on_result=on_result,
        on_failure=on_failure,
        attempts=ATTEMPTS,
        on_death=lambda number, how: report(todo[number].describe(names), f"{how}; it is made again"),
    )
    if failures:
        listed = "\n".join(f"  {failure}" for failure in sorted(failures))
        raise StudyError(f"{len(failures)} of {total} runs failed; the others are kept:\n{listed}")
    return [open_run(runs / point.key) for point in points]


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keeps a second study out of the folder while this one works in it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ".lock"
    try:
        # A link could name any file of the host.
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise StudyError(f"{path}: cannot be locked: {error.strerror}; remove it") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StudyError(
                f"{folder}: another study works in this folder; wait for its end, or name another by --out"
            ) from None
        for one in (folder, *folder.glob("*/"), folder / "runs" / IMAGES):
            remove_left(one)
        yield
    finally:
        os.close(lock)


def _clean(todo: Sequence[Point], runs: Path) -> None:
    """Removes what is there without being sound: it is made again."""
    for point in todo:
        shutil.rmtree(runs / point.key, ignore_errors=True)
    remove_left(runs)


def _make(worker: Worker, runs: Path, point: Point) -> None:
    folder = runs / point.key
    with reads.noted(folder / READS, folder):
        worker(point, folder)
    note(point, folder)
