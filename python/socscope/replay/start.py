"""Checkpoints on the way of a recorded run: it can be run again from there, instead of from power-on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from socscope.checkpoint import Checkpoint
from socscope.errors import CheckpointError
from socscope.image import Image
from socscope.record import Run, sources
from socscope.record.manifest import POWER_ON, Begin
from socscope.record.sources import Place
from socscope.simulation import Engine, Simulation


@dataclass(frozen=True)
class Start:
    """A checkpoint: its place in a run, its state, and all that led to it."""

    path: Path
    place: Begin
    state_hash: str
    platform_sha256: str
    overrides: Sequence[str]
    image_sha256: str
    inputs: Sequence[tuple[Place, bytes]] = field(repr=False)

    @property
    def moment(self) -> Place:
        """The place between two instructions."""
        return (self.place.cycle, self.place.part, self.place.settled)

    def restore(self, image: Image, layers: Path, engine: Engine) -> Simulation:
        """A simulation that stands here."""
        return Simulation.restore(self.path, image=image, layers=layers, engine=engine)

    def lies_on(self, run: Run) -> bool:
        """Whether the run came by: a machine built alike, with the same input up to here."""
        facts, rerun = run.manifest, sources.rerun_of(run)
        built = (facts.platform.dtb_sha256, list(facts.platform.overrides), facts.image.sha256)
        if built != (self.platform_sha256, list(self.overrides), self.image_sha256) or rerun.devices:
            return False
        # A checkpoint holds neither tasks nor marks that were set, and a profile cannot be taken out of one.
        profile_from = (rerun.profile_from or POWER_ON) if facts.profiled else None
        probes = [rerun.tasks_from, profile_from, *(point.since for point in rerun.marks)]
        if any(begin is not None and begin.order < self.place.order for begin in probes):
            return False
        rows = run.rows("input")
        inputs = [((row["cycle"], row["part"], bool(row["settled"])), row["encoded"]) for row in rows]
        end = (facts.stop.cycle, rerun.part, rerun.settled)
        following = [*(moment for moment, _ in inputs[self.place.inputs :]), end]
        return inputs[: self.place.inputs] == list(self.inputs) and following[0] >= self.moment


def find(run: Run) -> Start | None:
    """The checkpoint of its study on the way of a run, the last if there are several."""
    starts = [start for path in sources.checkpoints_of(run) if (start := _read(path)) is not None]
    passed = [start for start in starts if start.lies_on(run)]
    return max(passed, key=lambda start: start.moment, default=None)


def _read(path: Path) -> Start | None:
    # A file that is written anew has another time.
    return _read_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_once(path: Path, _changed_ns: int) -> Start | None:
    """A checkpoint of one machine without a profile; none where it is damaged or another one."""
    try:
        found = Checkpoint.read(path)
        if len(found.machines) != 1 or found.machines[0]["profiled"] or found.machines[0]["added_devices"]:
            return None
        [machine] = found.restore([])
    except CheckpointError:
        return None
    facts = found.machines[0]
    cycle, part, settled = machine.moment
    columns = machine.inputs()
    moments = zip(columns["cycle"], columns["part"], map(bool, columns["settled"]), strict=True)
    inputs = list(zip(moments, columns["encoded"], strict=True))
    return Start(
        path=path,
        place=Begin(cycle=cycle, part=part, settled=settled, inputs=len(inputs)),
        state_hash=facts["state_hash"],
        platform_sha256=sha256(found.core.device_tree(0)).hexdigest(),
        overrides=facts["overrides"],
        image_sha256=facts["notes"].get("image_sha256", ""),
        inputs=inputs,
    )
