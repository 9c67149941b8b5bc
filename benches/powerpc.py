"""Translated PowerPC code side by side with QEMU: the same images, alone with their memory.

User time of the host is compared, so that other work on it counts for little. QEMU's machine 40p needs
least: its ROM jumps to the program, and the result's low byte on the serial port says that it is done.
Each program runs three times: with addresses as they are, and translated to themselves by block registers and
by a page table; once more while instructions, cycles and accesses are counted, as a profile does; and behind
the caches of a chip, also in QEMU with a plug-in that models them. Both must miss as often.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from images import BUILD, PROGRAMS, ROOT, SOURCES, plugin
from rows import Row, merge, show

FLOOR = 0.8
# Of the speed without the MMU.
MMU_FLOOR = 0.7
# Of the speed without counting.
COUNTED_FLOOR = 0.6
# With caches: of plain QEMU's speed, and of QEMU's with a plug-in.
CACHED_FLOOR = 0.3
PLUGIN_FLOOR = 0.7
# Misses may differ by so many: before and behind the program other instructions run.
OTHER_MISSES = 8
ROUNDS = 3
QUICKER = 20
# How addresses are translated, in words and for the start of the programs.
TRANSLATIONS = {"": [], ", addresses by blocks": ["-DBLOCKS"], ", addresses by pages": ["-DPAGES"]}
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


def build(name: str, rounds: int, translation: list[str]) -> Path:
    """Compiles a program."""
    target = BUILD / f"{name}-powerpc{''.join(translation)}-{rounds}.elf"
    target.parent.mkdir(parents=True, exist_ok=True)
    flags = [f"-DROUNDS={rounds}", *translation, "-T", str(SOURCES / "memory-powerpc.ld")]
    sources = [SOURCES / "start-powerpc.S", SOURCES / f"{name}.c"]
    subprocess.run([*COMPILER, *flags, "-o", target, *sources], check=True)
    return target


def user_seconds(command: list[str | Path], enough: int = -1) -> tuple[float, bytes]:
    """The user time of a command, which is ended after `enough` bytes of output, and its output."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=pipe, stderr=nothing) as process:
        output = process.stdout.read(enough) if process.stdout else b""
        if enough >= 0:
            process.terminate()
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


def measured(runner: Path, image: Path, times: int) -> tuple[float, float]:
    """Millions of instructions a second of the translator and of QEMU, which must come to the same result."""
    ours = [user_seconds([runner, image]) for _ in range(times)]
    theirs = [user_seconds([*QEMU, "-bios", image], 1) for _ in range(times)]
    said = ours[0][1].decode()
    found = re.search(r"([\d.]+) M instructions .* result (\w\w)", said)
    if not found or found[2] != theirs[0][1].hex():
        raise SystemExit(f"{image}: {said}; QEMU says {theirs[0][1].hex()}")
    millions = float(found[1])
    return millions / min(ours)[0], millions / min(theirs)[0]


def counted(runner: Path, image: Path, times: int) -> float:
    """Millions of instructions a second of the translator while it counts."""
    ours = [user_seconds([runner, "counted", image]) for _ in range(times)]
    found = re.search(r"([\d.]+) M instructions", ours[0][1].decode())
    if not found:
        raise SystemExit(f"{image}: {ours[0][1].decode()}")
    return float(found[1]) / min(ours)[0]


def cached(runner: Path, image: Path, times: int) -> tuple[float, float]:
    """Millions of instructions a second behind caches, of the translator and of QEMU with the plug-in."""
    ours = [user_seconds([runner, "cached", image]) for _ in range(times)]
    said = ours[0][1].decode()
    found = re.search(r"([\d.]+) M instructions", said)
    misses = [int(count) for count in re.findall(r"(?:read|write)_misses: (\d+)", said)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts.json"
        modelling = ["-plugin", f"{plugin('caches')},out={out}"]
        theirs = [user_seconds([*QEMU, *modelling, "-bios", image], 1) for _ in range(times)]
        counts = json.loads(out.read_text())
    if not found or len(misses) != 4:
        raise SystemExit(f"{image}: {said}")
    differences = [counts["fetch_misses"] - misses[0], counts["misses"] - misses[2] - misses[3]]
    if any(abs(difference) > OTHER_MISSES for difference in differences):
        raise SystemExit(f"{image}: misses differ: {said}; QEMU says {counts}")
    millions = float(found[1])
    return millions / min(ours)[0], millions / min(theirs)[0]


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICKER} times less work, to see that it works"
    )
    quick = parser.parse_args().quick
    runner = bench()
    rows, speeds, counting, caching = [], {}, {}, {}
    programs = [program for program in PROGRAMS if program.name not in SKIPPED]
    for program in programs:
        for how, flags in TRANSLATIONS.items():
            image = build(program.name, program.rounds // (QUICKER if quick else 1), flags)
            times = 1 if quick else ROUNDS
            ours, theirs = measured(runner, image, times)
            if not how:
                counting[program.name] = counted(runner, image, times)
                caching[program.name] = cached(runner, image, times)
                rows += [
                    Row(f"PowerPC, {program.name}, counted: Socscope", counting[program.name], "MIPS"),
                    Row(f"PowerPC, {program.name}, caches: Socscope", caching[program.name][0], "MIPS"),
                    Row(f"PowerPC, {program.name}, caches: QEMU", caching[program.name][1], "MIPS"),
                ]
            speeds[program.name, how] = ours, theirs
            rows.append(Row(f"PowerPC, {program.name}{how}: Socscope", ours, "MIPS"))
            rows.append(Row(f"PowerPC, {program.name}{how}: QEMU", theirs, "MIPS"))
    ratio = mean(ours / theirs for ours, theirs in speeds.values())
    rows.append(Row("PowerPC, Socscope by QEMU, geometric mean", ratio, "", FLOOR))
    for how in list(TRANSLATIONS)[1:]:
        kept = mean(speeds[program.name, how][0] / speeds[program.name, ""][0] for program in programs)
        rows.append(Row(f"PowerPC{how}, by the speed without, geometric mean", kept, "", MMU_FLOOR))
    kept = mean(counting[program.name] / speeds[program.name, ""][0] for program in programs)
    rows.append(Row("PowerPC, counted, by the speed without, geometric mean", kept, "", COUNTED_FLOOR))
    by_qemu = mean(ours / speeds[name, ""][1] for name, (ours, _) in caching.items())
    rows.append(Row("PowerPC, caches, Socscope by plain QEMU, geometric mean", by_qemu, "", CACHED_FLOOR))
    by_plugin = mean(ours / theirs for ours, theirs in caching.values())
    rows.append(
        Row("PowerPC, caches, Socscope by QEMU with plug-in, geometric mean", by_plugin, "", PLUGIN_FLOOR)
    )
    show(rows, "Translated PowerPC beside QEMU")
    raw = {f"{name}{how}": speed for (name, how), speed in speeds.items()}
    raw |= {f"{name}, caches": speed for name, speed in caching.items()}
    merge(rows, "powerpc", raw, kind="bench-quick" if quick else "bench")


if __name__ == "__main__":
    main()
