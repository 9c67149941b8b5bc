"""Awareness of Linux on ARM: what is found of kernels for versions 5 and 6 agrees with what they say."""

import importlib
import re
from collections import Counter
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from socscope import Simulation, _core
from socscope.awareness.linux import Kernel
from socscope.awareness.linux.architecture import content
from socscope.awareness.linux.table import table
from socscope.errors import AwarenessError
from socscope.image import Image
from socscope.simulation import Engine
from test_gdb import gdb, in_order, served  # type: ignore[import-not-found] # A test beside it.
from test_integrator import GUESTS, booted  # type: ignore[import-not-found] # A test beside it.

capstone: Any = importlib.import_module("capstone")

# The core and the kernel for it.
CORES = [("arm,arm926ej-s", "v5"), ("arm,arm1176jz-s", "v6")]


def vmlinux(version: str) -> Path:
    return Path(GUESTS) / f"linux-integrator-{version}/vmlinux"


@pytest.fixture(scope="module", params=CORES, ids=["v5", "v6"])
def watched(request: pytest.FixtureRequest) -> Simulation:
    """Linux at its prompt, watched from its first instruction."""
    simulation: Simulation = booted(*request.param, watch=True)[0]
    return simulation


@pytest.fixture
def fork(watched: Simulation) -> Simulation:
    """A fork of it, watched from there."""
    one = watched.fork()
    one.watch_tasks()
    return one


@pytest.mark.parametrize("version", ["v5", "v6"])
def test_the_pointer_to_the_task_is_known_where_it_is_written(version: str) -> None:
    image = Image.read(vmlinux(version))
    kernel = Kernel.of(image)
    current = kernel.layout["current"]
    assert not isinstance(current, int)
    variable, offset, behind = current
    assert variable + offset == image.address_of("__current")
    assert [image.describe(place).partition("+")[0] for place in behind] == ["__switch_to", "__mmap_switched"]
    # Capstone reads the same: a store to the sum of what two additions make of the program counter.
    decoder = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)
    decoder.detail = True
    for place in behind:
        code = content(ELFFile(BytesIO(image.data)), place - 12, 12)
        first, second, store = decoder.disasm(code, place - 12)
        assert [one.mnemonic for one in (first, second, store)] == ["add", "add", "str"]
        constants = [rotated(*(each.imm for each in one.operands[2:])) for one in (first, second)]
        assert first.address + 8 + sum(constants) + store.operands[1].mem.disp == variable + offset
    assert (kernel.system_call(4), kernel.system_call(0xF0005)) == ("write", "set_tls")
    assert (kernel.fault(16), kernel.page_offset) == ("data abort", 0xC000_0000)


def rotated(value: int, right: int = 0) -> int:
    return (value >> right | value << 32 - right) % (1 << 32)


def test_a_kernel_that_keeps_the_pointer_elsewhere_is_refused() -> None:
    image = Image.read(vmlinux("v6"))
    start = image.symbols.pop("__switch_to")
    with pytest.raises(
        AwarenessError, match=r"vmlinux: __switch_to has no instruction that is seen to write "
    ):
        Kernel.of(image)
    image.symbols["__switch_to"] = start
    del image.symbols["__end_init_task"]
    with pytest.raises(AwarenessError, match=r"vmlinux: no symbol __end_init_task"):
        table(Kernel.of(image))
    del image.symbols["__current"]
    with pytest.raises(
        AwarenessError, match=r"vmlinux: .* no variable __current; build it with CONFIG_THREAD_"
    ):
        Kernel.of(image)


def test_a_pointer_where_no_memory_is_is_refused(watched: Simulation) -> None:
    one = watched.fork()
    with pytest.raises(_core.CoreError, match="expected at 0x7f000000 of the bus, where no memory is"):
        one.machine.watch_linux((0x7F00_0000, 0xC000_0000, []), 0, 4, 8, 16)


def test_every_cycle_of_the_boot_has_its_task(watched: Simulation) -> None:
    tables = watched.counts().tables
    end = 0
    rows = tables["task_spans"].to_pylist()
    for row in rows:
        assert (row["core"], row["start_cycle"]) == (0, end), row
        end = row["end_cycle"]
    assert end == watched.machine.cycle
    assert sum(row["cycles"] for row in tables["task_times"].to_pylist()) == end
    assert {"swapper", "kthreadd", "init", "sh"} <= {row["task"] for row in rows}
    # The kernel starts as one piece of work, of which its pointer names the task.
    assert [(row["task"], row["state"]) for row in rows[:2]] == [("", "kernel"), ("swapper", "kernel")]
    kinds = Counter((row["state"], row["detail"]) for row in rows)
    assert min(kinds["kernel", "data abort"], kinds["interrupt", "interrupt"]) > 100
    assert kinds["idle", ""] > 5
    assert {"execve", "set_tls"} <= set(tables["system_calls"]["call"].to_pylist())


def test_interrupts_and_faults_end(watched: Simulation) -> None:
    """What an interrupt cuts in goes on as what it was."""
    rows = watched.counts().tables["task_spans"].to_pylist()
    for before, row, behind in zip(rows, rows[1:], rows[2:], strict=False):
        if row["state"] == "interrupt" and before["task"] == row["task"] == behind["task"]:
            same = (before["state"], before["detail"]) == (behind["state"], behind["detail"])
            woken = before["state"] == "idle" or behind["state"] in ("idle", "interrupt")
            assert same or woken, (before, row, behind)


def test_tasks_are_those_that_the_kernel_lists(fork: Simulation) -> None:
    console = fork.console(prompt="# ")
    said = console.run('for f in /proc/[0-9]*/stat; do read -r l < $f; echo "$l"; done')
    stats = {int(pid): name for pid, name in re.findall(r"^(\d+) \((.*?)\) ", said, re.MULTILINE)}
    found = {task.pid: task.name for task in fork.linux.tasks() if task.pid}
    assert sorted(stats) == sorted(found)
    # The kernel shows what its workers work at behind their names.
    assert all(stats[pid].startswith(name) for pid, name in found.items())
    assert fork.linux.modules() == []
    console.run("cat /proc/version > /dev/null")
    calls = fork.counts().tables["system_calls"].to_pylist()
    of_cat = [row["call"] for row in calls if row["task"] == "cat"]
    assert of_cat[0] == "execve"
    assert {"openat", "read", "write"} & set(of_cat) or "sendfile" in of_cat
    assert all(row["end_cycle"] > row["start_cycle"] for row in calls)


def test_translated_code_tells_of_system_calls_and_returns(fork: Simulation) -> None:
    """It is not left for them."""
    console = fork.console(prompt="# ")
    before = fork.machine.engine_statistics()
    console.run("dd if=/dev/zero of=/dev/null bs=1 count=10000")
    after = fork.machine.engine_statistics()
    calls = fork.counts().tables["system_calls"]["call"].to_pylist()
    assert calls.count("write") >= 10000
    assert after["computed"] - before["computed"] < 10_000


def test_results_of_calls_are_those_that_programs_get(fork: Simulation) -> None:
    console = fork.console(prompt="# ")
    console.run("dd if=/dev/zero of=/dev/null bs=3 count=50")
    calls = fork.counts().tables["system_calls"].to_pylist()
    written = [row["result"] for row in calls if row["task"] == "dd" and row["call"] == "write"]
    assert written.count(3) == 50
    console.run("cat /nowhere")
    calls = fork.counts().tables["system_calls"].to_pylist()
    results = [row["result"] for row in calls if row["task"] == "cat"]
    assert -2 in results, "ENOENT"


def test_both_engines_find_the_same(watched: Simulation) -> None:
    """The same tables, marks and counts, and the same state as without them."""
    found = []
    hashes = set()
    engines: list[Engine] = ["interpreted", "translated"]
    for which in engines:
        counting, marking, plain = (watched.fork() for _ in range(3))
        for each in (counting, marking, plain):
            each.machine.engine = which
        marking.watch_tasks()
        counting.watch_tasks()
        marking.mark_at("sys_writev")
        counting.enable_profile("all")
        for each in (counting, marking, plain):
            each.send(b"ls / > /dev/null\r")
            each.run("15ms")
            hashes.add(each.machine.state_hash())
        linux = [each.machine.linux() for each in (counting, marking)]
        assert linux[0] == linux[1]
        tables = marking.counts().tables
        found.append((linux[0], counting.machine.profile(), tables["marks"].to_pylist()))
    assert found[0] == found[1]
    assert len(hashes) == 1
    calls = tables["system_calls"].to_pylist()
    assert {"ls", "sh"} <= {row["task"] for row in calls}
    assert len(found[0][2]) == len([row for row in calls if row["call"] == "writev"]) > 0


@pytest.fixture(scope="module")
def counted() -> dict[str, list[dict[str, Any]]]:
    """The tables of a profile of a command, with the tasks."""
    one, _ = booted(*CORES[1])
    one.watch_tasks()
    one.enable_profile("all")
    one.send(b"ls / > /dev/null\r")
    one.run("25ms")
    return {name: table.to_pylist() for name, table in one.counts().tables.items()}


def chains(counted: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """The functions of each context, from the one that runs to the first caller."""
    names = {row["function"]: row["name"] for row in counted["functions"]}
    nodes = {row["node"]: row for row in counted["nodes"]}

    def chain(node: int) -> list[str]:
        found = []
        while node >= 0:
            found.append(names.get(nodes[node]["function"], "?"))
            node = nodes[node]["parent"]
        return found

    return [chain(row["node"]) for row in counted["instructions"] if row["instructions"]]


def test_a_profile_knows_what_interrupts_and_calls_lead_to(
    counted: dict[str, list[dict[str, Any]]],
) -> None:
    found = chains(counted)
    # An interrupt's handler goes on in the kernel's own mode, below the vector that was taken.
    handlers = [one for one in found if "generic_handle_arch_irq" in one]
    assert handlers
    for each in handlers:
        assert {"__irq_svc", "__irq_usr"} & set(each), each
        assert "vector_irq" in each, each
        assert each[-1].startswith("__vectors"), each
    assert any({"handle_mm_fault", "__dabt_usr", "vector_dabt"} <= set(each) for each in found)
    # A system call stands below the program that made it.
    calls = [each for each in found if each[-1].startswith("(program ls, ") and len(each) > 3]
    assert any("vector_swi" in each and "sys_writev" in each for each in calls)
    outside = sum(row["instructions"] for row in counted["functions"] if row["function"] == -1)
    assert outside < sum(row["instructions"] for row in counted["instructions"]) / 100
    layers = {row["layer"] for row in counted["layers"] if row["instructions"]}
    assert {"programs", "idle", "exceptions and interrupts", "file systems", "memory management"} <= layers


def test_programs_are_counted_while_tasks_are_in_their_own_code(
    counted: dict[str, list[dict[str, Any]]],
) -> None:
    programs = {
        row["function"]: row["name"] for row in counted["functions"] if row["name"].startswith("(program ")
    }
    nodes = {row["node"]: programs.get(row["function"]) for row in counted["nodes"]}
    cycles: Counter[str] = Counter()
    for row in counted["instructions"]:
        if name := nodes[row["node"]]:
            cycles[name] += row["cycles"]
    expected: Counter[str] = Counter()
    rows = counted["task_spans"]
    for row, behind in pairwise(rows):
        if row["state"] == "user":
            # What no instruction asks for enters the kernel in a cycle of its own, which is the handler's.
            entry = behind["detail"].endswith("abort") or behind["state"] == "interrupt"
            name = f"(program {row['task']}, process {row['pid']})"
            expected[name] += row["end_cycle"] - row["start_cycle"] - entry
    assert cycles == expected


def test_gdb_sees_the_tasks(watched: Simulation) -> None:
    one = watched.fork()
    one.console(prompt="# ").run("sleep 60 &")
    one.run("20ms")
    tasks = one.tasks().list()
    place, sleeper = next((i, task) for i, task in enumerate(tasks) if task.name == "sleep")
    assert (sleeper.state, sleeper.core) == ("sleeping", None)
    assert one.image.describe(sleeper.registers["pc"]).startswith("__schedule+")
    (running,) = (task for task in tasks if task.running)
    pid = sleeper.numbers["pid"]
    commands = f"""
        info threads
        thread {place + 2}
        backtrace
        print ((struct task_struct *) {sleeper.address:#x})->pid
        monitor tasks user
        maintenance flush register-cache
        x/i $pc - 4
        print/x $r7
        set var $r3 = 1
        kill
    """
    said: list[str] = []
    served(one, lambda address: said.append(gdb(address, one.image.path, commands)), "200ms")
    assert f'"integrator-cp core" (runs {running.name}, ' in said[0], said[0]
    assert f'"sleep" (task: sleeping, pid {pid}, process {pid})' in said[0], said[0]
    in_order(
        said[0],
        r"^#0 .*context_switch",
        r"^#1 .*__schedule",
        r"do_nanosleep",
        r"sys_nanosleep_time32",
        rf"^\$1 = {pid}$",
        r"^view: user of kernel, user",
        # Behind the instruction with which its own code went into the kernel, in the memory of its own.
        r"^ +0x[0-9a-f]+:\tsvc\t0x00000000$",
        # nanosleep
        r"^\$2 = 0xa2$",
        r'^Could not write register "r3"',
    )
