"""Memories that share a bus wait for each other: idle times between accesses, never below the AT91X40's."""

from fractions import Fraction
from typing import Any

import pytest
import sheets as made
from socscope.estimate import Entry, Placement, Platform, Target
from socscope.estimate.platform import Time

MAPPING = Placement({"text": "flash", "heap": "ram", "stack": "chip"})
IDLE = {"flash.turnaround": 5, "flash.select": 1, "ram.turnaround": 2, "ram.select": 1}


def _waits(idle: dict[str, int], *counts: dict[str, Any], **succession: Any) -> Fraction:  # noqa: ANN401
    """The idle time of one succession, in ns."""
    times = {Entry(memory, "access"): Time(Fraction(0)) for memory in ("flash", "ram", "chip")}
    times[Entry("", "cycle")] = Time(Fraction(1))
    for name, ns in idle.items():
        memory, _, key = name.partition(".")
        times[Entry(memory, key)] = Time(Fraction(ns))
    one = {"operation": "read", "next_operation": "read", "direct": True, "count": 1, **succession}
    sheet = made.sheet(made.service("s", made.part("1", *counts, successions=[one])))
    target = Target(Platform("p", times), MAPPING)
    [service] = sheet.services
    return target.ns(target.cost(service, service.paths[0], {}).uses)


@pytest.mark.parametrize(
    ("succession", "ns"),
    [
        ({"section": "text", "next_section": "heap"}, 5),
        ({"section": "text", "next_section": "heap", "direct": False}, 5),
        ({"section": "heap", "next_section": "text"}, 2),
        ({"section": "text", "next_section": "text", "next_operation": "write"}, 5),
        # Drivers of a memory that was written are off: it is only selected.
        ({"section": "heap", "operation": "write", "next_section": "text"}, 1),
        ({"section": "heap", "operation": "write", "next_section": "text", "direct": False}, 0),
        ({"section": "heap", "operation": "write", "next_section": "heap"}, 0),
        # What follows the access to the chip may come too early.
        ({"section": "text", "next_section": "stack"}, 5),
        ({"section": "stack", "next_section": "text"}, 0),
    ],
)
def test_two_memories_on_a_bus(succession: dict[str, Any], ns: int) -> None:
    assert _waits(IDLE, **succession) == ns


def test_one_memory_that_is_only_read_waits_for_nothing() -> None:
    alone = {"flash.turnaround": 5, "flash.select": 1}
    assert _waits(alone, section="text", next_section="stack") == 0
    written = made.count("text", "write", 1)
    assert _waits(alone, written, section="text", next_section="stack") == 5


def test_a_read_after_a_write() -> None:
    early = {"ram.read_after_write": 3, "ram.turnaround": 2}
    after_write = {"section": "heap", "operation": "write", "next_section": "heap"}
    assert _waits(early, **after_write) == 3
    assert _waits(early, **after_write, direct=False) == 0


def test_an_internal_cycle_is_enough_for_drivers_that_need_no_more() -> None:
    """The core's cycle is 1 ns here."""
    apart = {"section": "text", "next_section": "heap", "direct": False}
    assert _waits({**IDLE, "flash.turnaround": 1}, **apart) == 0
    assert _waits({**IDLE, "flash.turnaround": 2}, **apart) == 2


def test_memories_of_their_own_never_wait() -> None:
    assert _waits({}, section="text", next_section="heap") == 0
