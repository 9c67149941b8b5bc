"""Runs of different images, compared by what a user can see of them: what they say, write, move and leave."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from socscope.record import Run
from socscope.replay.again import Devices
from socscope.replay.objects import Left, compare_variables
from socscope.replay.witness import Event, OnShare, Witness, witness

CHARACTERS_SHOWN = 40
# What a warning says of how often and when.
WARNED_WHEN = re.compile(r": (?:\d+ times, first |once, )?at [0-9.]+ [a-z]?s$")


@dataclass(frozen=True)
class Seen:
    """A difference: where it is, and what each run shows there; `time_ps` is None for the end of the runs."""

    what: str
    first: str
    second: str
    time_ps: tuple[int, int] | None

    @property
    def when_ps(self) -> float:
        """The earlier of both times: differences are ordered by it."""
        return min(self.time_ps) if self.time_ps else float("inf")


@dataclass(frozen=True)
class Aspect:
    """One thing that was compared, how much of it, and its first difference."""

    what: str
    compared: str
    difference: Seen | None


@dataclass(frozen=True)
class Comparison:
    """All that was compared, and what was not."""

    aspects: list[Aspect]
    left_out: list[str]

    @property
    def first(self) -> Seen | None:
        """The first difference in simulated time; those of the end come last."""
        found = [aspect.difference for aspect in self.aspects if aspect.difference]
        return min(found, key=lambda seen: seen.when_ps, default=None)


def visible(
    first: Run,
    second: Run,
    *,
    images: tuple[Path | None, Path | None] = (None, None),
    devices: Devices = tuple,
    on_share: OnShare = lambda _share: None,
) -> Comparison:
    """Runs both again, each from its own input, and compares what a user can see of them, times apart.

    Consoles, writes to devices' registers, DMA and marks are compared as sequences; besides, the warnings,
    how the runs end, and what they leave in variables that have one name and size in both images.
    """
    one = witness(first, images[0], devices, lambda share: on_share(share / 2))
    other = witness(second, images[1], devices, lambda share: on_share((1 + share) / 2))
    aspects = [
        *(
            _sequence(
                f"console {port}", "characters", one.console.get(port, []), other.console.get(port, []), _text
            )
            for port in dict.fromkeys([*one.console, *other.console])
        ),
        _sequence("writes to devices' registers", "writes", one.writes, other.writes, _event),
        *(
            _sequence(f"DMA of {channel}", "transfers", one.transfers.get(channel, []), moved, _event)
            for channel, moved in _paired(one.transfers, other.transfers)
        ),
        _sequence("marks", "marks", one.marks, other.marks, _event),
        _ends(one, other),
        _equal("warnings", *(_warned(each) for each in (one, other))),
    ]
    left = compare_variables(one.memory, other.memory)
    aspects.append(_memory(left))
    return Comparison(aspects, _left_out(left))


def _paired(one: dict[str, list[Event]], other: dict[str, list[Event]]) -> list[tuple[str, list[Event]]]:
    return [(channel, other.get(channel, [])) for channel in dict.fromkeys([*one, *other])]


# How the events of a sequence are shown from a place on.
Show = Callable[[Sequence[Event], int], str]


def _event(events: Sequence[Event], place: int) -> str:
    return events[place].shown if place < len(events) else "ends here"


def _text(events: Sequence[Event], place: int) -> str:
    """The line of a console that a place is in."""
    text = "".join(chr(int(str(event.key))) for event in events)
    if place >= len(text):
        return f"ends here, after {text[-CHARACTERS_SHOWN:]!r}"
    start = max(text.rfind("\n", 0, place) + 1, place - CHARACTERS_SHOWN)
    end = text.find("\n", place)
    return repr(text[start : min(len(text) if end < 0 else end, place + CHARACTERS_SHOWN)])


def _sequence(what: str, unit: str, one: Sequence[Event], other: Sequence[Event], show: Show) -> Aspect:
    shorter = min(len(one), len(other))
    place = next((n for n in range(shorter) if not one[n].same_as(other[n])), shorter)
    compared = f"{len(one):,} {unit}" if len(one) == len(other) else f"{len(one):,} and {len(other):,} {unit}"
    if place == len(one) == len(other):
        return Aspect(what, compared, None)
    times = [events[place].time_ps for events in (one, other) if place < len(events)]
    seen = Seen(
        f"{what}: number {place + 1} of the {unit}",
        show(one, place),
        show(other, place),
        (times[0], times[-1]),
    )
    return Aspect(what, compared, seen)


def _ends(one: Witness, other: Witness) -> Aspect:
    """Why the runs end. A limit in simulated time or instructions is where somebody looked, no event."""
    stops = [each.run.manifest.stop for each in (one, other)]
    return _equal("how the run ends", *(stop.kind for stop in stops))


def _warned(seen: Witness) -> str:
    """The warnings without their times, and how often each came."""
    return "; ".join(WARNED_WHEN.sub("", text) for text in seen.warnings) or "none"


def _equal(what: str, first: str, second: str) -> Aspect:
    return Aspect(what, "", None if first == second else Seen(what, first, second, None))


def _memory(left: Left) -> Aspect:
    compared = f"{left.compared:,} variables, {left.bytes_compared:,} bytes"
    if not left.changed:
        return Aspect("memory at the end", compared, None)
    name, offset, one, other = left.changed[0]
    more = f" (and {len(left.changed) - 1} more variables)" if len(left.changed) > 1 else ""
    seen = Seen(f"memory at the end: {name}, byte {offset}{more}", one, other, None)
    return Aspect("memory at the end", compared, seen)


def _left_out(left: Left) -> list[str]:
    return [
        "times and cycles: other code takes another time",
        "values that are addresses of one symbol in both images: they count as equal",
        "the order of what comes from different devices, consoles and channels",
        "reads of devices' registers, and what DMA carried",
        "memory outside of variables that have one name and size in both images: stacks, heaps, and "
        f"{left.only_first} more variables of A, {left.only_second} of B",
    ]
