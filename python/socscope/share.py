"""Folders of the host in the guest."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from socscope import reading, shown
from socscope.clear import clear_errors

if TYPE_CHECKING:
    from socscope.simulation import Simulation

# The device of the platforms that have one.
DEVICE = "share"


@dataclass(frozen=True)
class WrittenBack:
    """What a write-back did to the host's folder: paths below it, as `os.fsdecode` gives them."""

    written: list[str]
    removed: list[str]
    left_out: list[tuple[str, str]]
    """What was not done, and why."""
    unfinished: list[str]
    """Files that the guest had still open for writing: what it had not written yet is missing in them."""

    def __str__(self) -> str:
        lines = [f"{len(self.written)} written, {len(self.removed)} removed"]
        return "; ".join(lines + [f"{shown.name(path)} not: {reason}" for path, reason in self.left_out])


@dataclass(frozen=True)
class Share:
    """A folder of the host as it was when the guest was given it."""

    simulation: "Simulation"
    device: str
    folder: Path
    read_only: bool
    files: int
    bytes: int
    blake3: str
    """Of names, contents and what is executable: two copies of a folder have the same."""
    left_out: list[tuple[str, str]]
    """What has no place in a share, and why."""

    def write_back(self) -> WrittenBack:
        """Makes the host's folder what the guest has made of it."""
        return write_back(self.simulation, self.folder, device=self.device)


def share(
    simulation: "Simulation", folder: str | Path, *, read_only: bool = True, device: str = DEVICE
) -> Share:
    """Gives the guest a folder as it is now, at any time before it mounts it; it is recorded as input."""
    place = Path(folder)
    reading.tell(place)
    with clear_errors():
        facts = simulation.machine.share_folder(device, place, not read_only)
    return Share(simulation, device, place, read_only, **facts)


def write_back(simulation: "Simulation", folder: str | Path, *, device: str = DEVICE) -> WrittenBack:
    """Makes a folder of the host what the guest has made of its share. The machine is as it was.

    Only what the guest has changed is touched. For machines of a checkpoint or a fork; a `Share` knows its
    folder.
    """
    with clear_errors():
        return WrittenBack(**simulation.machine.write_back_share(device, Path(folder)))
