"""A simulated platform as a target of estimates: the costs of its own memories, and its own map."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from socscope import _core
from socscope.errors import EstimateError
from socscope.estimate.mapping import Placement
from socscope.estimate.platform import (
    CYCLE,
    OPERATIONS,
    READ_AFTER_WRITE,
    SELECT,
    TURNAROUND,
    Entry,
    Platform,
    Time,
)
from socscope.estimate.price import Target
from socscope.sheet.model import Section

WIDTHS = (8, 16, 32)
SEQUENCES = ("n", "s", "a")


def simulated(machine: _core.Machine, sections: Iterable[Section], name: str) -> Target:
    """The platform that a machine simulates; sections lie where they lay in the image of the sheet.

    Memories on the external bus wait for each other as the AT91X40 has it; where a sheet does not tell how
    much of a wait has passed, the estimate is above the simulated time.
    """
    times = {CYCLE: Time(Fraction(10**9, machine.clock_hz))}
    regions = machine.access_costs()
    for region in regions:
        memory = region["name"]
        for operation in ("fetch", "read", "write"):
            direction = "write" if operation == "write" else "read"
            for sequence in SEQUENCES:
                for width in WIDTHS:
                    detail = f"{sequence}{width}"
                    cycles = Fraction(region[f"{direction}_{detail}"])
                    times[Entry(memory, f"{operation}.{detail}")] = Time(cycles, in_cycles=True)
        if region["external"]:
            idle = {
                TURNAROUND: region["float"],
                SELECT: 1,
                READ_AFTER_WRITE: int(region["early_read"]),
            }
            for key, cycles in idle.items():
                times[Entry(memory, key)] = Time(Fraction(cycles), in_cycles=True)
    places: dict[str, str] = {}
    for section in sections:
        behind = [
            region["name"]
            for region in regions
            if section.start is not None and 0 <= section.start - region["start"] < region["size"]
        ]
        if not behind:
            raise EstimateError(
                f"{name}: nothing is mapped where the section {section.name} lay in the sheet's image; "
                "choose a platform that can run this image"
            )
        places[section.name] = behind[0]
    return Target(Platform(name, times, name), Placement(places, name))


def simple(target: Target) -> Target:
    """The same with one time for each memory and width: that of its slowest access.

    What makes it higher is memories that answer faster where an access follows on from the last one.
    """
    slowest: dict[Entry, Time] = {}
    for entry, time in target.platform.times.items():
        operation, _, detail = entry.key.partition(".")
        if operation not in OPERATIONS or not detail:
            slowest[entry] = time
            continue
        one = Entry(entry.memory, f"access.{detail[1:]}")
        if one not in slowest or time.value > slowest[one].value:
            slowest[one] = time
    return Target(replace(target.platform, times=slowest), target.placement)
