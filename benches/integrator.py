"""Linux on the Integrator/CP beside plain qemu-system of the same images, by core module.

What is compared: the boot, calculations, system calls, and programs that are started. Both sides run the same
commands in one run, in turns; ratios are medians of rounds, by processor time of the host (user and system),
which other work on the host hardly changes. The first rounds include what each engine has to translate.
Rows go to build/bench.json.
"""

import argparse
import os
import statistics
import subprocess
import time
from pathlib import Path
from typing import Protocol

from rows import CONSOLE, Row, merge, show
from socscope.simulation import Simulation

GUESTS = Path(__file__).parents[1] / "build/guests"
INITRAMFS = GUESTS / "initramfs-arm/initramfs.cpio"
BOOT_S, PROFILED_BOOT_S = 5.0, 8.0
NO_PROBES, PROFILE = 1.0, 0.8
COMMAND_S = 300

# Core, what QEMU calls it, kernel.
MODULES = {
    "ARM926": ("arm,arm926ej-s", "arm926", "linux-integrator-v5"),
    "ARM1176": ("arm,arm1176jz-s", "arm1176", "linux-integrator-v6"),
}
COMMANDS = {
    "calculations": "dd if=/dev/zero bs=64k count={count} 2>/dev/null | md5sum",
    "system calls": "dd if=/dev/zero of=/dev/null bs=1 count={count}000 2>/dev/null",
    "programs started": "i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done",
}


class Guest(Protocol):
    """A booted system."""

    def run(self, command: str) -> float:
        """Processor seconds of the host that a command takes."""
        ...


class Ours:
    """Socscope, with the full profile or without."""

    def __init__(self, compatible: str, kernel: str, *, profile: bool = False) -> None:
        override = f"/cpus/cpu@0:compatible={compatible}"
        image = GUESTS / kernel / "vmlinux"
        begin = time.process_time()
        self.simulation = Simulation("integrator-cp", image, initrd=INITRAMFS, overrides=[override])
        if profile:
            self.simulation.enable_profile("all")
        self.console = self.simulation.console(prompt="# ")
        self.console.expect("socscope-ready", within="60s")
        self.console.expect("# ", within="10s")
        self.boot_s = time.process_time() - begin

    def run(self, command: str) -> float:
        """Processor seconds of the host that a command takes."""
        begin = time.process_time()
        self.console.run(command, within=f"{COMMAND_S}s")
        return time.process_time() - begin


class Qemu:
    """qemu-system-arm without probes."""

    def __init__(self, core: str, kernel: str) -> None:
        folder = GUESTS / kernel
        self.process = subprocess.Popen(
            [
                *("qemu-system-arm", "-M", "integratorcp", "-cpu", core, "-m", "128", "-display", "none"),
                *("-monitor", "none", "-serial", "stdio", "-kernel", str(folder / "zImage")),
                *("-dtb", str(folder / "integratorcp.dtb"), "-initrd", str(INITRAMFS)),
                *("-append", "console=ttyAMA0,38400"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.read_until(b"socscope-ready")
        self.read_until(b"# ")
        self.boot_s = self.processor_s()

    def processor_s(self) -> float:
        """Processor seconds that it has used."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        # Fields 14 and 15 of proc(5); the name before them may hold anything.
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def read_until(self, wanted: bytes) -> None:
        """Reads the console up to a text."""
        read = b""
        while not read.endswith(wanted):
            assert self.process.stdout is not None
            byte = self.process.stdout.read(1)
            if not byte:
                message = f"qemu-system-arm ended before it printed {wanted!r}"
                raise RuntimeError(message)
            read += byte

    def run(self, command: str) -> float:
        """Processor seconds of the host that a command takes."""
        assert self.process.stdin is not None
        begin = self.processor_s()
        self.process.stdin.write(command.encode() + b"\r")
        self.read_until(b"\n# ")
        return max(self.processor_s() - begin, 0.01)

    def end(self) -> None:
        """Ends it."""
        self.process.kill()
        self.process.wait()


def ratio(
    name: str, ours: Guest, theirs: Guest, commands: dict[str, str], rounds: int
) -> dict[str, list[float]]:
    """QEMU's processor time over ours, of each command in each round."""
    found: dict[str, list[float]] = {kind: [] for kind in commands}
    for number in range(rounds):
        for kind, command in commands.items():
            order = [theirs, ours] if number % 2 else [ours, theirs]
            seconds = {id(guest): guest.run(command) for guest in order}
            mine, other = seconds[id(ours)], seconds[id(theirs)]
            found[kind].append(other / mine)
            CONSOLE.print(f"  {name}, {kind}: {other / mine:.2f} ({mine:.2f} s, QEMU {other:.2f} s)")
    return found


def measured(module: str, count: int, rounds: int) -> tuple[list[Row], dict[str, object]]:
    """Rows of one core module."""
    compatible, core, kernel = MODULES[module]
    commands = {kind: command.format(count=count) for kind, command in COMMANDS.items()}
    rows: list[Row] = []
    raw: dict[str, object] = {}
    theirs = Qemu(core, kernel)
    try:
        for what, profile, boot_s, floor in (
            ("no probes", False, BOOT_S, NO_PROBES),
            ("full profile", True, PROFILED_BOOT_S, PROFILE),
        ):
            ours = Ours(compatible, kernel, profile=profile)
            rows.append(
                Row(f"{module}: boot of Linux to the prompt, {what}", ours.boot_s, "s", boot_s, "at most")
            )
            found = ratio(f"{module}, {what}", ours, theirs, commands, rounds)
            raw[what] = {"boot_s": ours.boot_s, **found}
            for kind, ratios in found.items():
                wanted = floor if kind == "calculations" else None
                rows.append(
                    Row(f"{module}: {kind}, {what}, over plain QEMU", statistics.median(ratios), "", wanted)
                )
        raw["qemu_boot_s"] = theirs.boot_s
    finally:
        theirs.end()
    return rows, raw


def main() -> None:
    """Measures, prints and keeps the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of a tenth of the work")
    parser.add_argument("--module", choices=MODULES, action="append", help="only this core module")
    options = parser.parse_args()
    count, rounds = (40, 1) if options.quick else (400, 3)
    rows, raw = [], {}
    for module in options.module or MODULES:
        more, raw[module] = measured(module, count, rounds)
        rows += more
    show(rows, "Linux on the Integrator/CP beside QEMU")
    merge(rows, "integrator", raw, kind="bench-quick" if options.quick else "bench")


if __name__ == "__main__":
    main()
