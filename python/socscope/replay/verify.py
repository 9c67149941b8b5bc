"""Records checked: run again with and without probes, by both engines, straight and over a checkpoint.

Runs of a study that begin in one booted state are run again from its checkpoint. That power-on leads to this
state is a check of its own, once for all of them.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal

from socscope import processes
from socscope.errors import RecordError
from socscope.record import Run, open_run, sources
from socscope.record.write import MANIFEST
from socscope.replay.again import Again, Devices
from socscope.replay.compare import Difference
from socscope.replay.start import find
from socscope.simulation import Engine

Way = Literal["straight", "over a checkpoint", "to the begin"]
"""The way to the end; `to the begin` is from power-on to the checkpoint that the others begin at."""

# With probes or without, the engine, the way.
Kind = tuple[bool, Engine, Way]
ENGINES: tuple[Engine, ...] = ("translated", "interpreted")
WAYS: tuple[Way, ...] = ("straight", "over a checkpoint")
ALL: tuple[Kind, ...] = tuple(product((True, False), ENGINES, WAYS))
BEGIN: tuple[Kind, ...] = tuple((False, engine, "to the begin") for engine in ENGINES)

# Called with the number of the check that runs, from 1, how many there are, and how far it is, 0 to 1.
OnCheck = Callable[[int, int, float], None]


@dataclass(frozen=True)
class Check:
    """One way to run the record again, and what was not as recorded."""

    probes: bool
    engine: Engine
    way: Way
    counted: bool
    differences: list[Difference]

    @property
    def same(self) -> bool:
        """Whether all is as recorded."""
        return not self.differences

    @property
    def name(self) -> str:
        """The check in words."""
        return f"{'with' if self.probes else 'without'} probes, {self.engine}, {self.way}"


def verify(
    run: Run,
    *,
    image: Path | None = None,
    devices: Devices = tuple,
    on_check: OnCheck = lambda *_: None,
    ways: Sequence[Kind] | None = None,
    from_power_on: bool = False,
) -> list[Check]:
    """Runs a record again in all ways, and compares state, console and, where they are counted, counts.

    It begins at the checkpoint of a study that belongs to the run, and checks that power-on leads there;
    where there is none, or with `from_power_on`, each way begins at power-on.
    """
    start = None if from_power_on else find(run)
    wanted = ways if ways is not None else (*BEGIN, *ALL) if start else ALL
    loaded = sources.image_of(run, image)
    checks = []
    for number, (probes, engine, way) in enumerate(wanted, start=1):
        goal = start if way == "to the begin" else None
        if way == "to the begin" and goal is None:
            raise RecordError(f"{run.folder}: there is no checkpoint on its way")
        again = Again(
            run,
            image=loaded,
            engine=engine,
            profile=probes,
            devices=devices,
            start=None if goal else start,
            goal=goal,
        )

        def on_progress(cycle: int, _time_ps: int, number: int = number, again: Again = again) -> None:
            on_check(number, len(wanted), again.share(cycle))

        on_check(number, len(wanted), 0.0)
        if way == "over a checkpoint":
            again.advance(again.middle, on_progress)
            again.over_checkpoint()
        again.advance(on_progress=on_progress)
        counted = probes and run.manifest.profiled
        checks.append(Check(probes, engine, way, counted, again.differences()))
    return checks


@dataclass(frozen=True)
class Verified:
    """A record and its checks, or why it could not be run again.

    With `is_begin` the checks are those of a checkpoint, which `folder` names, at which records begin.
    """

    folder: Path
    checks: list[Check] = field(default_factory=list)
    failure: str | None = None
    is_begin: bool = False

    @property
    def same(self) -> bool:
        """Whether it was run again in all ways, and all is as recorded."""
        return self.failure is None and all(check.same for check in self.checks)


# Called for each record that was checked, in the order in which they end.
OnRecord = Callable[[Verified], None]


def records(folders: Sequence[Path]) -> list[Path]:
    """The records that are meant: a folder is one, or holds some as that of a study does."""
    found = []
    for folder in folders:
        # A folder whose name begins with a point is a record that was not finished.
        inside = [path.parent for path in sorted(folder.glob(f"**/{MANIFEST}"))]
        finished = [path for path in inside if not path.name.startswith(".")]
        if not finished:
            raise RecordError(f"{folder}: neither a run record nor a folder with some (no {MANIFEST} in it)")
        found += [folder] if folder in finished else finished
    return list(dict.fromkeys(found))


def verify_all(
    folders: Sequence[Path],
    *,
    image: Path | None = None,
    jobs: int = 1,
    on_record: OnRecord = lambda _: None,
    from_power_on: bool = False,
) -> list[Verified]:
    """Checks records in all ways, some at a time in processes of their own; gives them in their order.

    The checkpoints at which some of them begin come first, each once. A record that cannot be run again does
    not stop the others.
    """
    begins = {} if from_power_on else _begins(folders)
    work = [_Work(path, folder, BEGIN) for path, folder in begins.items()]
    work += [_Work(folder, folder, ALL) for folder in folders]
    found: dict[int, Verified] = {}

    def on_result(number: int, checks: list[Check]) -> None:
        one = work[number]
        found[number] = Verified(one.name, checks, is_begin=one.ways == BEGIN)
        on_record(found[number])

    def on_failure(number: int, failure: str) -> None:
        one = work[number]
        found[number] = Verified(one.name, failure=failure, is_begin=one.ways == BEGIN)
        on_record(found[number])

    processes.each(
        partial(_verified, image, from_power_on), work, jobs=jobs, on_result=on_result, on_failure=on_failure
    )
    return [found[number] for number in range(len(work))]


@dataclass(frozen=True)
class _Work:
    """A record to be run again in these ways, and what that is called."""

    name: Path
    folder: Path
    ways: Sequence[Kind]


def _begins(folders: Sequence[Path]) -> dict[Path, Path]:
    """The checkpoints at which records begin, each with the first of them."""
    begins: dict[Path, Path] = {}
    for folder in folders:
        # Who runs it again says what is wrong with it.
        with suppress(RecordError):
            start = find(open_run(folder))
            if start is not None:
                begins.setdefault(start.path, folder)
    return begins


def _verified(image: Path | None, from_power_on: bool, work: _Work) -> list[Check]:
    run = open_run(work.folder)
    return verify(run, image=image, ways=work.ways, from_power_on=from_power_on)
