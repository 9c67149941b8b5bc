"""Names of all images on a machine whose cores have one each."""

import re
import subprocess
from pathlib import Path

import pytest
from socscope.errors import ImageError
from socscope.simulation import Simulation
from test_mixed import TREE, build  # type: ignore[import-not-found] # A test beside it.

COUNT = "unsigned done;\nvoid count(void) { done += 1; }\n"
LOOP = "void %s(void) { for (;;) { ((volatile unsigned *)0x8000)[%d] += 1; count(); } }\n"
FIRST = COUNT + LOOP % ("run", 0) + '__asm__(".globl first\\nfirst: lis 1,2\\nb run");\n'
SECOND = (
    COUNT
    + LOOP % ("turn", 1)
    + "void crash(void) { *(volatile unsigned *)0xf0000000; }\n"
    + '__asm__(".globl second\\nsecond: mov sp,#0x18000\\n%s");\n'
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("images")
    (folder / "mixed.dts").write_text(TREE)
    arm = ("arm-none-eabi-gcc", "-mcpu=arm7tdmi")
    return {
        "board": folder / "mixed.dts",
        "first": build(folder, "first", FIRST, 0x1000, "powerpc-linux-gnu-gcc", "-mcpu=750"),
        "second": build(folder, "second", SECOND % "b turn", 0x4000, *arm),
        "broken": build(folder, "broken", (SECOND % "bl crash").replace("second", "broken"), 0x4000, *arm),
    }


def simulation(files: dict[str, Path], second: str = "second") -> Simulation:
    return Simulation(str(files["board"]), files["first"], images={1: files[second]})


def test_a_run_ends_at_a_symbol_of_any_image(files: dict[str, Path]) -> None:
    for name, core, function in (
        ("turn", 1, "turn"),
        ("run", 0, "run"),
        ("cpu1:count", 1, "count"),
        ("cpu0:count", 0, "count"),
    ):
        one = simulation(files)
        assert one.run("1ms", until_symbol=name).stop.kind == "address"
        machine = one.machine
        assert machine.turn == core
        assert one.images.of(core).describe(machine.pc) == function
    # A number is any core's unless it says which.
    place = one.images.named("cpu1:count").address
    assert one.run("1ms", until_symbol=f"cpu0:{place:#x}").stop.kind == "time"
    assert one.run("1ms", until_symbol=f"{place:#x}").stop.kind == "address"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "count",
            "count: the images of cpu0 (first.elf) and cpu1 (second.elf) have it; write cpu0:count or "
            "cpu1:count",
        ),
        ("cpu2:count", "cpu2:count: the machine has no core 2; its cores are 0 to 1"),
        ("cpu1:run", "second.elf: no symbol run"),
        ("nothing", "first.elf: no symbol nothing; nor has "),
    ],
)
def test_names_that_are_not_one_place_are_refused(files: dict[str, Path], name: str, message: str) -> None:
    one = simulation(files)
    with pytest.raises(ImageError, match=re.escape(message)):
        one.run("1us", until_symbol=name)
    with pytest.raises(ImageError, match=re.escape(message)):
        one.enable_profile(f"symbols {name}..run")
    with pytest.raises(ImageError, match=re.escape(message)):
        one.mark_at(name)


def test_windows_and_marks_are_of_any_image(files: dict[str, Path]) -> None:
    one = simulation(files)
    one.enable_profile("symbols turn..cpu1:count")
    number = one.mark_at("cpu1:count")
    one.run("20us")
    functions = {row["name"]: row["instructions"] for row in one.counts().tables["functions"].to_pylist()}
    assert functions["turn [second]"] > 0
    assert [row["number"] for row in one.counts().tables["marks"].to_pylist()][:2] == [number, number]


@pytest.mark.parametrize("core", [0, 1])
def test_windows_and_marks_of_one_core_are_not_those_of_another(files: dict[str, Path], core: int) -> None:
    one = simulation(files)
    turn, count = (one.images.named(f"cpu1:{name}").address for name in ("turn", "count"))
    one.enable_profile(f"symbols cpu{core}:{turn:#x}..cpu{core}:{count:#x}")
    one.mark_at(f"cpu{core}:{count:#x}")
    one.run("20us")
    tables = one.counts().tables
    # Only the second core ever executes there.
    assert (tables["spans"].num_rows > 0) == (core == 1)
    assert {row["core"] for row in tables["marks"].to_pylist()} == ({1} if core == 1 else set())


def test_a_crash_is_told_with_the_names_of_the_core_that_crashed(files: dict[str, Path]) -> None:
    outcome = simulation(files, "broken").run("10ms")
    assert outcome.stop.kind == "crash"
    assert outcome.crash is not None
    # The first image has nothing there, and a PowerPC no such register.
    assert "cpsr" in outcome.crash
    assert re.search(r"^  #0 0x00004\w+ count$", outcome.crash.split("supervisor mode remembers:")[1], re.M)


def test_going_back_names_the_core_and_reads_its_byte_order(files: dict[str, Path]) -> None:
    one = simulation(files)
    history = one.history()
    one.run("50us")
    found = history.last_write("cpu1:done")
    assert found is not None
    assert found.function.startswith("count+")
    # Little-endian numbers: one more each time.
    assert (found.old, found.new) == (found.new - 1 if found.new else None, found.new)
    history.present()
    other = history.last_write("cpu0:done")
    assert other is not None
    assert other.new is not None
    assert other.old == other.new - 1
    history.present()
    for core in (0, 1):
        call = history.last_call(f"cpu{core}:count")
        assert call is not None
        assert (one.machine.turn, call.function) == (core, "count")
        history.present()


def test_code_that_lies_elsewhere_is_found_in_any_image(files: dict[str, Path], tmp_path: Path) -> None:
    moved = tmp_path / "moved.elf"
    command = [
        "arm-none-eabi-objcopy",
        "--change-section-lma",
        ".text+0x8000",
        str(files["second"]),
        str(moved),
    ]
    subprocess.run(command, check=True, capture_output=True)
    one = Simulation(str(files["board"]), files["first"], images={1: moved})
    assert one.run("1ms", until_symbol="turn").stop.kind == "address"
    assert one.machine.pc == one.images.named("turn").address + 0x8000
    assert one.history().here().function == "turn"
