"""Translated PowerPC code side by side with QEMU: the same images, alone with their memory.

User time of the host is compared, so that other work on it counts for little. QEMU's machine 40p needs
least: its ROM jumps to the program, and the result's low byte on the serial port says that it is done.
With PAGED, addresses are translated, by blocks to themselves.
"""

import math
import os
import re
import subprocess
from pathlib import Path

from images import BUILD, PROGRAMS, ROOT, SOURCES
from rows import Row, merge, show

FLOOR = 0.8
ROUNDS = 3
SKIPPED = ("kernel", "records")  # A system; structures that the compiler copies by calls of a library.
COMPILER = [
    *("powerpc-linux-gnu-gcc", "-mcpu=750", "-O2", "-ffreestanding", "-fno-pic", "-no-pie", "-mno-sdata"),
    *(
        "-msoft-float",
        "-fno-stack-protector",
        "-nostdlib",
        "-static",
        "-Wl,--build-id=none,--no-warn-rwx-segments",
    ),
]
QEMU = [
    *("qemu-system-ppc", "-M", "40p", "-cpu", "7400", "-m", "64", "-nodefaults", "-display", "none"),
    *("-monitor", "none", "-chardev", "stdio,id=port"),
    *("-device", "isa-serial,chardev=port,iobase=0x3f8,irq=4,index=0"),
]


def build(name: str, rounds: int, paged: bool) -> Path:
    """Compiles a program."""
    target = BUILD / f"{name}-powerpc{'-paged' * paged}-{rounds}.elf"
    target.parent.mkdir(parents=True, exist_ok=True)
    flags = [f"-DROUNDS={rounds}", *(["-DPAGED"] * paged), "-T", str(SOURCES / "memory-powerpc.ld")]
    sources = [SOURCES / "start-powerpc.S", SOURCES / f"{name}.c"]
    subprocess.run([*COMPILER, *flags, "-o", target, *sources], check=True)
    return target


def user_seconds(command: list[str | Path], enough: int = -1) -> tuple[float, bytes]:
    """The user time of a command, which is ended after `enough` bytes of output, and its output."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        output = process.stdout.read(enough) if process.stdout else b""
        if enough >= 0:
            process.kill()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if enough < 0 and process.returncode != 0:
        raise SystemExit(f"{command}: exit status {process.returncode}")
    return usage.ru_utime, output


def bench() -> Path:
    """Builds the bench of the translator."""
    command = ["cargo", "bench", "-p", "socscope-jit", "--bench", "powerpc", "--locked", "--no-run"]
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stderr
    found = re.search(r"Executable .* \((.*)\)", said)
    if not found:
        raise SystemExit(f"no executable: {said}")
    return ROOT / found[1]


def measured(runner: Path, image: Path) -> tuple[float, float]:
    """Millions of instructions a second of the translator and of QEMU, which must come to the same result."""
    ours = [user_seconds([runner, image]) for _ in range(ROUNDS)]
    theirs = [user_seconds([*QEMU, "-bios", image], 1) for _ in range(ROUNDS)]
    said = ours[0][1].decode()
    found = re.search(r"([\d.]+) M instructions .* result (\w\w)", said)
    if not found or found[2] != theirs[0][1].hex():
        raise SystemExit(f"{image}: {said}; QEMU says {theirs[0][1].hex()}")
    millions = float(found[1])
    return millions / min(ours)[0], millions / min(theirs)[0]


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    runner = bench()
    rows, ratios = [], []
    for program in PROGRAMS:
        if program.name in SKIPPED:
            continue
        for paged in (False, True):
            ours, theirs = measured(runner, build(program.name, program.rounds, paged))
            ratios.append(ours / theirs)
            name = f"PowerPC, {program.name}{', translated addresses' * paged}"
            rows.append(Row(f"{name}: Socscope", ours, "MIPS"))
            rows.append(Row(f"{name}: QEMU", theirs, "MIPS"))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    rows.append(Row("PowerPC, Socscope by QEMU, geometric mean", mean, "", FLOOR))
    show(rows, "Translated PowerPC beside QEMU")
    merge(rows, "powerpc", ratios)


if __name__ == "__main__":
    main()
