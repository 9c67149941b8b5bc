"""Cores with memories of their own: images that are linked for one address, and one record of both."""

import re
from pathlib import Path

import pytest
import socscope
from socscope import _core
from socscope.replay import verify
from socscope.simulation import Simulation
from test_mixed import TREE, build, typed  # type: ignore[import-not-found] # Tests beside it.

OWN = 0x10000
# Each in its own memory, which has the word that it counts in, too.
COUNTS = f"void {{name}}(void) {{{{ for (;;) ((volatile unsigned *){OWN + 0x800:#x})[0] += 1; }}}}\n"


def tree() -> str:
    cores: str = TREE.replace("PowerPC,750@0", "one: PowerPC,750@0").replace("cpu@1", "two: cpu@1")
    own = "".join(
        f"""
    bus-of-{core} {{
        #address-cells = <1>;
        #size-cells = <1>;
        ranges;
        local_{core}: sram@10000 {{
            compatible = "mmio-sram"; reg = <{OWN:#x} 0x1000>; socscope,private-to = <&{core}>;
        }};
    }};"""
        for core in ("one", "two")
    )
    return cores.replace("    memory@0", f"{own}\n    memory@0")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("private")
    (folder / "private.dts").write_text(tree())
    compilers = {
        "first": ("powerpc-linux-gnu-gcc", "-mcpu=750"),
        "second": ("arm-none-eabi-gcc", "-mcpu=arm7tdmi"),
    }
    images = [
        build(folder, name, COUNTS.format(name=name), OWN, *command) for name, command in compilers.items()
    ]
    return folder / "private.dts", images[0], images[1]


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_a_record_names_the_functions_of_both(
    files: tuple[Path, Path, Path], tmp_path: Path, engine: str
) -> None:
    board, first, second = files
    out = tmp_path / "run"
    images = [f"--image=cpu{core}={image}" for core, image in enumerate((first, second))]
    typed("run", board, *images, "--for", "200us", "--profile", "--engine", engine, "--out", out)
    run = socscope.open(out)
    counted = {row["name"]: row["instructions"] for row in run.rows("functions")}
    assert counted["first"] > 1_000
    assert counted["second [second]"] > 500
    assert {row["region"] for row in run.rows("instructions")} == {"cpu0.local_one", "cpu1.local_two"}
    assert [str(difference) for check in verify(run, image=first) for difference in check.differences] == []


def test_a_profile_goes_on_over_a_checkpoint(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    board, first, second = files
    whole = Simulation(str(board), first, images={1: second})
    whole.enable_profile("all")
    whole.run("200us")
    begun = Simulation(str(board), first, images={1: second})
    begun.enable_profile("all")
    begun.run("100us")
    begun.checkpoint(tmp_path / "saved")
    restored = Simulation.restore(tmp_path / "saved")
    restored.run("100us")
    expected = whole.counts().tables
    assert {
        name for name, table in restored.counts().tables.items() if not table.equals(expected[name])
    } == set()


def test_memory_is_looked_at_and_changed_as_a_core_sees_it(files: tuple[Path, Path, Path]) -> None:
    board, first, second = files
    simulation = Simulation(str(board), first, images={1: second})
    simulation.run("100us")
    machine = simulation.machine
    assert [one["core"] for one in machine.regions() if one["start"] == OWN] == [0, 1]
    words = [machine.peek(OWN + 0x800, 4, core) for core in (0, 1, None)]
    assert [int.from_bytes(words[0], "big") > 1_000, int.from_bytes(words[1], "little") > 100] == [True, True]
    assert words[2] == bytes(4)
    machine.poke(OWN + 0x804, b"mine", 1)
    machine.poke(OWN + 0x804, b"ours")
    assert [machine.peek(OWN + 0x804, 4, core) for core in (0, 1, None)] == [bytes(4), b"mine", b"ours"]
    assert machine.inputs()["target"][1:] == ["cpu1.0x00010804", "0x00010804"]
    with pytest.raises(ValueError, match="the machine has no such core: give a number below 2"):
        machine.peek(OWN, 4, 2)


def test_signals_have_the_names_of_their_cores(files: tuple[Path, Path, Path]) -> None:
    board, first, second = files
    machine = Simulation(str(board), first, images={1: second}).machine
    machine.set_input("cpu1", "irq", level=True)
    levels = dict(machine.core_signals())
    assert list(levels) == ["cpu0.irq", "cpu0.mcp", "cpu0.sreset", "cpu1.irq", "cpu1.fiq"]
    assert [name for name, level in levels.items() if level] == ["cpu1.irq"]
    assert machine.inputs()["target"][1:] == ["cpu1.irq"]
    for wrong in ("cpu01", "cpu+1"):
        with pytest.raises(_core.PlatformError, match=re.escape(wrong)):
            machine.set_input(wrong, "irq", level=True)


def test_a_way_back_shows_what_the_core_has_written(files: tuple[Path, Path, Path]) -> None:
    board, first, second = files
    simulation = Simulation(str(board), first, images={1: second})
    history = simulation.history()
    simulation.run("100us")
    found = history.last_write(f"{OWN + 0x800:#x}")
    assert found is not None
    # All share a memory beneath, where nothing is ever written.
    assert found.new is not None
    assert found.old == found.new - 1


def test_cores_that_no_machine_has_are_refused(files: tuple[Path, Path, Path]) -> None:
    machine = Simulation(str(files[0]), files[1], images={1: files[2]}).machine
    with pytest.raises(ValueError, match=re.escape("no machine has the cores [64]")):
        machine.mark_address(256, "mark", OWN, [64])
