"""Compiles small programs for the PowerPC and follows calls of their functions, an instruction at a time."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from socscope.characterize.static import Reference, Region
from socscope.image import Image
from socscope.simulation import Simulation

PROGRAMS = Path(__file__).parents[1] / "static_programs"
COMPILER = "powerpc-linux-gnu-gcc"
PLATFORM, CORE = "mpc8641d", 0
NOTHING = ((0, 0, 0),) * 3
INSTRUCTIONS_MAX = 200_000


def reference(cycles: int = 1, instructions: int = 1) -> Reference:
    """Instructions cost the same everywhere."""
    return Reference("fixed", (Region("all", 0, 0xFFFFFFFF, (NOTHING, NOTHING)),), (cycles, instructions))


@cache
def compiled(*options: str, source: str = "programs.c") -> Image:
    """The programs with these options."""
    assert shutil.which(COMPILER), f"{COMPILER} is missing: run make packages"
    output = Path(mkdtemp()) / "programs.elf"
    common = [
        *("-mcpu=750", "-static", "-fno-pic", "-no-pie", "-nostdlib", "-nostartfiles", "-g", "-std=gnu11"),
        # What an unrolled loop leaves over by a mask is not known to the analysis.
        *("-ffreestanding", "-fno-tree-loop-distribute-patterns", "-fno-unroll-loops"),
    ]
    sections = [
        *(
            "-Wl,--build-id=none",
            "-Wl,-z,noexecstack",
            "-Wl,--section-start=.vectors=0xc00",
            "-Wl,-Ttext=0x10000",
        ),
        "-Wl,-Tdata=0x40000",
    ]
    sources = [str(PROGRAMS / name) for name in ("start-powerpc.S", "single-powerpc.S", "memory.c", source)]
    command = [COMPILER, *common, *options, *sections, *sources, "-lgcc", "-o", str(output)]
    subprocess.run(command, check=True)
    return Image.read(output)


def _variables(image: Image) -> Iterator[tuple[int, bytes]]:
    """What stands in memory that a program writes, before it does."""
    for section in ELFFile(BytesIO(image.data)).iter_sections():
        if section["sh_flags"] & SH_FLAGS.SHF_WRITE and section["sh_size"]:
            zero = section["sh_type"] == "SHT_NOBITS"
            yield section["sh_addr"], bytes(section["sh_size"]) if zero else section.data()


class Bench:
    """A machine in which functions are called."""

    def __init__(self, image: Image, cycles: int = 1, instructions: int = 1) -> None:
        self.image = image
        cpi = f"/cpus/PowerPC,8641@{CORE}:socscope,cpi={cycles} {instructions}"
        self.machine = Simulation(PLATFORM, image, overrides=[cpi]).machine

    def call(
        self, name: str, arguments: Sequence[int] = (), memory: Sequence[tuple[int, bytes]] = ()
    ) -> tuple[int, set[tuple[int, int]], int]:
        """Cycles of a call, from the function's first instruction on, its transitions, and its result."""
        entry, back = self.image.address_of(name), self.image.address_of("back")
        words = [entry, *(value & 0xFFFFFFFF for value in arguments)]
        content = b"".join(word.to_bytes(4, "big") for word in words)
        given = [(self.image.address_of("wanted"), content), *memory]
        for address, data in [*_variables(self.image), *given]:
            self.machine.poke(address, data)
        self.machine.run(until_address=entry)
        begin, at = self.machine.moment[0], entry
        transitions: set[tuple[int, int]] = set()
        while at != back:
            assert len(transitions) < INSTRUCTIONS_MAX
            self.machine.step()
            following = self.machine.registers(CORE)["pc"]
            if following != back:
                transitions.add((at, following))
            at = following
        return self.machine.moment[0] - begin, transitions, self.machine.registers(CORE)["r3"]
