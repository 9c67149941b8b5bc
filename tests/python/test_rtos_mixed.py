"""The kernel on a PowerPC and on an ARM of one system on chip, each with its own image."""

import re
from pathlib import Path

import pytest
import socscope
from self_tests import PROGRAMS, ROOT, build, check_passed
from socscope.simulation import Engine, Simulation

PANICS = {
    "panic": ("kernel stack overflow", "kernel stack overflow", 0),
    "panic_abort": ("machine check", "data abort", 1),
}
# Of PowerPCs alone; the other core runs another program meanwhile.
PROCESSOR = "processor"


def images(program: str, isa: str = "arm") -> tuple[Path, Path]:
    folders = [build("tests", f"BOARD=mixed-{name}", f"ISA={isa}") for name in ("powerpc", "arm")]
    names = [program, "minimal" if program == PROCESSOR else program]
    first, second = (folder / f"tests/{name}.elf" for folder, name in zip(folders, names, strict=True))
    return first, second


def run(
    program: str, isa: str = "arm", engine: Engine = "translated", *, profile: bool = False
) -> Simulation:
    """Until both have said what they found."""
    first, second = images(program, isa)
    simulation = Simulation("mixed-soc", first, images={1: second}, engine=engine, profile=profile)
    for port in ("serial0", "serial1"):
        if not simulation.output(port).endswith(b" failed\n"):
            outcome = simulation.run("2s", until_output=" failed\n", port=port)
            assert outcome.crash is None, outcome.crash
    return simulation


@pytest.mark.parametrize("isa", ["arm", "thumb"])
@pytest.mark.parametrize(
    "program", [*(name for name in PROGRAMS if name not in PANICS), PROCESSOR, "exchange"]
)
def test_self_tests_pass_on_both_at_once(program: str, isa: str) -> None:
    simulation = run(program, isa)
    for port in ("serial0", "serial1"):
        check_passed(simulation.output(port).decode())


@pytest.mark.parametrize("program", [PROCESSOR, "exchange", "interrupt", "fault"])
def test_both_engines_do_the_same(program: str) -> None:
    engines: tuple[Engine, Engine] = ("translated", "interpreted")
    translated, interpreted = (run(program, engine=engine) for engine in engines)
    assert translated.machine.state_hash() == interpreted.machine.state_hash()


@pytest.mark.parametrize("program", PANICS)
def test_panics_tell_the_registers_of_their_core(program: str) -> None:
    powerpc, arm, depth = PANICS[program]
    first, second = images(program)
    simulation = Simulation("mixed-soc", first, images={1: second})
    simulation.run("100ms")
    for port, reason in (("serial0", powerpc), ("serial1", arm)):
        output = simulation.output(port).decode()
        panic = rf"^PANIC: {reason} \(task \w+, interrupt depth {depth}, "
        assert re.search(panic, output, re.MULTILINE), output
        assert "PASS" not in output
    said = simulation.output("serial0").decode()
    assert re.search(r"^r28 \w{8} r29 \w{8} r30 \w{8} r31 \w{8}$", said, re.MULTILINE)
    assert re.search(r"^pc [0-9a-f]{8} msr [0-9a-f]{8} lr [0-9a-f]{8} ctr [0-9a-f]{8}$", said, re.MULTILINE)


def test_one_profile_has_the_kernels_of_both(tmp_path: Path) -> None:
    simulation = run("exchange", profile=True)
    simulation.record(tmp_path / "run")
    rows = socscope.open(tmp_path / "run").rows("functions")
    entered = {row["name"]: row["entered"] for row in rows}
    # Handlers of the first core, then of the second, whose names have the image's behind them.
    assert entered["rtos_arch_irq"] > 100
    assert entered["rtos_arch_irq [exchange]"] > 100
    counted = {name: value for name, value in entered.items() if name.startswith("receive")}
    assert set(counted) == {"receive", "receive [exchange]"}
    assert min(counted.values()) >= 100


def test_tasks_of_the_powerpc_are_seen() -> None:
    first, second = images("mutex")
    simulation = Simulation("mixed-soc", first, images={1: second})
    simulation.run("20ms", until_symbol="cpu0:rtos_k_mutex_lock")
    seen = {task.name: task for task in simulation.tasks().list()}
    assert {"idle", "supervisor", "tests"} <= set(seen)
    assert [name for name, task in seen.items() if task.running] == ["tests"]
    supervisor, idle = seen["supervisor"], seen["idle"]
    assert (supervisor.state, idle.state) == ("waiting", "ready")
    # Privileged: it waits in the kernel, where the scheduler has left it.
    place = simulation.image.describe(supervisor.registers["pc"])
    assert place.startswith("wait_here"), place
    assert supervisor.registers["r1"] % 16 == 0
    assert supervisor.registers["msr"] == 0x1002


def test_all_programs_are_run() -> None:
    assert len(PROGRAMS) == 18
    assert (ROOT / "guests/rtos/arch/powerpc/tests/processor_test.c").exists()
