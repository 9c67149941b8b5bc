"""Why instructions are left to the interpreter: in a kernel, not for system calls and changes of the task."""

from pathlib import Path

import pytest
from socscope.simulation import Simulation

SYSTEM = Path("build/guests/at91x40-arm/system.elf")
REASONS = ("left_exceptions", "left_returns", "left_status", "left_calls", "left_others")


@pytest.mark.parametrize("profile", [False, True])
def test_each_instruction_that_is_left_has_a_reason(profile: bool) -> None:
    simulation = Simulation("at91x40", SYSTEM, profile=profile)
    simulation.send(b"make data.bin 20000 7\rcrc32 data.bin\r")
    simulation.run("2s", until_output="20000 data.bin")
    counts = simulation.machine.engine_statistics()
    assert sum(counts[reason] for reason in REASONS) == counts["left"]
    assert counts["entered"] > 1_000
    assert counts["left_exceptions"] == counts["left_returns"] == counts["left_calls"] == 0


def test_nothing_is_left_where_nothing_is_translated() -> None:
    simulation = Simulation("at91x40", SYSTEM, engine="interpreted")
    simulation.run("100ms")
    counts = simulation.machine.engine_statistics()
    assert not any(counts[reason] for reason in ("left", *REASONS))
