"""The kernel's self-tests, on both boards and in both instruction sets."""

import re
from pathlib import Path

import pytest
from self_tests import PROGRAMS, build, check_passed
from socscope.simulation import Simulation

VARIANTS = [(board, isa) for board in ("at91x40", "at91eb40a") for isa in ("arm", "thumb")]


def run(board: str, image: Path) -> str:
    simulation = Simulation(board, image)
    outcome = simulation.run("5s", until_output=" failed\n")
    assert outcome.crash is None, outcome.crash
    return simulation.output().decode()


@pytest.mark.parametrize("program", [name for name in PROGRAMS if not name.startswith("panic")])
@pytest.mark.parametrize(("board", "isa"), VARIANTS)
def test_self_test_passes(board: str, isa: str, program: str) -> None:
    check_passed(run(board, build("tests", f"BOARD={board}", f"ISA={isa}") / f"tests/{program}.elf"))


@pytest.mark.parametrize(
    ("program", "reason", "depth"),
    [("panic", "kernel stack overflow", 0), ("panic_abort", "data abort", 1)],
)
@pytest.mark.parametrize(("board", "isa"), VARIANTS)
def test_panic_stops_the_system(board: str, isa: str, program: str, reason: str, depth: int) -> None:
    output = run(board, build("tests", f"BOARD={board}", f"ISA={isa}") / f"tests/{program}.elf")
    assert re.search(rf"^PANIC: {reason} \(task \w+, interrupt depth {depth}, ", output, re.MULTILINE), output
    assert re.search(
        r"^r12 [0-9a-f]{8} r13 [0-9a-f]{8} r14 [0-9a-f]{8} r15 [0-9a-f]{8}$", output, re.MULTILINE
    )
    assert re.search(r"^cpsr [0-9a-f]{6}[139bd][0-9a-f]$", output, re.MULTILINE)
    assert "PASS" not in output
    assert "FAIL" not in output


@pytest.mark.parametrize("isa", ["arm", "thumb"])
def test_kernel_without_services_runs(isa: str) -> None:
    folder = build("minimal", "BOARD=at91x40", f"ISA={isa}", "CONFIG=config/minimal.h")
    check_passed(run("at91x40", folder / "tests/minimal.elf"))
