"""Compiles small programs and times calls of their functions on simulated platforms."""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from socscope.characterize.dynamic.trace import Trace
from socscope.characterize.static import Reference, Region
from socscope.image import Image
from socscope.simulation import Simulation

PROGRAMS = Path(__file__).parents[1] / "static_programs"
COMPILER = "arm-none-eabi-gcc"
TIME_MAX_PS = 10**12


@cache
def compiled(*options: str, source: str = "programs.c") -> Image:
    """The programs with these options, linked into on-chip and external memory."""
    assert shutil.which(COMPILER), f"{COMPILER} is missing: run make packages"
    output = Path(mkdtemp()) / "programs.elf"
    common = [
        "-mcpu=arm7tdmi",
        "-mthumb-interwork",
        "-nostdlib",
        "-nostartfiles",
        "-g",
        "-std=gnu11",
        "-ffreestanding",
        "-fno-tree-loop-distribute-patterns",
    ]
    sections = ["-Ttext=0x01000000", "-Tdata=0x02000000", "-Wl,--build-id=none"]
    sources = [str(PROGRAMS / name) for name in ("start.S", "single.S", source)]
    libraries = ["-lc", "-lgcc", "-o", str(output)]
    subprocess.run([COMPILER, *common, *options, *sections, *sources, *libraries], check=True)
    return Image.read(output)


class Bench:
    """A machine in which functions are called."""

    def __init__(self, image: Image, platform: str) -> None:
        self.image = image
        self.simulation = Simulation(platform, image)
        self.machine = self.simulation.machine
        self._start = image.address_of("call")
        self._back = image.address_of("back")
        self.reference = reference(self.simulation)

    def call(
        self, name: str, arguments: Sequence[int] = (), memory: Sequence[tuple[int, bytes]] = ()
    ) -> tuple[int, set[tuple[int, int]], int]:
        """Cycles of a call, from the function's first instruction on, its transitions, and its result.

        `memory` is written before: addresses and bytes.
        """
        entry = self.image.address_of(name)
        function = self.image.function_at(entry)
        assert function is not None
        self.machine.load_elf(self.image.data, "programs.elf")
        self.machine.run(until_address=self._start)
        for address, content in memory:
            self.machine.poke(address, content)
        for number, value in enumerate(arguments):
            self.machine.set_register(number, value & 0xFFFFFFFF)
        self.machine.set_register(12, entry | function.thumb)
        self.machine.run(until_address=entry)
        begin = self.machine.moment[0]
        _, _, tables = self.machine.trace([], until_ps=TIME_MAX_PS, until_address=self._back)
        trace = Trace.unpack(tables, 0)
        counted = trace.rows.address >= 0
        result = self.machine.registers()["r0"]
        return self.machine.moment[0] - begin, trace.transitions(counted), result


def reference(simulation: Simulation) -> Reference:
    """The costs of a machine's memories."""
    kinds = {row["name"]: row["kind"] for row in simulation.machine.regions()}
    regions = []
    for row in simulation.machine.access_costs():
        read, write = (
            tuple(tuple(row[f"{way}_{one}{width}"] for one in "nsa") for width in (8, 16, 32))
            for way in ("read", "write")
        )
        regions.append(
            Region(
                name=row["name"],
                start=row["start"],
                size=row["size"],
                cycles=(read, write),
                float_cycles=row["float"],
                external=row["external"],
                early_read=row["early_read"],
                kind=kinds[row["name"]],
            )
        )
    return Reference(simulation.platform.name, tuple(regions))
