"""The machine of the study: Linux at its prompt, an engine that is added to it, the program that is run."""

import re
import subprocess
from functools import cache, lru_cache
from pathlib import Path

from socscope.console import Console
from socscope.errors import ConsoleError, StudyError
from socscope.simulation import Simulation
from socscope.study import guest
from socscope.study.rule30.parameters import Rule30Parameters
from socscope.study.space import Value

PLATFORM = "mpc8641d"
# A quick line: while it boots, the kernel waits for every character.
COMMAND_LINE = "console=ttyS0,4000000"
PROMPT = "# "
BOOT_WITHIN = "60s"
# A run is some minutes of simulated time at most: the slowest computes 99000 long lines byte by byte.
RUN_WITHIN = "3600s"
MODULE, PROGRAM, HOST_PROGRAM = "rule30.ko", "rule30", "rule30-host"


@cache
def kernel() -> Path:
    """The kernel."""
    return guest.build("linux") / "vmlinux"


@cache
def initial_files() -> Path:
    """The files that the kernel starts with."""
    return guest.build("initramfs") / "initramfs.cpio"


@cache
def programs() -> Path:
    """The folder that the guest sees: driver and program."""
    return guest.build("rule30")


def console(simulation: Simulation) -> Console:
    """The console of the guest's shell."""
    return simulation.console(prompt=PROMPT)


def boot(simulation: Simulation) -> None:
    """Runs to the shell's first prompt."""
    console(simulation).expect(re.compile(f"^{PROMPT}", re.MULTILINE), within=BOOT_WITHIN)


def command(script: Console, line: str, within: str | None = None) -> str:
    """Gives a command, which must succeed."""
    said = script.run(f"{line}; echo status $?", within)
    printed, _, status = said.rpartition("status ")
    if status.strip() != "0":
        raise StudyError(f"the guest's {line!r} ended with status {status.strip()}:\n{printed.strip()}")
    return printed.rstrip("\n")


def compute(script: Console, folder: str, parameters: Rule30Parameters) -> dict[str, Value]:
    """Runs the program, and gives what it found; its result must be that of the host's."""
    arguments = [parameters.mode, parameters.length_bits, parameters.packets, parameters.lines]
    line = " ".join(map(str, arguments))
    try:
        said = command(script, f"{folder}/{PROGRAM} {line}", RUN_WITHIN)
    except ConsoleError as error:
        raise StudyError(f"the guest's program {line}: {error}") from None
    found = results(said)
    expected = reference(parameters.length_bits, parameters.packets, parameters.lines)
    if found["checksum"] != expected:
        raise StudyError(f"the guest's program {line} computed {found['checksum']}, the host {expected}")
    return found


def results(said: str) -> dict[str, Value]:
    """The numbers that the program prints."""
    checksum = re.search(r"^checksum: (\w+)$", said, re.MULTILINE)
    checked = re.search(r"^checked: (\d+) lines$", said, re.MULTILINE)
    total = re.search(r"^total_ns: (\d+) user (\d+) system (\d+)", said, re.MULTILINE)
    if not (checksum and checked and total and re.search(r"^ok$", said, re.MULTILINE)):
        raise StudyError(f"the guest's program did not end well:\n{said.strip()}")
    return {
        "checksum": checksum[1],
        "lines_checked": int(checked[1]),
        "guest_total_ns": int(total[1]),
        "user_ns": int(total[2]),
        "system_ns": int(total[3]),
    }


@lru_cache(maxsize=64)
def reference(length_bits: int, packets: int, lines: int) -> str:
    """The checksum that the same program gives on the host."""
    path = programs() / HOST_PROGRAM
    ran = subprocess.run(
        [path, "bit", str(length_bits), str(packets), str(lines)], capture_output=True, text=True, check=False
    )
    found = re.search(r"^checksum: (\w+)$", ran.stdout, re.MULTILINE)
    if ran.returncode or not found:
        raise StudyError(f"{path} does not run on this host: {ran.stderr.strip() or ran.stdout.strip()}")
    return found[1]
