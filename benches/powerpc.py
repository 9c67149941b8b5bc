"""Translated PowerPC code side by side with QEMU: the same images, alone with their memory.

User time of the host is compared, so that other work on it counts for little. QEMU's machine 40p needs
least: its ROM jumps to the program, and the result's low byte on the serial port says that it is done.
Each program runs three times: with addresses as they are, and translated to themselves by block registers and
by a page table; once more while instructions, cycles and accesses are counted, as a profile does; and behind
the caches of a chip, also in QEMU with a plug-in that models them. Both must miss as often. The whole
simulator runs them with the full profile. A small system of two programs, which makes system calls, changes
the task and takes page faults, stands for kernels: no machine of QEMU runs that of the accelerator's study.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from images import BUILD, FOLDER, PROGRAMS, ROOT, SOURCES, Program, plugin
from rows import Row, merge, show

# Of plain QEMU's speed: calculations with the MMU on, and with the full profile; system calls, as they
# are, with the profile, with caches.
FLOOR = 1.2
PROFILE_FLOOR = 0.8
SYSTEM_FLOOR = 1.0
SYSTEM_PROFILE_FLOOR = 0.6
SYSTEM_CACHED_FLOOR = 0.1
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
PAGES = ", addresses by pages"
TRANSLATIONS = {"": [], ", addresses by blocks": ["-DBLOCKS"], PAGES: ["-DPAGES"]}
SYSTEM = Program("calls", 1_400_000, "two programs: system calls, changes of the task, page faults")
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
    sources = [SOURCES / "start-powerpc.S", SOURCES / f"{name}.c", *SOURCES.glob(f"{name}-powerpc.S")]
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


def measured(runner: Path, image: Path, times: int) -> tuple[float, float, float]:
    """Millions of instructions a second of the translator and of QEMU; and how many millions there were."""
    ours = [user_seconds([runner, image]) for _ in range(times)]
    theirs = [user_seconds([*QEMU, "-bios", image], 1) for _ in range(times)]
    said = ours[0][1].decode()
    found = re.search(r"([\d.]+) M instructions .* result (\w\w)", said)
    if not found or found[2] != theirs[0][1].hex():
        raise SystemExit(f"{image}: {said}; QEMU says {theirs[0][1].hex()}")
    millions = float(found[1])
    return millions / min(ours)[0], millions / min(theirs)[0], millions


def counted(runner: Path, image: Path, times: int) -> float:
    """Millions of instructions a second of the translator while it counts."""
    ours = [user_seconds([runner, "counted", image]) for _ in range(times)]
    found = re.search(r"([\d.]+) M instructions", ours[0][1].decode())
    if not found:
        raise SystemExit(f"{image}: {ours[0][1].decode()}")
    return float(found[1]) / min(ours)[0]


def profiled(image: Path, times: int) -> float:
    """Millions of instructions a second of the whole simulator with the full profile."""
    command: list[str | Path] = [sys.executable, FOLDER / "powerpc_child.py", image, "--profile"]
    said = [json.loads(user_seconds(command)[1]) for _ in range(times)]
    return max(float(one["instructions"] / one["seconds"] / 1e6) for one in said)


def cached(runner: Path, image: Path, times: int) -> tuple[float, list[int]]:
    """Millions of instructions a second of the translator behind caches; misses of fetches, reads, writes."""
    ours = [user_seconds([runner, "cached", image]) for _ in range(times)]
    said = ours[0][1].decode()
    found = re.search(r"([\d.]+) M instructions", said)
    misses = [int(count) for count in re.findall(r"(?:read|write)_misses: (\d+)", said)]
    if not found or len(misses) != 4:
        raise SystemExit(f"{image}: {said}")
    return float(found[1]) / min(ours)[0], [misses[0], *misses[2:]]


def modelled(image: Path, misses: list[int], millions: float, times: int) -> float:
    """Millions of instructions a second of QEMU with a plug-in that models caches; it must miss as often."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts.json"
        modelling = ["-plugin", f"{plugin('caches')},out={out}"]
        theirs = [user_seconds([*QEMU, *modelling, "-bios", image], 1) for _ in range(times)]
        counts = json.loads(out.read_text())
    differences = [counts["fetch_misses"] - misses[0], counts["misses"] - misses[1] - misses[2]]
    if any(abs(difference) > OTHER_MISSES for difference in differences):
        raise SystemExit(f"{image}: misses differ: {misses}; QEMU says {counts}")
    return millions / min(theirs)[0]


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


class Measuring:
    """Speeds in millions of instructions a second, by what was run and how, and their rows."""

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick
        self.times = 1 if quick else ROUNDS
        self.runner = bench()
        self.rows: list[Row] = []
        self.speeds: dict[str, float] = {}

    def say(self, what: str, value: float) -> None:
        """A speed."""
        self.speeds[what] = value
        self.rows.append(Row(f"PowerPC, {what}", value, "MIPS"))

    def judge(self, what: str, pairs: Iterable[tuple[str, str]], floor: float) -> None:
        """The geometric mean of speeds by others, and what it must be."""
        ratio = mean(self.speeds[one] / self.speeds[other] for one, other in pairs)
        self.rows.append(Row(f"PowerPC, {what}, geometric mean", ratio, "", floor))

    def run(self, program: Program, how: str, *, plug_in: bool = True) -> None:
        """All runs of a program whose addresses are translated so."""
        name = f"{program.name}{how}"
        image = build(program.name, program.rounds // (QUICKER if self.quick else 1), TRANSLATIONS[how])
        ours, theirs, millions = measured(self.runner, image, self.times)
        self.say(f"{name}: Socscope", ours)
        self.say(f"{name}: QEMU", theirs)
        if how == PAGES:
            self.say(f"{name}, full profile: Socscope", profiled(image, self.times))
        if not how or not plug_in:
            self.say(f"{name}, counted: Socscope", counted(self.runner, image, self.times))
            speed, misses = cached(self.runner, image, self.times)
            self.say(f"{name}, caches: Socscope", speed)
        if not how and plug_in:
            self.say(f"{name}, caches: QEMU with plug-in", modelled(image, misses, millions, self.times))


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICKER} times less work, to see that it works"
    )
    quick = parser.parse_args().quick
    measuring = Measuring(quick=quick)
    names = [program.name for program in PROGRAMS if program.name not in SKIPPED]
    for program in PROGRAMS:
        if program.name in names:
            for how in TRANSLATIONS:
                measuring.run(program, how)
    measuring.run(SYSTEM, PAGES, plug_in=False)

    def pairs(one: str, other: str, ways: Iterable[str] = ("",)) -> list[tuple[str, str]]:
        return [(f"{name}{how}{one}", f"{name}{how}{other}") for name in names for how in ways]

    ours, theirs, modelling = ": Socscope", ": QEMU", ": QEMU with plug-in"
    translated = [how for how in TRANSLATIONS if how]
    judge = measuring.judge
    judge("calculations with the MMU on, over plain QEMU", pairs(ours, theirs, translated), FLOOR)
    full = f", full profile{ours}"
    judge("calculations, full profile, over plain QEMU", pairs(full, theirs, [PAGES]), PROFILE_FLOOR)
    for how in translated:
        without = [(f"{name}{how}{ours}", f"{name}{ours}") for name in names]
        judge(f"calculations{how}, by the speed without", without, MMU_FLOOR)
    judge("calculations, counted, by the speed without", pairs(f", counted{ours}", ours), COUNTED_FLOOR)
    caches = f", caches{ours}"
    judge("calculations, caches, over plain QEMU", pairs(caches, theirs), CACHED_FLOOR)
    judge("calculations, caches, over QEMU with plug-in", pairs(caches, f", caches{modelling}"), PLUGIN_FLOOR)
    system = f"{SYSTEM.name}{PAGES}"
    judge("system calls, over plain QEMU", [(system + ours, system + theirs)], SYSTEM_FLOOR)
    judge(
        "system calls, full profile, over plain QEMU",
        [(system + full, system + theirs)],
        SYSTEM_PROFILE_FLOOR,
    )
    judge("system calls, caches, over plain QEMU", [(system + caches, system + theirs)], SYSTEM_CACHED_FLOOR)
    show(measuring.rows, "Translated PowerPC beside QEMU")
    merge(measuring.rows, "powerpc", measuring.speeds, kind="bench-quick" if quick else "bench")


if __name__ == "__main__":
    main()
