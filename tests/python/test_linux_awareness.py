"""Awareness of Linux: what is found of a kernel that runs agrees with what the kernel says of itself."""

import re
from pathlib import Path

import pyarrow as pa
import pytest
from socscope import Simulation
from socscope.awareness.linux import Kernel
from socscope.awareness.linux.modules import functions
from socscope.console import Console
from socscope.errors import AwarenessError, SocscopeError
from socscope.image import Image
from socscope.record import open_run
from socscope.replay.again import replay
from socscope.report.timeline import tracks
from socscope.simulation import Engine
from socscope.study.rule30 import engine, linux
from socscope.study.rule30.parameters import Rule30Parameters

SECTIONS = "/sys/module/rule30/sections"


@pytest.fixture(scope="module")
def booted() -> Simulation:
    """Linux at its prompt, watched from its first instruction."""
    simulation = Simulation(
        linux.PLATFORM, linux.kernel(), initrd=linux.initial_files(), append=linux.COMMAND_LINE
    )
    simulation.watch_tasks()
    linux.boot(simulation)
    return simulation


@pytest.fixture
def running(booted: Simulation) -> tuple[Simulation, Console]:
    """A fork of it, watched from there."""
    fork = booted.fork()
    fork.watch_tasks()
    return fork, linux.console(fork)


def test_the_kernels_own_facts() -> None:
    kernel = Kernel.of(Image.read(linux.kernel()))
    assert kernel.page_offset == 0xC000_0000
    assert (kernel.system_call(3), kernel.system_call(54)) == ("read", "ioctl")
    assert kernel.system_call(99_999) == "call 99999"


def test_what_is_no_kernel_is_refused(elf: Path) -> None:
    with pytest.raises(AwarenessError, match=r"image\.elf: no Linux kernel: it has no init_task, "):
        Kernel.of(Image.read(elf))
    with pytest.raises(SocscopeError, match="no Linux kernel"):
        Simulation("at91x40", elf).watch_tasks()


def test_every_cycle_of_the_boot_has_its_task(booted: Simulation) -> None:
    tables = booted.counts().tables
    ends: dict[int, int] = {}
    for row in tables["task_spans"].to_pylist():
        assert row["start_cycle"] == ends.get(row["core"], 0), row
        ends[row["core"]] = row["end_cycle"]
    assert [*sorted(ends)] == [0, 1]
    assert min(ends.values()) >= booted.machine.cycle
    sums = dict.fromkeys(ends, 0)
    for row in tables["task_times"].to_pylist():
        sums[row["core"]] += row["cycles"]
    assert sums == ends
    names = set(tables["task_spans"]["task"].to_pylist())
    assert {"swapper/0", "swapper/1", "kthreadd", "init", "sh"} <= names
    assert "execve" in tables["system_calls"]["call"].to_pylist()


def test_translated_code_tells_of_system_calls_and_returns(running: tuple[Simulation, Console]) -> None:
    simulation, console = running
    before = simulation.machine.engine_statistics()
    console.run("dd if=/dev/zero of=/dev/null bs=1 count=2000")
    after = simulation.machine.engine_statistics()
    left = {reason: after[reason] - before[reason] for reason in ("left_exceptions", "left_returns")}
    assert left == {"left_exceptions": 0, "left_returns": 0}
    calls = simulation.counts().tables["system_calls"]["call"].to_pylist()
    assert calls.count("write") > 2000


def test_tasks_are_those_that_the_kernel_lists(running: tuple[Simulation, Console]) -> None:
    simulation, console = running
    said = console.run('for f in /proc/[0-9]*/stat; do read -r l < $f; echo "$l"; done')
    stats = {int(pid): name for pid, name in re.findall(r"^(\d+) \((.*?)\) ", said, re.MULTILINE)}
    found = {task.pid: task.name for task in simulation.linux.tasks() if task.pid}
    assert sorted(stats) == sorted(found)
    # The kernel shows what its workers work at behind their names.
    assert all(stats[pid] == name or stats[pid].startswith(f"{name}-") for pid, name in found.items())
    shell = int(console.run("echo $$"))
    assert found[shell] in ("sh", "ash")


def test_a_command_is_seen_whole(running: tuple[Simulation, Console]) -> None:
    simulation, console = running
    console.run("cat /proc/version > /dev/null")
    calls = simulation.counts().tables["system_calls"].to_pylist()
    of_cat = [row["call"] for row in calls if row["task"] == "cat"]
    assert of_cat[0] == "execve"
    assert {"openat", "read", "write"} & set(of_cat) or "sendfile" in of_cat
    assert all(row["end_cycle"] > row["start_cycle"] for row in calls)


def test_both_engines_find_the_same(booted: Simulation) -> None:
    found: list[list[pa.Table]] = []
    hashes = []
    engines: list[Engine] = ["interpreted", "translated"]
    for which in engines:
        fork = booted.fork()
        fork.machine.engine = which
        fork.watch_tasks()
        linux.console(fork).run("ls / > /dev/null")
        tables = fork.counts().tables
        found.append([tables[name] for name in ("task_spans", "task_times", "system_calls")])
        hashes.append(fork.machine.state_hash())
    assert found[0] == found[1]
    assert hashes[0] == hashes[1]


def test_the_driver_and_its_times(running: tuple[Simulation, Console], tmp_path: Path) -> None:
    """Module addresses as the kernel says them, and times as the program measured them."""
    simulation, console = running
    parameters = Rule30Parameters(mode="hw", length_bits=99, latency_ns=100, packets=2, lines=20)
    engine.attach(simulation, parameters)
    folder = engine.share(simulation, console)
    base = f"base={engine.BASE:#x}"
    linux.command(console, f"insmod {folder}/{linux.MODULE} {base}")
    (module,) = simulation.linux.modules()
    assert module.name == "rule30"
    text = int(linux.command(console, f"cat {SECTIONS}/.text"), 16)
    assert module.sections[".text"] == text
    image = Image.read(linux.programs() / linux.MODULE)
    start, name = next((start, name) for section, start, _, name in functions(image) if section == ".text")
    assert simulation.linux.describe(text + start + 4, {"rule30": image}) == f"{name}+0x4 [rule30]"
    assert simulation.linux.describe(0xC000_0000).startswith("_st")

    before = len(simulation.counts().tables["system_calls"])
    found = linux.compute(console, folder, parameters)
    tables = simulation.counts().tables
    calls = tables["system_calls"].to_pylist()[before:]
    of_program = [row["call"] for row in calls if row["task"] == "rule30"]
    lines = parameters.packets * parameters.lines
    assert of_program.count("read") >= lines
    every = tables["task_spans"].to_pylist()
    assert f"interrupt {engine.INTERRUPT}" in {row["detail"] for row in every}
    spans = [row for row in every if row["task"] == "rule30"]
    user = sum(row["end_ps"] - row["start_ps"] for row in spans if row["state"] == "user") / 1000
    # The program's own clock runs for a part of its life only.
    assert user >= int(found["user_ns"])

    simulation.record(tmp_path / "run")
    run = open_run(tmp_path / "run")
    names = {track.name for track in tracks(run)}
    assert {"core 0", "core 1"} <= names
    assert any(name.startswith("rule30 ") for name in names)


def test_a_watched_run_is_run_again(booted: Simulation, tmp_path: Path) -> None:
    fork = booted.fork()
    fork.watch_tasks()
    linux.console(fork).run("true")
    fork.record(tmp_path / "run")
    assert replay(open_run(tmp_path / "run")).differences() == []
