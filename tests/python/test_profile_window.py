"""A profile's window that begins and ends at addresses: both engines count the same."""

from pathlib import Path

import pytest
from socscope.simulation import Simulation

SYSTEM = Path("build/guests/at91x40-arm/system.elf")


# Their first instructions are interpreted together with the ones behind them.
@pytest.mark.parametrize("function", ["fs_create", "sys_read"])
def test_counting_begins_and_ends_in_the_middle_of_code_that_is_interpreted(function: str) -> None:
    counts = []
    for engine in ("interpreted", "translated"):
        simulation = Simulation(
            "at91x40", SYSTEM, engine=engine, profile=True, window=f"{function}..{function}"
        )
        simulation.run("30ms")
        counts.append(simulation.counts())
    assert counts[0] == counts[1]
    assert counts[0].totals.instructions > 0
