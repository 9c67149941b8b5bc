"""Every scenario of guests/rtos/characterize runs from mark to mark, with the result of services.toml."""

import itertools
import struct
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from socscope.simulation import Simulation

ROOT = Path(__file__).parents[2]
GUEST = ROOT / "guests/rtos/characterize"
VARIANTS = [(board, isa) for board in ("at91eb40a", "at91x40") for isa in ("arm", "thumb")]
SERVICES: dict[str, Any] = tomllib.loads((GUEST / "services.toml").read_text())


@cache
def ready(board: str, isa: str) -> Simulation:
    """The state of the first mark, which all scenarios are forked from."""
    command = [str(ROOT / "scripts/guest"), "characterize", f"BOARD={board}", f"ISA={isa}"]
    folder = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    simulation = Simulation(board, folder / "characterize.elf")
    outcome = simulation.run("1s", until_mark=SERVICES["image"]["ready"]["mark"])
    assert outcome.stop.kind == "mark", outcome
    return simulation


def values(service: dict[str, Any]) -> Iterator[tuple[int, ...]]:
    """All that the host sets: every combination of what is fitted, and of what is verified."""
    parameters = service.get("parameter", [])
    for key in ("fit", "verify") if parameters else ("fit",):
        yield from itertools.product(*[parameter[key] for parameter in parameters])


def run(origin: Simulation, path: dict[str, Any], parameters: tuple[int, ...]) -> int:
    simulation = origin.fork()
    address = simulation.image.address_of
    simulation.machine.poke(address("characterize_case"), struct.pack("<I", address(path["case"])))
    words = struct.pack(f"<{len(parameters)}I", *parameters)
    simulation.machine.poke(address("characterize_parameters"), words)
    marks = [SERVICES["image"][place]["mark"] for place in ("begin", "end", "done")]
    for mark in marks:
        outcome = simulation.run("1s", until_mark=mark)
        assert outcome.stop.kind == "mark", (mark, outcome, simulation.output())
    result = simulation.machine.peek(address("characterize_result"), 4)
    return int(struct.unpack("<i", result)[0])


@pytest.mark.parametrize("service", SERVICES["service"], ids=lambda service: service["name"])
@pytest.mark.parametrize(("board", "isa"), VARIANTS)
def test_scenarios_leave_the_expected_result(board: str, isa: str, service: dict[str, Any]) -> None:
    for path in service["path"]:
        for parameters in values(service):
            assert run(ready(board, isa), path, parameters) == path["expect"], (path["name"], parameters)
