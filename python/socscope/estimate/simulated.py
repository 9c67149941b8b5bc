"""A simulated platform as a target of estimates: the costs of its own memories, and its own map."""

from collections.abc import Iterable
from fractions import Fraction

from socscope import _core
from socscope.errors import EstimateError
from socscope.estimate.mapping import Placement
from socscope.estimate.platform import CYCLE, TURNAROUND, Entry, Platform, Time
from socscope.estimate.price import Target
from socscope.sheet.model import Section

WIDTHS = (8, 16, 32)
SEQUENCES = ("n", "s")


def simulated(machine: _core.Machine, sections: Iterable[Section], name: str) -> Target:
    """The platform that a machine simulates; sections lie where they lay in the image of the sheet.

    Turnarounds are the float cycles of memories on the external bus, which are counted on every change of
    the section: on such a platform the estimate may be above the simulated time.
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
        if region["external"] and region["float"]:
            times[Entry(memory, TURNAROUND)] = Time(Fraction(region["float"]), in_cycles=True)
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
