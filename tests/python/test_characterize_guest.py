"""Every scenario of guests/rtos/characterize runs from mark to mark, with the result of services.toml."""

import itertools
import re
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


def values(service: dict[str, Any], path: dict[str, Any]) -> Iterator[tuple[int, ...]]:
    """All that the host sets: every combination of what is fitted, and of what is verified."""
    parameters, fixed = service.get("parameter", []), path.get("fixed", {})
    found = {
        combination
        for key in ("fit", "verify")
        for combination in itertools.product(
            *[[fixed[one["name"]]] if one["name"] in fixed else one[key] for one in parameters]
        )
    }
    yield from sorted(found)


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
        for parameters in values(service, path):
            assert run(ready(board, isa), path, parameters) == path["expect"], (path["name"], parameters)


def test_every_public_call_is_a_service() -> None:
    calls = re.findall(
        r"^RTOS_SYSCALL\(\d+, (\w+)\)", (GUEST / "../include/rtos/syscalls.def").read_text(), re.M
    )
    entries = {service["name"]: service["entry"] for service in SERVICES["service"]}
    assert len(calls) > 60
    assert {name: entries.get(name) for name in calls} == {name: f"rtos_k_{name}" for name in calls}


def test_every_scenario_is_used() -> None:
    """A scenario that no path names would never run."""
    defined = {
        name
        for source in GUEST.glob("*.c")
        for name in re.findall(r"^void (case_\w+)\(", source.read_text(), re.M)
    }
    used = {path["case"] for service in SERVICES["service"] for path in service["path"]}
    assert used == defined


def test_configuration_is_that_of_the_build() -> None:
    defaults = dict(
        re.findall(r"^#define (RTOS_CONFIG_\w+) (\d+)", (GUEST / "../config/default.h").read_text(), re.M)
    )
    stated = SERVICES["kernel"]["configuration"]
    assert stated == {name: defaults[name] for name in stated}
    assert len(stated) > 20


LINES = {
    "kernel/task_end.c:67": "exit_hooks[index](task->object.id, status);",
    "kernel/task_end.c:86": "}",
    "kernel/message.c:72": "message->owner = waiter->object.id;",
    "kernel/timer.c:42": "attributes->handler(attributes->argument);",
    "kernel/interrupt.c:82": "line->handler(line->argument);",
    "kernel/print.c:18": "rtos_board_console_write(&format->fill, 1);",
    "kernel/print.c:38": "while (text[size] != '\\0')",
    "kernel/print.c:60": "char character = (char)va_arg(*arguments, int);",
    "kernel/print.c:63": "int64_t number = format->is_64_bit ?",
    "kernel/print.c:66": "uint64_t number = format->is_64_bit ?",
    "kernel/print.c:69": "rtos_board_console_write(&conversion, 1);",
    "board/at91/board.c:34": "while (CONSOLE->tcr != 0)",
}


def test_lines_in_annotations_are_what_they_were_when_they_were_written() -> None:
    for place, text in LINES.items():
        file, number = place.split(":")
        assert (GUEST / ".." / file).read_text().splitlines()[int(number) - 1].strip().startswith(text), place
    written = re.findall(r'at = "([\w/]+\.c:\d+)"', (GUEST / "services.toml").read_text())
    libraries = ("memset.c", "memcpy.c", "libgcc2.c")
    mine = {place for place in written if not place.startswith(libraries)}
    assert all(any(line.endswith(f"/{place}") for line in LINES) for place in mine), mine
