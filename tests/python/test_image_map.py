"""Images that begin before the remap, behind it, and in on-chip memory: their map, and their names."""

import json
import subprocess
from pathlib import Path

import pytest
from sheets import typed
from socscope.errors import SocscopeError
from socscope.simulation import Engine, Simulation

BOARD = "at91eb40a"

# Flash at 0x01000000 behind the remap; `work` runs there, and from the place that BASE gives before.
SELF_REMAPPING = """.text
.global _start, before, work, halt
.type _start, %function
_start: b before
        .rept 7
        b .
        .endr
        .size _start, . - _start
        .type before, %function
before: ldr r0, =0xffe00000
        ldr r1, =0x01002535
        str r1, [r0]
        ldr r2, =FINAL
        mov r1, #1
        str r1, [r0, #0x20]
        mov pc, r2
        .ltorg
        .size before, . - before
        .type work, %function
work:   mov r4, #200
1:      subs r4, r4, #1
        bne 1b
        mov r5, #0
        str r4, [r5, #0x40]
        b halt
        .size work, . - work
        .type halt, %function
halt:   b .
        .size halt, . - halt
"""
IN_RAM = """.text
.global _start
.type _start, %function
_start: b begin
        .rept 7
        b .
        .endr
begin:  ldr sp, =0x3000
        push {r0}
halt:   b .
        .size _start, . - _start
"""


def built(folder: Path, source: str, *options: str) -> Path:
    """An image of an assembler program."""
    (folder / "x.S").write_text(source)
    flags = ["-mcpu=arm7tdmi", "-g", "-nostdlib", "-Wl,-z,max-page-size=4096", *options]
    subprocess.run(["arm-none-eabi-gcc", *flags, "x.S", "-o", "x.elf"], cwd=folder, check=True)
    return folder / "x.elf"


def names(simulation: Simulation) -> dict[str, int]:
    """Instructions by function."""
    tables = simulation.counts().tables
    rows = tables["functions"].to_pylist()
    return {row["name"]: row["instructions"] for row in rows if row["instructions"]}


BASES = {"at 0": ("-Ttext=0", "work + 0x01000000"), "behind the remap": ("-Ttext=0x01000000", "work")}


@pytest.mark.parametrize("engine", ["interpreted", "translated"])
@pytest.mark.parametrize("place", BASES)
def test_names_hold_before_and_behind_the_remap(tmp_path: Path, place: str, engine: Engine) -> None:
    option, final = BASES[place]
    image = built(tmp_path, SELF_REMAPPING.replace("FINAL", final), option)
    simulation = Simulation(BOARD, image, profile=True, engine=engine)
    machine = simulation.machine
    assert machine.registers()["r15"] == 0
    outcome = simulation.run("1ms", until_symbol="work")
    assert (outcome.stop.kind, machine.registers()["r15"] >> 24) == ("address", 1)
    twin = simulation.fork()
    simulation.checkpoint(tmp_path / "half.checkpoint")
    restored = Simulation.restore(tmp_path / "half.checkpoint")
    for one in (simulation, twin, restored):
        stop = one.run("30ms").stop
        assert stop.kind == "loop"
        assert "in an endless loop at halt (" in stop.detail
        assert names(one) == {"_start": 1, "before": 7, "work": 404, "halt": names(one)["halt"]}
        assert one.machine.state_hash() == simulation.machine.state_hash()


def test_image_in_on_chip_memory_stays_there_and_says_so(tmp_path: Path) -> None:
    image = built(tmp_path, IN_RAM, "-Ttext=0")
    simulation = Simulation(BOARD, image)
    assert simulation.run("30ms").stop.kind == "loop"
    note = simulation.machine.image_note()
    assert note == (
        "the image fits both the map at reset and the map after the remap, and no address in its code says "
        "which; it is loaded in the map after the remap, as by a boot loader. "
        "--set /chosen:socscope,image-map=reset starts it as flashed, =remapped leaves it so "
        "without this note"
    )
    assert simulation.record(tmp_path / "record").manifest.warnings == [note]
    silent = Simulation(BOARD, image, overrides=["/chosen:socscope,image-map=remapped"])
    silent.run("30ms")
    assert silent.machine.image_note() is None
    assert silent.machine.state_hash() == simulation.machine.state_hash()
    flashed = Simulation(BOARD, image, overrides=["/chosen:socscope,image-map=reset"])
    assert flashed.machine.peek(0, 4) == simulation.machine.peek(0, 4)
    assert [region["name"] for region in flashed.machine.regions() if region["start"] == 0] == ["flash"]


def test_image_as_flashed_is_told_with_the_address_that_says_so(tmp_path: Path) -> None:
    image = built(tmp_path, SELF_REMAPPING.replace("FINAL", "work + 0x01000000"), "-Ttext=0")
    note = Simulation(BOARD, image).machine.image_note()
    assert note is not None
    assert "it starts as flashed, because its code has the address 0x01002535" in note
    # A constant of the same value that is loaded in on-chip memory, and does not begin at 0, is none.
    later = built(tmp_path, SELF_REMAPPING.replace("FINAL", "work + 0x01000000"), "-Ttext=0x100")
    simulation = Simulation(BOARD, later)
    assert simulation.machine.image_note() is None
    assert simulation.machine.registers()["r15"] == 0x100


def test_variables_that_are_loaded_at_0_need_the_remap(tmp_path: Path) -> None:
    source = IN_RAM + ".data\nvalue: .word 5\n"
    image = built(tmp_path, source, "-Ttext=0", "-Tdata=0x1000")
    assert Simulation(BOARD, image).machine.image_note() is None


def test_what_fits_one_map_only_needs_no_choice(tmp_path: Path) -> None:
    # More than the on-chip memory of 8 KiB holds, and less than the flash.
    image = built(tmp_path, IN_RAM + ".space 0x3000\n", "-Ttext=0")
    simulation = Simulation("at91x40", image)
    assert simulation.machine.image_note() is None
    assert [region["name"] for region in simulation.machine.regions() if region["start"] == 0] == ["rom"]


def test_wrong_choices_are_refused(tmp_path: Path) -> None:
    image = built(tmp_path, IN_RAM, "-Ttext=0x100")
    place = "/chosen: property socscope,image-map: "
    message = place + '"rest" is neither "reset" nor "remapped"; the nearest is reset'
    with pytest.raises(SocscopeError, match=message):
        Simulation(BOARD, image, overrides=["/chosen:socscope,image-map=rest"])
    message = f'x.elf: {place}"reset" starts an image at the reset vector, and this one has no code there'
    with pytest.raises(SocscopeError, match=message):
        Simulation(BOARD, image, overrides=["/chosen:socscope,image-map=reset"])


def test_command_says_which_map_was_chosen(tmp_path: Path) -> None:
    image = built(tmp_path, IN_RAM, "-Ttext=0")
    _, messages = typed("run", BOARD, image)
    assert messages.replace("\n", " ").startswith("note: the image fits both")
    said, _ = typed("run", BOARD, image, "--json")
    assert json.loads(said)["note"].startswith("the image fits both")
