"""How often functions are entered, and what they cost with all that they called."""

# mypy: disable-error-code="no-untyped-call"

import subprocess
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import get_args

import pytest
import unicorn
from elftools.elf.elffile import ELFFile
from socscope.image import Image
from socscope.record.inclusive import Sums, sums_by_function
from socscope.simulation import Engine, Simulation
from unicorn import arm_const

SRAM_BYTES = 256 * 1024
# Calls, tail calls and recursion: fib(n) takes 2 * fib(n + 1) - 1 calls.
# The compiler is kept from making a loop of it.
RECURSION_C = """
#define STAY(x) __asm__ volatile ("" : "+r"(x))
__attribute__((noinline)) static unsigned leaf(unsigned x) { STAY(x); return x + 1; }
__attribute__((noinline)) static unsigned tail(unsigned x) { STAY(x); return leaf(x); }
unsigned fib(unsigned n) {
    if (n < 2) return tail(n);
    unsigned sum = fib(n - 1) + fib(n - 2);
    STAY(sum);
    return sum;
}
"""


@pytest.fixture(scope="module", params=["-marm", "-mthumb"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Image:
    folder = tmp_path_factory.mktemp("entered")
    (folder / "start.S").write_text(
        """
        .text
        .global _start
_start: ldr sp, =0x8000
        mov r4, #50
again:  mov r0, #9
        bl fib
        subs r4, r4, #1
        bne again
done:   b done
        """
    )
    (folder / "program.c").write_text(RECURSION_C)
    options = ["-mcpu=arm7tdmi", "-mthumb-interwork", "-O1", "-foptimize-sibling-calls", "-g"]
    linking = ["-nostdlib", "-Wl,-Ttext=0", "-Wl,-e_start", "-o", "program.elf"]
    for source, how in ("start.S", "-marm"), ("program.c", request.param):
        subprocess.run(["arm-none-eabi-gcc", *options, how, "-c", source], cwd=folder, check=True)
    subprocess.run(["arm-none-eabi-gcc", *options, *linking, "start.o", "program.o"], cwd=folder, check=True)
    return Image.read(folder / "program.elf")


def entered_in_unicorn(image: Image, end: int) -> Counter[str]:
    """How often each function's first instruction is executed, from reset to the instruction at `end`."""
    starts = {one.start: one.name for one in image.functions}
    counts: Counter[str] = Counter()

    def code(_engine: unicorn.Uc, address: int, _size: int, _data: object) -> None:
        if address in starts:
            counts[starts[address]] += 1

    engine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    engine.ctl_set_cpu_model(arm_const.UC_CPU_ARM_926)
    engine.mem_map(0, SRAM_BYTES)
    for segment in ELFFile(BytesIO(image.data)).iter_segments("PT_LOAD"):
        engine.mem_write(segment["p_paddr"], segment.data())
    engine.hook_add(unicorn.UC_HOOK_CODE, code)
    engine.emu_start(0, end)
    return counts


def tables(image: Image, engine: Engine, window: str = "all") -> Simulation:
    simulation = Simulation("at91eb40a", image, profile=True, engine=engine, window=window)
    assert simulation.run("1s", until_symbol="done").stop.kind == "address"
    return simulation


@pytest.mark.parametrize("engine", get_args(Engine))
def test_entries_are_those_of_unicorn(program: Image, engine: Engine) -> None:
    simulation = tables(program, engine)
    rows = simulation.counts().tables["functions"].to_pylist()
    ours = Counter({row["name"]: row["entered"] for row in rows if row["entered"]})
    theirs = entered_in_unicorn(program, program.address_of("done"))
    # Where the core begins, nothing is entered.
    assert theirs.pop("_start", 1) == 1
    # fib(9): 2 * 55 - 1 = 109 calls, 55 of them ends of the recursion; the loop makes 50 of them.
    assert ours["fib"] == theirs["fib"] == 50 * 109
    assert ours["leaf"] == ours["tail"] == 50 * 55
    assert ours == theirs


@pytest.mark.parametrize("engine", get_args(Engine))
def test_what_a_function_called_is_in_its_inclusive_counts_once(program: Image, engine: Engine) -> None:
    counts = tables(program, engine).counts()
    by_name = {row["name"]: row for row in counts.tables["functions"].to_pylist()}
    fib, tail, leaf = (by_name[name] for name in ("fib", "tail", "leaf"))
    for what in "instructions", "cycles":
        inclusive = f"{what}_inclusive"
        assert leaf[inclusive] == leaf[what] > 0
        assert tail[inclusive] == tail[what] + leaf[what]
        assert fib[inclusive] == fib[what] + tail[what] + leaf[what]
    assert by_name["_start"]["instructions_inclusive"] == counts.totals.instructions


def test_only_what_is_entered_while_counting_is_on_is_counted(program: Image) -> None:
    simulation = tables(program, "translated", window="commands")
    assert not any(simulation.machine.profile()["nodes"]["entered"])


def test_entries_go_on_over_a_checkpoint(program: Image, tmp_path: Path) -> None:
    whole = tables(program, "translated")
    first = Simulation("at91eb40a", program, profile=True)
    first.run("100us")
    first.checkpoint(tmp_path / "middle.ckpt")
    second = Simulation.restore(tmp_path / "middle.ckpt")
    second.run("1s", until_symbol="done")
    before = first.machine.profile()["nodes"]["entered"]
    assert 0 < sum(before) < sum(second.machine.profile()["nodes"]["entered"])
    assert second.machine.profile()["nodes"] == whole.machine.profile()["nodes"]


def test_sums_of_a_tree_worked_out_by_hand() -> None:
    # 0 calls 1 and 2; 1 calls 0 again, which calls 2; an interrupt's handler, 3, calls 2.
    nodes = {
        "parent": [-1, 0, 0, 1, 3, -1, 5],
        "function": [0, 1, 2, 0, 2, 3, 2],
        "entered": [0, 5, 7, 11, 13, 17, 19],
    }
    counted = {
        "node": [0, 1, 1, 2, 3, 4, 5, 6],
        "instructions": [1, 10, 10, 100, 1000, 10_000, 100_000, 1_000_000],
        "cycles": [2, 20, 20, 200, 2000, 20_000, 200_000, 2_000_000],
    }
    assert sums_by_function(nodes, counted) == {
        0: Sums(1001, 2002, 11, 11_121, 22_242),
        1: Sums(20, 40, 5, 11_020, 22_040),
        2: Sums(1_010_100, 2_020_200, 39, 1_010_100, 2_020_200),
        3: Sums(100_000, 200_000, 17, 1_100_000, 2_200_000),
    }
    unknown = sums_by_function({**nodes, "entered": [-1] * 7}, counted)
    assert {sums.entered for sums in unknown.values()} == {-1}
