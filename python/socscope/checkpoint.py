"""Checkpoints: the complete state of machines in a file, and simulations that fork."""

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from socscope import _core
from socscope.clear import clear_errors
from socscope.device.device import Device
from socscope.errors import CheckpointError
from socscope.image import Image
from socscope.platform import Platform
from socscope.record.manifest import Begin, ModuleFunction
from socscope.record.write import whole_file

if TYPE_CHECKING:
    from socscope.simulation import Simulation

# The largest file that is read: far above what a machine's memories can take.
FILE_BYTES_MAX = 1 << 33
FUNCTIONS = TypeAdapter(list[ModuleFunction])


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint file that was read and found undamaged."""

    path: Path
    core: _core.Checkpoint
    facts: dict[str, Any] = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> "Checkpoint":
        """Reads a file and checks every byte of it."""
        path = Path(path)
        try:
            if path.stat().st_size > FILE_BYTES_MAX:
                raise CheckpointError(f"{path}: larger than 8 GiB: not a checkpoint")
            data = path.read_bytes()
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from None
        with _named(path):
            core = _core.Checkpoint(data)
            return cls(path, core, core.facts())

    @property
    def machines(self) -> list[dict[str, Any]]:
        """What can be said of each machine."""
        machines: list[dict[str, Any]] = self.facts["machines"]
        return machines

    @property
    def focus(self) -> int:
        """The machine from which the checkpoint was made."""
        return int(self.machines[0]["notes"].get("focus", "0")) if self.machines else 0

    def platform(self, machine: int) -> Platform:
        """A machine's platform."""
        with _named(self.path):
            return Platform(self.machines[machine]["platform"], self.core.device_tree(machine))

    def image(self, machine: int, given: str | Path | Image | None = None) -> Image:
        """A machine's image: the one that was kept, or a file which must be the same one."""
        with _named(self.path):
            kept = self.core.image(machine)
        expected = self.machines[machine]["notes"].get("image_sha256")
        if given is not None:
            image = given if isinstance(given, Image) else Image.read(Path(given))
            if image.sha256 != expected:
                raise CheckpointError(
                    f"{image.path}: another image than the checkpoint's, which has SHA-256 {expected}"
                )
            return image
        if kept is None:
            raise CheckpointError(f"{self.path}: the image was not kept: name it")
        name, data = kept
        return Image.parse(Path(name), data)

    def image_when_needed(
        self, machine: int, given: str | Path | Image | None
    ) -> Image | Callable[[], Image]:
        """The same, read when it is first asked for, where nothing but the checkpoint is needed for that."""
        kept = any(name == f"{machine}/image" for name, *_ in self.facts["sections"])
        if given is None and kept:
            return functools.cache(lambda: self.image(machine))
        return self.image(machine, given)

    def check_functions(self, machine: int, image: Image) -> None:
        """A profile goes on only with the functions that it was begun with."""
        if self.machines[machine]["notes"].get("functions_sha256") != functions_sha256(image):
            raise CheckpointError(
                f"{self.path}: its profile was begun with other functions than this version finds in the "
                "image; make it again"
            )

    def profile_of(self, machine: int) -> tuple[Begin | None, tuple[ModuleFunction, ...]]:
        """Where a profile was begun, and the functions of modules that it knows."""
        notes = self.machines[machine]["notes"]
        begin = notes.get("profile_from")
        return (
            Begin.model_validate_json(begin) if begin else None,
            tuple(FUNCTIONS.validate_json(notes.get("module_functions", "[]"))),
        )

    def restore(self, devices: Sequence[Device]) -> list[_core.Machine]:
        """The machines as they were saved, by place; `devices` are those written in Python."""
        with _named(self.path):
            machines = self.core.build()
            waiting = list(devices)
            for machine, facts in zip(machines, self.machines, strict=True):
                names = [name for name, _ in facts["added_devices"]]
                for device in [one for one in waiting if one.name in names]:
                    machine.give_device(device.model(), device, device.name)
                    waiting.remove(device)
            self.core.restore(machines)
        return machines


def functions_sha256(image: Image) -> str:
    """Hash of the functions of an image and of their numbers."""
    functions = [(one.start, one.end, one.id) for one in image.functions]
    return hashlib.sha256(repr(functions).encode()).hexdigest()


def save(simulation: "Simulation", path: str | Path) -> None:
    """Writes the state of a simulation, and of those linked to it: a whole file, or nothing."""
    linked = _by_place(simulation)
    notes = []
    for one in linked:
        said = {"image_sha256": one.image.sha256, "window": one.window.text}
        if one.profiled:
            said["functions_sha256"] = functions_sha256(one.image)
        if one.profile_from is not None:
            said["profile_from"] = one.profile_from.model_dump_json()
        if one.module_functions:
            said["module_functions"] = FUNCTIONS.dump_json(list(one.module_functions)).decode()
        said["focus"] = str(linked.index(simulation))
        notes.append(said)
    with clear_errors():
        data = simulation.machine.checkpoint([(one.image.path.name, one.image.data) for one in linked], notes)
    whole_file(Path(path), data)


def _by_place(simulation: "Simulation") -> "list[Simulation]":
    return sorted(simulation.linked, key=lambda one: one.machine.place)


class _named(clear_errors):
    """Puts the file's name before the core's errors."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:  # noqa: ANN401 - as its base says.
        if isinstance(error, _core.CoreError):
            raise CheckpointError(f"{self._path}: {error}") from error
