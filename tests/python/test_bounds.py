"""What a guest can make without end is bounded, and the record says what is not told apart."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from socscope import memory
from socscope.errors import OptionError
from socscope.options import size
from socscope.record import Run, open_run
from socscope.replay import verify
from socscope.simulation import Engine, Simulation

FUNCTIONS = 8
CONTEXTS_MAX = 100
LIMIT = 8

# Functions that call one of each other at random and never return; after 24 calls all is thrown away.
RUNAWAY = """
.global start
.type start, %function
start:
    mov r4, #1
again:
    ldr sp, =0x02010000
    mov r5, #24
    bl f0
    .ltorg
.size start, . - start
"""
FUNCTION = """
.type f{number}, %function
f{number}:
    sub sp, sp, #16
    subs r5, r5, #1
    beq again
    eor r4, r4, r4, lsl #13
    eor r4, r4, r4, lsr #17
    eor r4, r4, r4, lsl #5
    and r6, r4, #7
{calls}
    b .
.size f{number}, . - f{number}
"""


@pytest.fixture(scope="module")
def runaway(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A guest that calls and never returns."""
    folder = tmp_path_factory.mktemp("runaway")
    calls = "\n".join(f"    cmp r6, #{number}\n    bleq f{number}" for number in range(FUNCTIONS))
    functions = "".join(FUNCTION.format(number=number, calls=calls) for number in range(FUNCTIONS))
    source = folder / "runaway.S"
    source.write_text(RUNAWAY + functions)
    image = folder / "runaway.elf"
    options = ["-mcpu=arm7tdmi", "-nostdlib", "-Wl,-Ttext=0x02000000,-e,start"]
    subprocess.run(["arm-none-eabi-gcc", *options, source, "-o", image], check=True)
    return image


@pytest.fixture
def limited() -> Iterator[None]:
    """The limit of the process is the default again."""
    yield
    memory.limit(None)


def counted(image: Path, engine: Engine, contexts_max: int | None) -> Simulation:
    simulation = Simulation("at91x40", image, profile=True, engine=engine)
    if contexts_max is not None:
        simulation.machine.fold_contexts(contexts_max)
    simulation.run("2ms")
    return simulation


def test_calls_that_never_return_are_folded_alike_in_both_engines(runaway: Path) -> None:
    folded = counted(runaway, "translated", CONTEXTS_MAX)
    again = counted(runaway, "interpreted", CONTEXTS_MAX)
    whole = counted(runaway, "translated", None)
    tables, others, all_of_it = (one.counts() for one in (folded, again, whole))
    assert {name: table.to_pydict() for name, table in tables.tables.items()} == {
        name: table.to_pydict() for name, table in others.tables.items()
    }
    assert folded.machine.state_hash() == again.machine.state_hash() == whole.machine.state_hash()
    assert folded.machine.not_told_apart() == again.machine.not_told_apart()
    # Sums are what they are without a bound, as a whole and by function.
    assert tables.totals == all_of_it.totals
    own = [
        {row["name"]: (row["instructions"], row["cycles"]) for row in one.tables["functions"].to_pylist()}
        for one in (tables, all_of_it)
    ]
    assert own[0].pop("(folded)") == (0, 0)
    assert own[0] == own[1]
    nodes = tables.tables["nodes"].to_pylist()
    assert len(nodes) <= CONTEXTS_MAX + 1 + FUNCTIONS
    assert all_of_it.tables["nodes"].num_rows > 10 * CONTEXTS_MAX
    functions = {row["function"]: row["name"] for row in tables.tables["functions"].to_pylist()}
    [root] = [row["node"] for row in nodes if functions[row["function"]] == "(folded)"]
    below = {functions[row["function"]] for row in nodes if row["parent"] == root}
    assert below == {f"f{number}" for number in range(FUNCTIONS)}
    [warning] = folded.machine.not_told_apart()
    assert warning.startswith(f"core 0: {CONTEXTS_MAX} calling contexts are told apart, and ")
    assert "Totals and the counts of each function are exact" in warning
    assert whole.machine.not_told_apart() == []


def test_a_fork_and_a_checkpoint_fold_on(runaway: Path, tmp_path: Path) -> None:
    simulation = counted(runaway, "translated", CONTEXTS_MAX)
    fork = simulation.fork()
    simulation.checkpoint(tmp_path / "folded.ckpt")
    restored = Simulation.restore(tmp_path / "folded.ckpt")
    tables = [one.counts().tables["instructions"].to_pydict() for one in (simulation, fork, restored)]
    assert tables[0] == tables[1] == tables[2]
    assert restored.machine.not_told_apart() == simulation.machine.not_told_apart()


def test_a_run_ends_at_the_memory_limit_and_is_recorded(runaway: Path, tmp_path: Path, limited: None) -> None:
    assert memory.limit("1M") == 1 << 20
    simulation = Simulation("at91x40", runaway, profile=True)
    outcome = simulation.run("1000s")
    assert outcome.stop.kind == "memory"
    assert outcome.stop.detail.startswith("the memory limit of 1 MB is reached: ")
    record = simulation.record(tmp_path / "run")
    assert record.manifest.totals.instructions > 0
    assert record.manifest.stop == outcome.stop
    memory.limit(None)
    assert all(check.same for check in verify(record))


def test_the_command_says_so_and_has_a_status_of_its_own(runaway: Path, tmp_path: Path) -> None:
    command = [
        "socscope",
        "run",
        "at91x40",
        str(runaway),
        "--profile",
        "--for",
        "1000s",
        "--memory-limit",
        "1M",
    ]
    ended = subprocess.run(
        [*command, "--out", str(tmp_path / "run")], capture_output=True, text=True, check=False
    )
    assert ended.returncode == LIMIT, ended.stderr
    assert "the memory limit of 1 MB is reached" in ended.stderr
    record: Run = open_run(tmp_path / "run")
    assert record.manifest.stop.kind == "memory"


@pytest.mark.parametrize(
    ("text", "count"), [("1M", 1 << 20), ("2G", 2 << 30), ("1.5 GiB", 3 << 29), ("64kb", 64 << 10)]
)
def test_sizes_have_units(text: str, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize("text", ["", "2", "0G", "-1G", "2X", "99999999999T", "G"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="not a size; write a number with its unit: 512M, 2G"):
        size(text)


@pytest.mark.parametrize(
    ("file", "constant", "value"),
    [
        ("crates/probe/src/contexts.rs", "CONTEXTS_MAX: usize = 200_000", "200 000"),
        ("crates/probe/src/contexts.rs", "DEPTH_MAX: u16 = 500", "500 calls"),
        ("crates/probe/src/frames.rs", "{ 64 } else { 100_000 }", "100 000"),
        ("crates/probe/src/profile/core.rs", "{ 16 } else { 200_000 }", "200 000 kinds"),
        ("crates/probe/src/profile/core.rs", "{ 16 } else { 1 << 18 }", "262 144"),
        ("crates/probe/src/dma.rs", "{ 16 } else { 1 << 18 }", "262 144"),
        ("crates/machine/src/running/observer.rs", "MARKS_KEPT: usize = 1 << 20", "1 048 576"),
        ("crates/machine/src/system/port.rs", "CHARACTERS_KEPT: usize = 1 << 22", "4 194 304"),
        ("crates/probe/src/linux/track.rs", "{ 64 } else { 1 << 21 }", "2 097 152"),
        ("crates/machine/src/system/log.rs", "MESSAGES_MAX: usize = 1_000", "1 000 each"),
    ],
)
def test_the_page_has_the_bounds_of_the_code(file: str, constant: str, value: str) -> None:
    assert constant in Path(file).read_text()
    assert value in Path("docs/decisions/run-records.md").read_text()
