"""An unmodified Linux on ARM's Integrator/CP, on each of its core modules."""

from pathlib import Path

import pytest
from socscope.console import Console
from socscope.errors import SocscopeError
from socscope.simulation import Simulation

GUESTS = Path(__file__).parents[2] / "build/guests"
INITRAMFS = GUESTS / "initramfs-arm/initramfs.cpio"

# Compatible, kernel, and what the kernel says of the core.
CORES = [
    ("arm,arm920t", "v5", "ARM920T"),
    ("arm,arm926ej-s", "v5", "ARM926EJ-S"),
    ("arm,arm1136j-s", "v6", "ARMv6-compatible processor"),
    ("arm,arm1176jz-s", "v6", "ARMv6-compatible processor"),
]


def booted(
    compatible: str, kernel: str, file: str = "vmlinux", *, watch: bool = False
) -> tuple[Simulation, Console]:
    """Linux at its prompt; its tasks watched from the first instruction on."""
    simulation = Simulation(
        "integrator-cp",
        GUESTS / f"linux-integrator-{kernel}" / file,
        initrd=INITRAMFS,
        overrides=[f"/cpus/cpu@0:compatible={compatible}"],
    )
    if watch:
        simulation.watch_tasks()
    console = simulation.console(prompt="# ")
    console.expect("socscope-ready", within="20s")
    console.expect("# ", within="5s")
    return simulation, console


@pytest.mark.parametrize(("compatible", "kernel", "name"), CORES)
def test_linux_boots_to_a_shell(compatible: str, kernel: str, name: str) -> None:
    simulation, console = booted(compatible, kernel)
    assert "Machine model: ARM Integrator/CP" in simulation.output().decode()
    assert name in console.run("cat /proc/cpuinfo")
    messages = console.run("dmesg")
    assert "SMC91C11xFD (rev 1)" in messages
    assert "registered as rtc0" in messages
    assert "24000000.flash: Found 2 x16 devices at 0x0 in 32-bit bank" in messages
    assert "PL181 manf 41 rev0" in messages
    # The clock's driver has started it; it came up at the beginning of 2024.
    assert 0 < int(console.run("devmem 0x15000000"), 16) - 1_704_067_200 < 60


@pytest.mark.parametrize("file", ["zImage", "Image"])
def test_kernels_that_are_no_elf_files_boot_as_well(file: str) -> None:
    _, console = booted("arm,arm926ej-s", "v5", file)
    assert "6.1." in console.run("uname -r")


def test_the_flash_keeps_what_linux_writes() -> None:
    _, console = booted("arm,arm926ej-s", "v5")
    console.run("echo exact >/tmp/text && cat /tmp/text >/dev/mtdblock0 && sync", within="60s")
    assert console.run("head -c 6 /dev/mtd0ro").strip() == "exact"
    assert console.run("hexdump -n 4 -s 6 /dev/mtd0ro").split()[:3] == ["0000006", "ffff", "ffff"]


def test_a_kernel_for_other_cores_is_not_started_on_other_boards() -> None:
    with pytest.raises(SocscopeError, match="this kernel does not know the board"):
        Simulation("at91x40", GUESTS / "linux-integrator-v5/vmlinux")


def test_both_engines_come_to_the_same_state() -> None:
    one, _ = booted("arm,arm926ej-s", "v5")
    other = one.fork()
    other.machine.engine = "interpreted"
    for simulation in (one, other):
        simulation.send(b"echo $((6*7))\r")
        simulation.run("30ms")
    assert b"42" in other.output()
    assert one.machine.state_hash() == other.machine.state_hash()
