"""A machine of a PowerPC and an ARM beside each of its cores alone.

Each core calculates for the same simulated time. What is compared: the processor time of the host that the
machine needs, with and without the full profile, and what its cores need alone without a profile, added up.
The quantum of the cores' turns decides much: that of `mixed-soc` has the floor, longer ones stand beside it.
Ratios are medians of rounds. Rows go to build/bench.json.
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from images import SOURCES
from rows import CONSOLE, Row, merge, show
from socscope.simulation import Simulation

FLOOR = 0.8
# Cycles of the PowerPC, at 100 MHz; the first one is that of mixed-soc.
QUANTA = (100, 1000, 10_000)
PROGRAMS = ("crc32", "md5", "sort")
TREE = """/dts-v1/;
/ {{
    #address-cells = <1>;
    #size-cells = <1>;
    fast: fast {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <100000000>; }};
    slow: slow {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <50000000>; }};
    cpus {{
        #address-cells = <1>;
        #size-cells = <0>;
        socscope,quantum-cycles = <{quantum}>;
{cores}
    }};
    memory@0 {{ device_type = "memory"; reg = <0 0x400000>; }};
}};
"""
CORES = {
    "powerpc": 'PowerPC,755@{number} {{ device_type = "cpu"; reg = <{number}>; clocks = <&fast>; }};',
    "arm": 'cpu@{number} {{ device_type = "cpu"; compatible = "arm,arm920t"; '
    'reg = <{number}>; clocks = <&slow>; socscope,timing = "fixed-cpi"; socscope,cpi = <3 2>; }};',
}
# Compiler, address of the image, what sets the stack pointer.
COMPILERS = {
    "powerpc": (["powerpc-linux-gnu-gcc", "-mcpu=750"], 0x1000, "lis 1, 0x10"),
    "arm": (["arm-none-eabi-gcc", "-mcpu=arm920t"], 0x200000, "mov sp, #0x300000"),
}


def build(name: str, core: str, folder: Path) -> Path:
    """An image that calculates for ever."""
    command, address, stack = COMPILERS[core]
    start = folder / f"{core}.S"
    note = '.section .note.GNU-stack, "", %progbits'
    start.write_text(f"    .globl start\nstart: {stack}\n    bl main\nend: b end\n    {note}\n")
    image = folder / f"{name}-{core}.elf"
    flags = [
        "-O2",
        "-g",
        "-ffreestanding",
        "-fno-stack-protector",
        "-nostdlib",
        "-static",
        "-DROUNDS=2000000000",
    ]
    linking = [f"-Wl,-Ttext={address:#x},-e,start,-N,--build-id=none", "-o", str(image)]
    # Not shown: the linkers warn of stacks that may be executed.
    compiled: list[str | Path] = [*command, *flags, start, SOURCES / f"{name}.c", "-lgcc", *linking]
    subprocess.run(compiled, check=True, capture_output=True)
    return image


def board(cores: tuple[str, ...], folder: Path, quantum: int) -> Path:
    """A platform with these cores."""
    path = folder / f"{'-'.join(cores)}.dts"
    nodes = [CORES[core].format(number=number) for number, core in enumerate(cores)]
    path.write_text(TREE.format(cores="\n".join(nodes), quantum=quantum))
    return path


def seconds(
    name: str,
    cores: tuple[str, ...],
    duration: str,
    folder: Path,
    *,
    quantum: int = QUANTA[0],
    profile: bool = False,
) -> float:
    """Processor seconds of the host for a simulated time."""
    first, *others = (build(name, core, folder) for core in cores)
    images = dict(enumerate(others, 1))
    simulation = Simulation(str(board(cores, folder, quantum)), first, images=images)
    if profile:
        simulation.enable_profile("all")
    simulation.run("50ms")
    begin = time.process_time()
    simulation.run(duration)
    return time.process_time() - begin


def main() -> None:
    """Measures, prints and keeps the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of a tenth of the time")
    options = parser.parse_args()
    duration, rounds = ("200ms", 1) if options.quick else ("2s", 3)
    cases = [(quantum, profile) for quantum in QUANTA for profile in (False, True)]
    found: dict[str, list[float]] = {}
    rows = []
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for quantum, profile in cases:
            what = f"quantum {quantum}, {'full profile' if profile else 'no probes'}"
            ratios = found.setdefault(what, [])
            for name in PROGRAMS * rounds:
                alone = sum(seconds(name, (core,), duration, folder) for core in CORES)
                both = seconds(name, tuple(CORES), duration, folder, quantum=quantum, profile=profile)
                ratios.append(alone / both)
                CONSOLE.print(f"  {name}, {what}: {ratios[-1]:.2f} ({both:.2f} s, alone {alone:.2f} s)")
            floor = FLOOR if quantum == QUANTA[0] else None
            rows.append(
                Row(f"mixed machine, {what}, over its cores alone", statistics.median(ratios), "", floor)
            )
    show(rows, "A PowerPC and an ARM in one machine")
    merge(rows, "mixed", found, kind="bench-quick" if options.quick else "bench")


if __name__ == "__main__":
    main()
