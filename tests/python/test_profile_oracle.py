"""The profile against counts that something else made: unicorn, and single steps of the same run."""

# mypy: disable-error-code="no-untyped-call"

import subprocess
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
import unicorn
from elftools.elf.elffile import ELFFile
from socscope.image import Image
from socscope.simulation import Simulation
from unicorn import arm_const

PROGRAMS = Path(__file__).parents[2] / "benches" / "programs"
SRAM_BYTES = 256 * 1024

Counts = Counter[tuple[str, ...]]


@pytest.fixture(scope="module", params=[("crc32", "-marm"), ("sort", "-mthumb"), ("copy", "-marm")])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that runs from on-chip SRAM and ends in a loop after mark 2."""
    name, instruction_set = request.param
    target: Path = tmp_path_factory.mktemp("programs") / f"{name}.elf"
    flags = ["-mcpu=arm7tdmi", instruction_set, "-mthumb-interwork", "-O2", "-ffreestanding", "-nostdlib"]
    sources = [PROGRAMS / "start.S", PROGRAMS / f"{name}.c"]
    command = [
        "arm-none-eabi-gcc",
        *flags,
        "-DROUNDS=1",
        "-T",
        PROGRAMS / "program.ld",
        "-o",
        target,
        *sources,
    ]
    subprocess.run([*command, "-lgcc"], check=True)
    return target


def profiled(program: Path) -> tuple[Simulation, Counts]:
    """The profile's counts from reset to mark 2: instructions and accesses by function."""
    simulation = Simulation("at91eb40a", program, profile=True)
    assert simulation.run(until_mark=2).stop.kind == "mark"
    tables = simulation.machine.profile()
    names = {one.id: one.name for one in simulation.image.functions}
    functions = [names.get(function, "?") for function in tables["nodes"]["function"]]
    counts: Counts = Counter()
    table = tables["instructions"]
    for node, count in zip(table["node"], table["instructions"], strict=True):
        counts["instruction", functions[node]] += count
    table = tables["accesses"]
    columns = (table["node"], table["width_bits"], table["direction"], table["count"])
    for node, width_bits, direction, count in zip(*columns, strict=True):
        counts[direction, str(width_bits), functions[node]] += count
    return simulation, counts


def counted_by_unicorn(program: Path, end: int) -> Counts:
    """The same from unicorn, from reset to the instruction at `end`."""
    image = Image.read(program)
    counts: Counts = Counter()
    function = "?"

    def code(_engine: unicorn.Uc, address: int, size: int, _data: object) -> None:
        nonlocal function
        found = image.function_at(address)
        function = found.name if found else "?"
        # The two halves of a Thumb BL are one instruction to unicorn and two to an ARM7TDMI.
        counts["instruction", function] += 2 if found and found.thumb and size == 4 else 1

    def memory(
        _engine: unicorn.Uc, access: int, _address: int, size: int, _value: int, _data: object
    ) -> None:
        direction = "write" if access == unicorn.UC_MEM_WRITE else "read"
        counts[direction, str(size * 8), function] += 1

    engine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    engine.ctl_set_cpu_model(arm_const.UC_CPU_ARM_926)
    engine.mem_map(0, SRAM_BYTES)
    for segment in ELFFile(BytesIO(image.data)).iter_segments("PT_LOAD"):
        engine.mem_write(segment["p_paddr"], segment.data())
    engine.hook_add(unicorn.UC_HOOK_CODE, code)
    engine.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, memory)
    engine.emu_start(0, end)
    return counts


def test_counts_equal_those_of_unicorn(program: Path) -> None:
    simulation, ours = profiled(program)
    instructions = sum(count for key, count in ours.items() if key[0] == "instruction")
    assert instructions > 10_000
    assert ours == counted_by_unicorn(program, simulation.machine.registers()["r15"])
    spans = simulation.machine.profile()["spans"]
    assert spans["instructions"] == [instructions]


def test_counts_equal_those_of_single_steps(program: Path) -> None:
    simulation, ours = profiled(program)
    stepped = Simulation("at91eb40a", program)
    counts: Counts = Counter()
    while stepped.machine.cycle < simulation.machine.cycle:
        found = stepped.image.function_at(stepped.machine.registers()["r15"])
        counts["instruction", found.name if found else "?"] += 1
        stepped.machine.step()
    assert counts == Counter({key: count for key, count in ours.items() if key[0] == "instruction"})
    assert stepped.machine.state_hash() == simulation.machine.state_hash()


def test_the_parts_add_up_to_the_whole(program: Path) -> None:
    simulation, _ = profiled(program)
    tables = simulation.machine.profile()
    span = {column: values[0] for column, values in tables["spans"].items()}
    cycles = sum(tables["instructions"]["cycles"]) + span["stopped_cycles"] + span["bus_held_cycles"]
    assert cycles == span["end_cycle"] - span["start_cycle"] == simulation.machine.cycle
