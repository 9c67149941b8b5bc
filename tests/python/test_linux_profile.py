"""The profile of an SMP Linux: nothing is lost between cores, a program's counts are those of unicorn."""

import importlib
import subprocess
from collections import Counter
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from socscope import Simulation
from socscope.errors import OptionError
from socscope.record import Run, open_run
from socscope.replay.verify import verify
from socscope.report.page import render
from socscope.study.rule30 import engine, linux
from socscope.study.rule30.parameters import Rule30Parameters

unicorn: Any = importlib.import_module("unicorn")

PROGRAM = """
    .globl _start
_start:
    lis 4, table@ha
    addi 4, 4, table@l
    li 5, 700
    mtctr 5
1:  lwz 6, 0(4)
    addi 6, 6, 3
    stw 6, 0(4)
    stb 6, 9(4)
    addi 4, 4, 16
    bl visit
    bdnz 1b
    li 0, 1
    li 3, 0
    sc
visit:
    lhz 7, 2(4)
    blr
    .bss
table: .space 16384
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that calls, reads and writes, and ends."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "counted.S").write_text(PROGRAM)
    subprocess.run(
        ["powerpc-linux-gnu-gcc", "-nostdlib", "-static", "-o", "counted", "counted.S"],
        cwd=folder,
        check=True,
    )
    return folder / "counted"


@pytest.fixture(scope="module")
def profiled(program: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Simulation, Run]:
    """A booted Linux that runs the program, profiled and watched from its prompt on."""
    simulation = Simulation(
        linux.PLATFORM, linux.kernel(), initrd=linux.initial_files(), append=linux.COMMAND_LINE
    )
    linux.boot(simulation)
    simulation.watch_tasks()
    simulation.enable_profile("all")
    script = linux.console(simulation)
    simulation.share(program.parent)
    linux.command(script, f"mkdir -p {engine.FOLDER} && {engine.MOUNT}")
    linux.command(script, f"{engine.FOLDER}/counted", within="20s")
    folder = tmp_path_factory.mktemp("records") / "run"
    return simulation, simulation.record(folder)


def counted_by_unicorn(program: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    machine = unicorn.Uc(unicorn.UC_ARCH_PPC, unicorn.UC_MODE_PPC32 | unicorn.UC_MODE_BIG_ENDIAN)
    with program.open("rb") as file:
        elf = ELFFile(BytesIO(file.read()))
    machine.mem_map(0x1000_0000, 0x10_0000)
    for segment in elf.iter_segments("PT_LOAD"):
        machine.mem_write(segment["p_vaddr"], segment.data())

    def code(_one: object, address: int, _size: int, _data: object) -> None:
        counts["instructions"] += 1
        if bytes(machine.mem_read(address, 4)) == b"\x44\x00\x00\x02":
            machine.emu_stop()

    def memory(_one: object, access: int, _address: int, size: int, _value: int, _data: object) -> None:
        direction = "write" if access == unicorn.UC_MEM_WRITE else "read"
        counts[f"{direction} {size * 8}"] += 1

    machine.hook_add(unicorn.UC_HOOK_CODE, code)
    machine.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, memory)
    machine.emu_start(elf.header["e_entry"], 0)
    return counts


def test_every_cycle_of_every_core_has_its_place(profiled: tuple[Simulation, Run]) -> None:
    simulation, run = profiled
    begin = simulation.profile_from
    assert begin is not None
    spans = run.rows("spans")
    assert [row["core"] for row in spans] == [0, 1]
    for row in spans:
        taken = sum(one["count"] for one in run.rows("exceptions") if one["core"] == row["core"])
        passed = row["instructions"] + taken + row["stopped_cycles"] + row["bus_held_cycles"]
        # One cycle an instruction, and one for each exception's entry.
        assert passed == row["end_cycle"] - row["start_cycle"]
        assert row["instructions"] > 0
    totals = run.manifest.totals
    assert totals.cycles == sum(row["end_cycle"] - row["start_cycle"] for row in spans)
    executing = sum(row["cycles"] for row in run.rows("instructions"))
    assert executing == totals.executing_cycles


def test_a_programs_counts_are_those_of_unicorn(program: Path, profiled: tuple[Simulation, Run]) -> None:
    _, run = profiled
    expected = counted_by_unicorn(program)
    names = {row["function"]: row["name"] for row in run.rows("functions")}
    (function,) = (number for number, name in names.items() if name.startswith("(program counted, "))
    nodes = {row["node"] for row in run.rows("nodes") if row["function"] == function}
    found: Counter[str] = Counter()
    for row in run.rows("accesses"):
        if row["node"] in nodes:
            found[f"{row['direction']} {row['width_bits']}"] += row["count"]
    found["instructions"] = sum(
        row["instructions"] for row in run.rows("instructions") if row["node"] in nodes
    )
    # An instruction whose data is not there yet is executed again.
    spans = [row for row in run.rows("task_spans") if row["task"] == "counted"]
    again = sum(
        row["detail"] == "data fault" and before["state"] == "user" for before, row in pairwise(spans)
    )
    assert again > 0
    expected["instructions"] += again
    assert found == expected


def test_the_kernel_is_named_and_works_for_its_programs(profiled: tuple[Simulation, Run]) -> None:
    _, run = profiled
    names = {row["function"]: row["name"] for row in run.rows("functions")}
    ran = {row["name"] for row in run.rows("functions") if row["instructions"]}
    assert {"schedule", "ksys_read", "vfs_read", "do_IRQ"} & ran
    nodes = {row["node"]: row for row in run.rows("nodes")}

    def chain(node: int) -> list[str]:
        found = []
        while node >= 0:
            found.append(names.get(nodes[node]["function"], "?"))
            node = nodes[node]["parent"]
        return found

    chains = [chain(node) for node in nodes]
    # A system call stands below the program that made it.
    assert any(one[-1].startswith("(program counted, ") and len(one) > 3 for one in chains)
    outside = sum(row["instructions"] for row in run.rows("functions") if row["function"] == -1)
    assert outside < run.manifest.totals.instructions / 100
    layers = {row["layer"]: row["instructions"] for row in run.rows("layers")}
    assert layers["programs"] > 0
    assert layers["file systems"] > 0


def test_registers_and_interrupts_add_up(profiled: tuple[Simulation, Run]) -> None:
    _, run = profiled
    interrupts = sum(row["count"] + row["spurious"] for row in run.rows("interrupts"))
    taken = sum(row["count"] for row in run.rows("exceptions") if row["exception"] == "interrupt")
    assert 0 < interrupts <= taken
    registers = sum(row["count"] for row in run.rows("io"))
    devices = {row["device"] for row in run.rows("io")}
    regions = {row["region"] for row in run.rows("accesses")}
    assert devices & regions
    # Byte registers have names of their own.
    assert ("serial0", "LSR") in {(row["device"], row["register"]) for row in run.rows("io")}
    assert registers == sum(row["count"] for row in run.rows("accesses") if row["region"] in devices)


def test_functions_of_a_module_have_names(tmp_path: Path) -> None:
    simulation = Simulation(
        linux.PLATFORM, linux.kernel(), initrd=linux.initial_files(), append=linux.COMMAND_LINE
    )
    linux.boot(simulation)
    script = linux.console(simulation)
    parameters = Rule30Parameters(mode="hw", length_bits=99, latency_ns=100, packets=1, lines=5)
    engine.attach(simulation, parameters)
    folder = engine.share(simulation, script)
    module = linux.programs() / linux.MODULE
    with pytest.raises(OptionError, match=r"has not loaded module rule30 \(it has loaded: none\)$"):
        simulation.enable_profile("all", modules=[module])
    linux.command(script, f"insmod {folder}/{linux.MODULE} base={engine.BASE:#x}")
    simulation.enable_profile("all", modules=[module])
    linux.compute(script, folder, parameters)
    rows = simulation.counts().tables["functions"].to_pylist()
    own = {row["name"]: row for row in rows if row["name"].endswith(" [rule30]") and row["instructions"]}
    assert len(own) > 3
    assert {row["layer"] for row in own.values()} == {"drivers"}
    # The profile goes on with these names from a checkpoint.
    simulation.checkpoint(tmp_path / "profiled.ckpt")
    restored = Simulation.restore(tmp_path / "profiled.ckpt")
    for one in (simulation, restored):
        one.run("1ms")
    assert restored.counts().tables == simulation.counts().tables


def test_the_report_shows_each_core(profiled: tuple[Simulation, Run]) -> None:
    _, run = profiled
    page = render(run)
    assert "<h3>Cores</h3>" in page
    assert "core 1" in page


def test_a_profiled_boot_is_run_again_in_all_ways(tmp_path: Path) -> None:
    simulation = Simulation(
        linux.PLATFORM, linux.kernel(), initrd=linux.initial_files(), profile=True, append=linux.COMMAND_LINE
    )
    simulation.watch_tasks()
    simulation.run("30ms")
    simulation.record(tmp_path / "run")
    run = open_run(tmp_path / "run")
    checks = verify(run, ways=[(True, "interpreted", "over a checkpoint"), (False, "translated", "straight")])
    assert [check.differences for check in checks] == [[], []]
