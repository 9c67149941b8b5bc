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
# Far more than any command needs, and little for a host whose guest is caught in a loop.
COMMAND_WITHIN = "5s"
MESSAGES_SHOWN = 3
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
    return simulation.console(prompt=PROMPT, within=COMMAND_WITHIN)


def boot(simulation: Simulation) -> None:
    """Runs to the shell's first prompt."""
    console(simulation).expect(re.compile(f"^{PROMPT}", re.MULTILINE), within=BOOT_WITHIN)


def command(script: Console, line: str, within: str | None = None) -> str:
    """Gives a command, which must succeed."""
    said = script.run(f"{line}; echo status $?", within)
    ended = re.search(r"status (\d+)\s*$", said)
    if ended is None:
        raise StudyError(f"the guest's {line!r} took the shell with it:\n{said.strip()}")
    printed = said[: ended.start()]
    if ended[1] != "0":
        raise StudyError(f"the guest's {line!r} ended with status {ended[1]}:\n{printed.strip()}")
    return printed.rstrip("\n")


def load(script: Console, module: str, base: int) -> None:
    """Loads the driver for the engine at an address."""
    try:
        command(script, f"insmod {module} base={base:#x}")
    except StudyError as error:
        last = script.run(f"dmesg | tail -n {MESSAGES_SHOWN}")
        raise StudyError(f"{error}\nThe kernel's last messages:\n{last}") from None


def run_within(parameters: Rule30Parameters) -> str:
    """The longest that a run may take: ten times and more of what the slowest design does with each line."""
    slower = 1 if parameters.caches == "none" else 10
    line_ns = slower * (200_000 + 1000 * parameters.length_bits) + 2 * parameters.latency_ns
    return f"{5_000_000 + parameters.packets * parameters.lines * line_ns // 1000}us"


def compute(script: Console, folder: str, parameters: Rule30Parameters) -> dict[str, Value]:
    """Runs the program, and gives what it found; its result must be that of the host's."""
    arguments = [parameters.mode, parameters.length_bits, parameters.packets, parameters.lines]
    line = " ".join(map(str, arguments))
    try:
        said = command(script, f"{folder}/{PROGRAM} {line}", run_within(parameters))
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
