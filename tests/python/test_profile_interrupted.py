"""Attribution under interrupts: interrupted code goes on in its context, wherever the interrupt came."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from socscope.image import Image
from socscope.platform import Platform, load
from socscope.replay.verify import verify
from socscope.simulation import Simulation

PROGRAMS = Path("tests/programs")
ARM = ["arm-none-eabi-gcc", "-nostdlib", "-Wl,-Ttext=0", "-Wl,-estart"]
POWERPC = ["powerpc-linux-gnu-gcc", "-mcpu=750", "-nostdlib", "-static", "-Wl,--build-id=none"]
# An instruction takes a cycle, and the decrementer counts them.
CYCLES_OF_ARM = ["/cpus/cpu@0:socscope,timing=fixed-cpi", "/cpus/cpu@0:socscope,cpi=1 1"]
CYCLES_OF_POWERPC = ["/cpus/PowerPC,8641@0:timebase-frequency=1350000000"]

TASK_SWITCH = 2

MAIN = """
falls
falls/falls_on
falls/falls_on/falls_last
falls/falls_on/falls_last/leaf
pushes
pushes/pushes_on
pushes/pushes_on/leaf
pushes/pushes_on/pops
tail
tail/falls_on
tail/falls_on/falls_last
tail/falls_on/falls_last/leaf
loops
loops_pushed
traps
traps/traps_on
ends_in_call
ends_in_call/leaf
ends_in_call/ends
"""


def built(program: str, options: list[str], folder: Path) -> Image:
    image = folder / f"{program}.elf"
    subprocess.run([*options, PROGRAMS / f"{program}.S", "-o", image], check=True)
    return Image.read(image)


Chains = Counter[str]


def chains(simulation: Simulation) -> Chains:
    """Instructions and data accesses by chain of functions, without handlers and the other task."""
    tables = simulation.machine.profile()
    nodes = tables["nodes"]
    names = {one.id: one.name for one in simulation.image.functions}
    found: list[str] = []
    left_out: list[bool] = []
    for core, parent, function, entry in zip(
        nodes["core"], nodes["parent"], nodes["function"], nodes["entry"], strict=True
    ):
        name = names.get(function, "?")
        root = parent < 0
        found.append(name if root else f"{found[parent]}/{name}")
        of_handler = (entry == "exception" and root) or name == "other" or core > 0
        left_out.append(of_handler if root else left_out[parent])
    counts: Chains = Counter()
    for table, column in ("instructions", "instructions"), ("accesses", "count"):
        for node, count in zip(tables[table]["node"], tables[table][column], strict=True):
            if not left_out[node]:
                counts[f"{table} {found[node]}"] += count
    return counts


def test_entries_of_all_kinds_have_their_contexts(tmp_path: Path) -> None:
    simulation = Simulation(
        "at91eb40a", built("entries-arm", ARM, tmp_path), overrides=CYCLES_OF_ARM, profile=True
    )
    simulation.run("1ms", until_symbol="done")
    trap = "traps/vectors\ntraps/vectors/trap_handler\ntraps/vectors/trap_handler/leaf"
    main = [f"vectors/reset/main/{line}" for line in [*MAIN.split(), *trap.split()]]
    expected = {"vectors", "vectors/reset", "vectors/reset/main", *main}
    found = {key.removeprefix("instructions ") for key in chains(simulation) if key.startswith("instr")}
    assert found == expected


def interrupted_arm(image: Image, platform: Platform, variant: int, at: int | None) -> tuple[Chains, int]:
    """The program with an interrupt so many cycles behind its beginning, and how many it takes."""
    simulation = Simulation(platform, image, overrides=CYCLES_OF_ARM, profile=True)
    machine = simulation.machine
    simulation.run("1ms", until_symbol="begin")
    begin = machine.cycle
    machine.poke(image.address_of("variant"), variant.to_bytes(4, "little"))
    machine.set_input("aic", "irq0", False)
    if at:
        simulation.run(f"{at}cycles")
    if at is not None:
        machine.set_input("aic", "irq0", True)
    stop = simulation.run("1ms", until_symbol="done").stop
    assert stop.kind == "address", (at, stop)
    return chains(simulation), machine.cycle - begin


def interrupted_powerpc(image: Image, platform: Platform, variant: int, at: int | None) -> tuple[Chains, int]:
    simulation = Simulation(platform, image, overrides=CYCLES_OF_POWERPC, profile=True)
    simulation.machine.poke(image.address_of("variant"), variant.to_bytes(4, "big"))
    if at is not None:
        simulation.machine.poke(image.address_of("ticks"), at.to_bytes(4, "big"))
    stop = simulation.run("1ms", until_symbol="done").stop
    assert stop.kind == "address", (at, stop)
    return chains(simulation), simulation.machine.cycle


@pytest.mark.parametrize("variant", [0, 1, 2], ids=["plain", "nested", "task switch"])
def test_an_interrupt_before_any_instruction_of_arm_changes_no_other_context(
    tmp_path: Path, variant: int
) -> None:
    image, platform = built("entries-arm", ARM, tmp_path), load("at91eb40a")
    expected, cycles = interrupted_arm(image, platform, variant, None)
    # A function that has put its stack pointer above its own frame is not found again by another task.
    begin = 1 if variant == TASK_SWITCH else 0
    for at in range(begin, cycles):
        assert interrupted_arm(image, platform, variant, at)[0] == expected, at


@pytest.mark.parametrize("variant", [0, 1], ids=["plain", "nested"])
def test_an_interrupt_before_any_instruction_of_powerpc_changes_no_other_context(
    tmp_path: Path, variant: int
) -> None:
    options = [*POWERPC, "-Wl,-Ttext=0", "-Wl,-estart"]
    image, platform = built("entries-powerpc", options, tmp_path), load("mpc8641d")
    expected, cycles = interrupted_powerpc(image, platform, variant, None)
    for at in range(1, cycles):
        assert interrupted_powerpc(image, platform, variant, at)[0] == expected, at


def test_both_engines_attribute_what_a_function_falls_into(tmp_path: Path) -> None:
    image = built("falls_through", ARM, tmp_path)
    tables = []
    for engine in ("translated", "interpreted"):
        simulation = Simulation("at91eb40a", image, engine=engine, profile=True)
        simulation.run("30ms")
        tables.append(simulation.machine.profile())
    assert tables[0] == tables[1]
    # Nothing but the beginning and the interrupt is a root.
    names = {one.id: one.name for one in image.functions}
    nodes = tables[0]["nodes"]
    roots = [
        names.get(function)
        for parent, function in zip(nodes["parent"], nodes["function"], strict=True)
        if parent < 0
    ]
    assert roots == ["start", "start"]
    simulation.record(tmp_path / "run")
    assert all(check.same for check in verify(simulation.record(tmp_path / "again")))
