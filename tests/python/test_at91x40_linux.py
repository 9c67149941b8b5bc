"""Linux without MMU on the AT91X40: a shell that starts its programs with vfork, and exact counts of it."""

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from socscope.console import Console
from socscope.errors import AwarenessError, ConsoleError
from socscope.record import open_run
from socscope.simulation import Simulation

ROOT = Path(__file__).parents[2]
GUESTS = ROOT / "build/guests"
KERNEL = GUESTS / "linux-at91x40"
INITRAMFS = GUESTS / "initramfs-at91x40/initramfs.cpio"
PROGRAM = ROOT / "tests/programs/arm-linux/shared.c"
PROMPT = "/root # "


def guest(target: str) -> Path:
    """The folder of a guest that others are made with."""
    command = [str(ROOT / "scripts/guest"), target]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def console(simulation: Simulation) -> Console:
    return simulation.console(prompt=PROMPT)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of ours."""
    made = tmp_path_factory.mktemp("program") / "shared"
    subprocess.run([guest("musl-nommu") / "cc", "-O2", "-o", made, PROGRAM], check=True)
    return made


@pytest.fixture(scope="module")
def booted(program: Path) -> Simulation:
    """Linux at its prompt, with the program. Archives that follow each other are one file system."""
    files = program.parent / "files"
    files.write_text(f"file /bin/shared {program} 0755 0 0\n")
    ours = subprocess.run([KERNEL / "gen_init_cpio", files], check=True, capture_output=True).stdout
    archive = program.parent / "initramfs.cpio"
    archive.write_bytes(INITRAMFS.read_bytes() + ours)
    simulation = Simulation("at91x40-linux", KERNEL / "vmlinux", initrd=archive, append="quiet")
    script = console(simulation)
    script.expect("socscope-ready", within="10s")
    script.expect(PROMPT, within="2s")
    return simulation


def test_linux_boots_to_a_shell(booted: Simulation) -> None:
    script = console(booted.fork())
    messages = script.run("dmesg")
    assert "CPU: Atmel-AT91M40xxx [14080044] revision 4 (ARMv4T)" in messages
    assert "Machine model: AT91X40 with 16 MiB RAM for Linux" in messages
    assert "clocksource: timer@fffe0000: mask: 0xffffffff" in messages
    assert "ttyS0 at MMIO 0xfffd0000" in messages
    # On the console they are only where nobody says "quiet".
    assert "ARMv4T" not in booted.output().decode()
    assert "Hardware\t: Atmel AT91X40" in script.run("cat /proc/cpuinfo")
    assert {"bin", "dev", "init", "proc"} <= set(script.run("ls /").split())
    assert "{init} /bin/sh /init" in script.run("ps")
    assert "proc on /proc type proc" in script.run("mount")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("echo $((6*7))", "42"),
        ("for i in 1 3 2; do echo $i; done | sort -r | head -2", "3\n2"),
        ("(echo b; echo a) | sort", "a\nb"),
        ("echo $(uname -m) $(cat /proc/sys/kernel/ostype)", "armv4tl Linux"),
        ("sh -c 'exit 3'; echo $?", "3"),
        (
            "echo text >/tmp/file; cat /tmp/file; ls /nothing; echo $?",
            "text\nls: /nothing: No such file or directory\n1",
        ),
        ("shared 2000", "4000 = 2000 + 2000\npipe 7 1"),
    ],
)
def test_the_shell_and_programs_need_no_mmu(booted: Simulation, command: str, answer: str) -> None:
    assert console(booted.fork()).run(command) == answer


def test_what_is_typed_at_the_line_s_own_speed_arrives(booted: Simulation) -> None:
    script = console(booted.fork())
    for number in range(8):
        text = f"{number} abcdefghijklmnopqrstuvwxyz 0123456789 abcdefghijklmnopqrstuvwxyz"
        assert script.run(f"echo {text}") == text
        script.run("ls / | sort >/dev/null")


def test_a_restart_is_the_watchdog_s(booted: Simulation) -> None:
    with pytest.raises(ConsoleError, match="the guest asked for a reset"):
        console(booted.fork()).run("reboot -f")


def test_both_engines_come_to_the_same_state(booted: Simulation) -> None:
    one, other = booted.fork(), booted.fork()
    other.machine.engine = "interpreted"
    for simulation in (one, other):
        simulation.send(b"shared 100 | cat\r")
        simulation.run("400ms")
    assert b"200 = 100 + 100" in other.output()
    assert one.machine.state_hash() == other.machine.state_hash()


def test_the_profile_knows_the_kernel_s_functions_and_its_idle_time(
    booted: Simulation, tmp_path: Path
) -> None:
    simulation = booted.fork()
    simulation.enable_profile("all")
    console(simulation).run("sleep 1")
    simulation.record(tmp_path / "run")
    run = open_run(tmp_path / "run")
    layers = {row["layer"]: row["instructions"] for row in run.rows("layers")}
    own = {"scheduler and time", "file systems", "drivers", "exceptions and interrupts", "idle"}
    assert min(layers[layer] for layer in own) > 0
    ran = {row["name"] for row in run.rows("functions") if row["instructions"]}
    assert {"__irq_svc", "aic_handle", "ch2_irq", "at91x40_idle", "vector_swi", "sys_vfork"} <= ran
    totals = run.manifest.totals
    assert totals.executing_cycles == sum(row["cycles"] for row in run.rows("instructions"))
    # The core's clock stands still in most of the second.
    assert 20_000_000 < totals.stopped_cycles < totals.cycles - totals.executing_cycles + 1


def test_its_tasks_are_not_understood(booted: Simulation) -> None:
    refused = "a Linux kernel whose tasks are not understood: it has no swapper_pg_dir"
    with pytest.raises(AwarenessError, match=refused):
        booted.fork().watch_tasks()


def test_a_program_that_goes_astray_is_ended(booted: Simulation) -> None:
    simulation = booted.fork()
    script = console(simulation)
    assert script.run("devmem 0x50000000; echo $?") == "Segmentation fault\n139"
    script.send("sleep 1000\r")
    # Until it has begun, the keyboard's interrupt is the shell's.
    simulation.run("300ms")
    script.send("\x03")
    script.expect(PROMPT, within="1s")


def test_programs_may_lie_anywhere_in_memory(program: Path) -> None:
    for path in (guest("busybox-nommu") / "busybox", program):
        with path.open("rb") as file:
            elf = ELFFile(file)
            assert elf["e_type"] == "ET_DYN"
            assert not list(elf.iter_segments("PT_INTERP"))
            relocations = elf.get_section_by_name(".rel.dyn")
            assert isinstance(relocations, RelocationSection)
            kinds = {one["r_info_type"] for one in relocations.iter_relocations()}
            # R_ARM_RELATIVE: what a program can do for itself.
            assert kinds == {23}
            (stack,) = elf.iter_segments("PT_GNU_STACK")
            assert stack["p_memsz"] == 0x10000
