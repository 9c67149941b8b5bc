"""A machine with a PowerPC and an ARM: an image for each, one record of both."""

import subprocess
from pathlib import Path

import pytest
import socscope
from socscope import _core
from socscope.cli import app
from socscope.errors import OptionError, SocscopeError
from socscope.replay import verify
from socscope.simulation import Simulation
from typer.testing import CliRunner

TREE = """/dts-v1/;
/ {
    #address-cells = <1>;
    #size-cells = <1>;
    fast: fast { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <100000000>; };
    slow: slow { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <50000000>; };
    cpus {
        #address-cells = <1>;
        #size-cells = <0>;
        PowerPC,750@0 { device_type = "cpu"; reg = <0>; clocks = <&fast>; };
        cpu@1 { device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <1>; clocks = <&slow>; };
    };
    memory@0 { device_type = "memory"; reg = <0 0x40000>; };
};
"""
# Each adds to a word of the other's as it sees it.
FIRST = "void first(void) { for (;;) ((volatile unsigned *)0x8000)[0] += 1; }\n"
SECOND = "void second(void) { for (;;) ((volatile unsigned *)0x8000)[1] += 1; }\n"


def build(folder: Path, name: str, source: str, address: int, *command: str) -> Path:
    (folder / f"{name}.c").write_text(source)
    image = folder / f"{name}.elf"
    options = ["-O1", "-ffreestanding", "-nostdlib", "-static", f"-Wl,-Ttext={address:#x},-e,{name},-N"]
    built = [*command, *options, "-Wl,--build-id=none", f"{name}.c", "-o", image.name]
    subprocess.run(built, cwd=folder, check=True, capture_output=True)
    return image


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "mixed.dts").write_text(TREE)
    first = build(folder, "first", FIRST, 0x1000, "powerpc-linux-gnu-gcc", "-mcpu=750")
    second = build(folder, "second", SECOND, 0x4000, "arm-none-eabi-gcc", "-mcpu=arm7tdmi")
    return folder / "mixed.dts", first, second


def typed(*arguments: str | Path, status: tuple[int, ...] = (0,)) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code in status, done.output
    return done.stdout + done.stderr


def test_each_core_counts_in_its_own_byte_order(files: tuple[Path, Path, Path]) -> None:
    board, first, second = files
    simulation = Simulation(str(board), first, images={1: second})
    assert simulation.machine.cores == [("750", 20, 100_000_000), ("arm7tdmi", 40, 50_000_000)]
    simulation.run("1ms")
    words = simulation.machine.peek(0x8000, 8)
    assert int.from_bytes(words[:4], "big") > 10_000
    # A load, an add, a store and a branch of the ARM take 3 + 1 + 2 + 3 cycles.
    assert abs(int.from_bytes(words[4:], "little") - 50_000 // 9) < 60
    assert simulation.machine.time_ps == 10**9


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_a_record_of_both_is_verified_and_names_both(
    files: tuple[Path, Path, Path], tmp_path: Path, engine: str
) -> None:
    board, first, second = files
    out = tmp_path / "run"
    images = [f"--image=cpu{core}={image}" for core, image in enumerate((first, second))]
    typed("run", board, *images, "--for", "200us", "--profile", "--engine", engine, "--out", out)
    run = socscope.open(out)
    assert "core 0 (750, 100000000 Hz): " in run.manifest.timing.model
    assert "core 1 (arm7tdmi, 50000000 Hz): " in run.manifest.timing.model
    counted = {row["name"]: row["instructions"] for row in run.rows("functions")}
    assert counted["first"] > 1_000
    assert counted["second [second]"] > 500
    [image] = [row for row in run.rows("input") if row["kind"] == "image"]
    assert (image["target"], image["detail"]) == ("cpu1", str(second))
    assert [str(difference) for check in verify(run, image=first) for difference in check.differences] == []


def test_images_are_refused_with_what_is_wrong(files: tuple[Path, Path, Path]) -> None:
    board, first, second = files

    def said(*images: str | Path) -> str:
        return " ".join(typed("run", board, *images, "--for", "1us", status=(1, 2)).split())

    assert "built for PowerPC, the machine's core is ARM" in said(first, f"--image=cpu1={first}")
    assert "the machine has no core 7; its cores are 0 to 1" in said(first, f"--image=cpu7={second}")
    twice = [f"--image=cpu1={second}"] * 2
    assert f"--image cpu1={second}: cpu1 has {second} already; leave one of them out" in said(first, *twice)
    for core, what in ((0, "core 0 has an image already"), (-1, "no core -1"), (70_000, "no core 70000")):
        with pytest.raises(SocscopeError, match=what):
            Simulation(str(board), first, images={core: second})
    assert "--image second: not a core and its image; write for instance cpu1=second.elf" in said(
        first, "--image=second"
    )
    assert "the first core's image already" in said(first, f"--image=cpu0={first}")
    assert "the first core has none; give it one: --image cpu0=first.elf" in said(f"--image=cpu1={second}")
    simulation = Simulation(str(board), first)
    simulation.run("1us")
    with pytest.raises(
        _core.ImageError, match="the machine has run already: images of cores are for its start"
    ):
        simulation.machine.load_image(1, second.read_bytes(), "second.elf")


def test_names_of_both_are_known_after_a_checkpoint(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    board, first, second = files
    simulation = Simulation(str(board), first, images={1: second})
    simulation.run("100us")
    simulation.checkpoint(tmp_path / "saved")
    for one in (simulation.fork(), Simulation.restore(tmp_path / "saved")):
        one.enable_profile("all")
        one.run("100us")
        assert {row.name for row in one.module_functions} == {"second"}


def test_functions_of_two_images_at_one_address_are_refused(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    board, first, _ = files
    image = build(tmp_path, "second", SECOND, 0x1000, "arm-none-eabi-gcc", "-mcpu=arm7tdmi")
    linked = ["arm-none-eabi-objcopy", "--change-section-lma", ".text=0x4000", image.name, "moved.elf"]
    subprocess.run(linked, cwd=tmp_path, check=True)
    simulation = Simulation(str(board), first, images={1: tmp_path / "moved.elf"})
    with pytest.raises(OptionError, match="link the images for different addresses"):
        simulation.enable_profile("all")
