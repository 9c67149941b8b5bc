"""Records checked: run again with and without probes, by both engines, straight and over a checkpoint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal

from socscope import processes
from socscope.errors import RecordError
from socscope.record import Run, open_run
from socscope.record.write import MANIFEST
from socscope.replay.again import Again, Devices
from socscope.replay.compare import Difference
from socscope.simulation import Engine

Way = Literal["straight", "over a checkpoint"]
ENGINES: tuple[Engine, ...] = ("translated", "interpreted")
WAYS: tuple[Way, ...] = ("straight", "over a checkpoint")
# With probes or without, the engine, the way.
ALL: tuple[tuple[bool, Engine, Way], ...] = tuple(product((True, False), ENGINES, WAYS))

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
    ways: Sequence[tuple[bool, Engine, Way]] = ALL,
) -> list[Check]:
    """Runs a record again in all ways, and compares state, console and, where they are counted, counts."""
    checks = []
    for number, (probes, engine, way) in enumerate(ways, start=1):
        end = max(run.manifest.stop.cycle, 1)

        def on_progress(cycle: int, _time_ps: int, number: int = number, end: int = end) -> None:
            on_check(number, len(ways), min(cycle / end, 1.0))

        on_check(number, len(ways), 0.0)
        again = Again(run, image=image, engine=engine, profile=probes, devices=devices)
        if way == "over a checkpoint":
            again.advance(again.middle, on_progress)
            again.over_checkpoint()
        again.advance(on_progress=on_progress)
        checks.append(Check(probes, engine, way, probes and run.manifest.profiled, again.differences()))
    return checks


@dataclass(frozen=True)
class Verified:
    """A record and its checks, or why it could not be run again."""

    folder: Path
    checks: list[Check] = field(default_factory=list)
    failure: str | None = None

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
) -> list[Verified]:
    """Checks records in all ways, some at a time in processes of their own; gives them in their order.

    One that cannot be run again does not stop the others.
    """
    found: dict[int, Verified] = {}

    def on_result(number: int, one: Verified) -> None:
        found[number] = one
        on_record(one)

    processes.each(
        partial(_verified, image),
        folders,
        jobs=jobs,
        on_result=on_result,
        on_failure=lambda number, failure: on_result(number, Verified(folders[number], failure=failure)),
    )
    return [found[number] for number in range(len(folders))]


def _verified(image: Path | None, folder: Path) -> Verified:
    return Verified(folder, verify(open_run(folder), image=image))
