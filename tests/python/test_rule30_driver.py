"""The driver of the cellular automaton engine under Linux: all modes, and each error that it promises."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from socscope.simulation import Simulation
from socscope.study.rule30 import engine, linux

ROOT = Path(__file__).parents[2]
MODES = ("char", "bit", "hw", "hwo", "hw-mmap", "hw-poll", "hw-batch", "hw-dma", "hwo-mmap")
EXTENSIONS = {"socscope,batch": True, "socscope,dma": True}
# Longer than the driver waits in these tests.
NEVER_NS = 100_000_000_000
# One machine, booted once.
pytestmark = pytest.mark.xdist_group("rule30-driver")


class Shell:
    """The guest's shell, and the machine around it."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.console = linux.console(simulation)

    def run(self, line: str) -> tuple[int, str]:
        """Runs a command: exit status and all that it says."""
        said, _, status = self.console.run(f"({line}) 2>&1; echo status $?", "20s").rpartition("status ")
        return int(status), said

    def load(self, options: str = f"base={engine.BASE:#x}") -> tuple[int, str]:
        return self.run(f"insmod {engine.FOLDER}/{linux.MODULE} {options}")

    def rule30(self, arguments: str) -> tuple[int, str]:
        return self.run(f"{engine.FOLDER}/{linux.PROGRAM} {arguments}")

    def set_latency(self, latency_ns: int) -> None:
        self.simulation.set_attribute(engine.NAME, "latency_ns", latency_ns)


@pytest.fixture(scope="module")
def booted() -> Shell:
    """Linux at its prompt, the folder of driver and program, and an engine that came into the machine."""
    simulation = Simulation(
        linux.PLATFORM, linux.kernel(), initrd=linux.initial_files(), append=linux.COMMAND_LINE
    )
    linux.boot(simulation)
    simulation.add_model(
        "socscope,rule30", engine.BASE, name=engine.NAME, interrupt=engine.INTERRUPT, properties=EXTENSIONS
    )
    shell = Shell(simulation)
    engine.share(simulation, shell.console)
    return shell


@pytest.fixture
def shell(booted: Shell) -> Iterator[Shell]:
    """The same with the driver loaded, and unloaded again."""
    status, said = booted.load()
    assert status == 0, said
    yield booted
    booted.set_latency(100)
    status, said = booted.run("rmmod rule30")
    assert status == 0, said


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [10, 256, 1020])
def test_every_mode_computes_what_the_host_computes(shell: Shell, mode: str, length: int) -> None:
    status, said = shell.rule30(f"{mode} {length} 2 20 --check 2")
    assert status == 0, said
    assert f"checksum: {linux.reference(length, 2, 20)}\n" in said
    assert "checked: 40 lines\n" in said


def test_registers_without_the_driver(booted: Shell) -> None:
    status, said = booted.rule30(f"hw-mmap 100 2 20 --check 2 --registers {engine.BASE:#x}")
    assert status == 0, said


def interrupts(shell: Shell) -> int:
    """How often the engine has interrupted any core."""
    said = shell.run("cat /proc/interrupts")[1]
    line = rf"^\s*\d+:\s+(\d+)\s+(\d+)\s+MPIC\s+{engine.INTERRUPT} Level\s+rule30$"
    counts = re.search(line, said, re.MULTILINE)
    assert counts, said
    return int(counts[1]) + int(counts[2])


def test_each_line_interrupts_once_and_a_packet_by_dma_once(shell: Shell) -> None:
    before = interrupts(shell)
    shell.rule30("hw 64 1 7 --check 0")
    assert interrupts(shell) == before + 7
    shell.rule30("hw-dma 64 1 7 --check 0")
    assert interrupts(shell) == before + 8
    shell.rule30("hw-poll 64 1 7 --check 0")
    assert interrupts(shell) == before + 8


def test_a_second_process_finds_the_device_busy(shell: Shell) -> None:
    status, said = shell.run(f"(sleep 0.05 </dev/rule30 &) ; {engine.FOLDER}/{linux.PROGRAM} hw 8 1 1")
    assert status == 1
    assert "Device or resource busy" in said
    shell.run("sleep 0.1")
    assert shell.rule30("hw 8 1 1")[0] == 0


def test_lines_of_no_size_and_results_of_nothing(shell: Shell) -> None:
    assert "Invalid argument" in shell.run("echo line >/dev/rule30")[1]
    assert "No data available" in shell.run("cat /dev/rule30")[1]


@pytest.mark.parametrize("mode", ["hw", "hw-poll", "hw-batch", "hw-dma"])
def test_an_engine_that_never_ends_is_given_up(shell: Shell, mode: str) -> None:
    shell.run("echo 10 >/sys/module/rule30/parameters/timeout_ms")
    shell.set_latency(NEVER_NS)
    status, said = shell.rule30(f"{mode} 77 1 2")
    assert status == 1
    assert "Connection timed out" in said
    assert "no end of a line of 77 cells after 10 ms" in shell.run("dmesg | tail -n 1")[1]
    shell.set_latency(100)
    assert shell.rule30(f"{mode} 77 1 2")[0] == 0


def test_a_module_in_use_stays(shell: Shell) -> None:
    status, said = shell.run("(sleep 0.05 </dev/rule30 &) ; rmmod rule30")
    assert status != 0
    assert "Resource temporarily unavailable" in said
    shell.run("sleep 0.1")


def test_without_an_engine_the_module_says_what_is_missing(booted: Shell) -> None:
    status, said = booted.load("")
    assert status != 0
    assert "No such device" in said
    assert "base= is missing or wrong" in booted.run("dmesg | tail -n 1")[1]


def test_an_address_within_a_page_is_refused(booted: Shell) -> None:
    status, _ = booted.load(f"base={engine.BASE + 4:#x}")
    assert status != 0
    assert "is not a page" in booted.run("dmesg | tail -n 3")[1]


def test_an_engine_without_dma_says_so(shell: Shell) -> None:
    """An engine without extensions, in a fork of the machine; this one keeps its own."""
    other = Shell(shell.simulation.fork())
    assert other.run("rmmod rule30")[0] == 0
    other.simulation.remove(engine.NAME)
    other.simulation.add_model("socscope,rule30", engine.BASE, name=engine.NAME, interrupt=engine.INTERRUPT)
    assert other.load()[0] == 0
    status, said = other.rule30("hw-dma 64 1 2")
    assert status == 1
    assert "Operation not supported" in said
    assert other.rule30("hw 64 1 2")[0] == 0


def test_an_engine_of_the_device_tree_is_bound_by_itself(tmp_path: Path) -> None:
    tree = tmp_path / "with-engine.dts"
    tree.write_text(
        f'/include/ "{ROOT}/platforms/mpc8641d.dts"\n'
        '&soc { accelerator@e4000 { compatible = "socscope,rule30"; reg = <0xe4000 0x1000>;'
        f" interrupts = <{engine.INTERRUPT} 2 0 0>; }}; }};\n"
    )
    simulation = Simulation(
        str(tree), linux.kernel(), initrd=linux.initial_files(), append=linux.COMMAND_LINE
    )
    linux.boot(simulation)
    shell = Shell(simulation)
    engine.share(simulation, shell.console)
    assert shell.load("")[0] == 0
    assert shell.rule30("hw 64 1 20")[0] == 0
    assert "ffee4000.accelerator" in shell.run("ls /sys/bus/platform/drivers/rule30")[1]
