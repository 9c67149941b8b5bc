"""A record checked: run again with and without probes, by both engines, straight and over a checkpoint."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

from socscope.record import Run
from socscope.replay.again import Again, Devices
from socscope.replay.compare import Difference
from socscope.simulation import Engine

Way = Literal["straight", "over a checkpoint"]
ENGINES: tuple[Engine, ...] = ("translated", "interpreted")
WAYS: tuple[Way, ...] = ("straight", "over a checkpoint")

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
) -> list[Check]:
    """Runs a record again in all ways, and compares state, console and, where they are counted, counts."""
    ways = list(product((True, False), ENGINES, WAYS))
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
