"""What people call the registers and modes of an architecture, and how the compiled analysis numbers them."""

from collections.abc import Mapping
from dataclasses import dataclass

from socscope.errors import CharacterizeError
from socscope.image import Image


@dataclass(frozen=True)
class Convention:
    """An architecture whose images are analysed."""

    name: str
    """As the compiled analysis calls it."""
    registers: Mapping[str, int]
    shown: str
    """The registers, for messages."""
    modes: Mapping[str, int]
    own_timing: bool
    """It has a timing model of its own; without one, instructions cost what a reference says."""


ARM = Convention(
    name="arm",
    registers={f"r{number}": number for number in range(15)} | {"sp": 13, "lr": 14},
    shown="r0 to r14, sp or lr",
    modes={
        "user": 0x10,
        "fiq": 0x11,
        "irq": 0x12,
        "supervisor": 0x13,
        "abort": 0x17,
        "undefined": 0x1B,
        "system": 0x1F,
    },
    own_timing=True,
)
POWERPC = Convention(
    name="powerpc",
    registers={f"r{number}": number for number in range(32)} | {"sp": 1, "lr": 32, "ctr": 33},
    shown="r0 to r31, sp, lr or ctr",
    modes={"supervisor": 0, "user": 1},
    own_timing=False,
)
TOY = Convention(
    name="toy",
    registers={f"r{number}": number for number in range(16)} | {"lr": 14, "sp": 15},
    shown="r0 to r15, lr or sp",
    modes={"supervisor": 0},
    own_timing=False,
)
CONVENTIONS = {"EM_ARM": ARM, "EM_PPC": POWERPC, str(0xF0F0): TOY}


def convention(image: Image) -> Convention:
    """That of an image; fails where its architecture is not analysed."""
    if found := CONVENTIONS.get(image.machine):
        return found
    known = " and ".join(name.removeprefix("EM_") for name in CONVENTIONS if name.startswith("EM_"))
    raise CharacterizeError(
        f"{image.path}: is for {image.machine.removeprefix('EM_')}; static bounds are for {known}: "
        "give an image for one of these"
    )
