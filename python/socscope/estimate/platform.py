"""Access times of a platform's memories, from `access-times.toml`."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from socscope.errors import EstimateError
from socscope.estimate import toml
from socscope.sheet.model import Operation, Sequence, Width
from socscope.validation import ended, nearest

OPERATIONS: tuple[Operation, ...] = ("fetch", "read", "write", "access")
TURNAROUND, SELECT, READ_AFTER_WRITE = "turnaround", "select", "read_after_write"
IDLE = (TURNAROUND, SELECT, READ_AFTER_WRITE)
"""Times in which a bus that several memories share is idle before an access."""
_DETAILS = {"n", "s", "a", *(f"{letter}{bits}" for letter in ("", "n", "s", "a") for bits in (8, 16, 32))}
AFTER_INTERNAL = "burst_after_internal"
# A time stands as `read` or `read_ns` in ns, as `read_cycles` in cycles of the core.
_KEY = re.compile(rf"({'|'.join((*OPERATIONS, *IDLE))})(?:_(ns|cycles))?")


@dataclass(frozen=True, order=True)
class Entry:
    """One time that a platform gives: a memory (none for the core's own) and a key such as `fetch.n16`."""

    memory: str
    key: str

    def __str__(self) -> str:
        return f"memory.{self.memory}.{self.key}" if self.memory else self.key


CYCLE = Entry("", "cycle")
BRANCH = Entry("", "branch")


@dataclass(frozen=True)
class Time:
    """A time in ns, or in cycles of the core."""

    value: Fraction
    in_cycles: bool = False

    def ns(self, cycle_ns: Fraction) -> Fraction:
        """In ns, for the length of a cycle."""
        return self.value * cycle_ns if self.in_cycles else self.value


@dataclass(frozen=True)
class Platform:
    """All access times; a look-up goes from the specific time to the general one."""

    name: str
    times: Mapping[Entry, Time]
    place: str = "platform"
    """What errors call it."""
    continues: frozenset[str] = frozenset()
    """Memories that go on with their bursts after an internal cycle of the core; others begin them anew."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads `access-times.toml`; fails with the memory and the key of what does not fit."""
        content = toml.read(path)
        known = ("name", "core_mhz", "cycle_ns", "branch_ns", "branch_cycles", "memory")
        toml.only(content, known, str(path))
        times: dict[Entry, Time] = {}
        if "core_mhz" in content and "cycle_ns" in content:
            raise EstimateError(f"{path}: core_mhz and cycle_ns say the same; give one of them")
        for entry, time in _core(content, path):
            times[entry] = time
        memories = toml.table(content.get("memory", {}), f"{path}: memory")
        if not memories:
            raise EstimateError(
                f"{path}: there is no memory; write [memory.NAME] and access_ns = ... below it"
            )
        continues: set[str] = set()
        for name, memory in memories.items():
            place = f"{path}: memory.{name}"
            given = toml.table(memory, place)
            if _continues(given, place):
                continues.add(name)
            found = dict(_memory(name, given, place))
            if all(entry.key in IDLE for entry in found):
                raise EstimateError(f"{place}: has no access time; give access_ns = ...")
            times |= found
        made = cls(str(content.get("name", path.stem)), times, str(path), frozenset(continues))
        if CYCLE not in times and (cycles := [entry for entry, time in times.items() if time.in_cycles]):
            raise EstimateError(
                f"{path}: {cycles[0]} is in cycles, but core_mhz is missing; give core_mhz = ..."
            )
        return made

    @property
    def memories(self) -> list[str]:
        """The memories' names in the file's order."""
        return list(dict.fromkeys(entry.memory for entry in self.times if entry.memory))

    @property
    def cycle_ns(self) -> Fraction:
        """The length of a cycle of the core; fails when the platform does not say it."""
        if CYCLE not in self.times:
            raise EstimateError(
                f"{self.place}: internal cycles have no price; give core_mhz = ... or cycle_ns = ..."
            )
        return self.times[CYCLE].value

    def ns(self, entry: Entry) -> Fraction:
        """The time of an entry in ns."""
        time = self.times[entry]
        return time.value * self.cycle_ns if time.in_cycles else time.value

    def with_time(self, entry: Entry, time: Time) -> Self:
        """The platform with one time changed or added."""
        return replace(self, times={**self.times, entry: time})

    def check_varied(self, varied: Collection[Entry]) -> None:
        """Fails when varying these would change which wait of a shared bus is the longest, and counts."""
        idle = [entry for entry in self.times if entry.key in IDLE and self.times[entry].value]
        if len({entry.key for entry in idle}) > 1 and any(entry.key in IDLE for entry in varied):
            raise EstimateError(
                f"{self.place}: one of several waits of a shared bus cannot be varied alone, since the "
                "longest counts; change it in the platform's file"
            )
        if CYCLE in varied and len({self.times[entry].in_cycles for entry in idle}) > 1:
            raise EstimateError(
                f"{self.place}: waits of a shared bus in ns and in cycles cannot be priced for varying "
                "clocks; give all in cycles, or all in ns"
            )

    @cached_property
    def _found(self) -> dict[tuple[str, Operation, Width | None, Sequence | None], Entry]:
        """Entries that were looked up already: sheets ask for the same few again and again."""
        return {}

    def entry(
        self, memory: str, operation: Operation, width: Width | None, sequence: Sequence | None
    ) -> Entry:
        """The entry that prices an access: its own, its width's, its sequence's, any, that of `access`."""
        asked = memory, operation, width, sequence
        if asked not in self._found:
            self._found[asked] = self._look_up(*asked)
        return self._found[asked]

    def _look_up(
        self, memory: str, operation: Operation, width: Width | None, sequence: Sequence | None
    ) -> Entry:
        letter, bits = (sequence or "")[:1], str(width or "")
        first: tuple[str, ...] = ()
        if sequence == "after_internal":
            # What the platform says of such fetches alone comes first.
            first = (letter + bits, letter)
            letter = "s" if memory in self.continues else "n"
        details = dict.fromkeys((*first, letter + bits, bits, letter, ""))
        keys = [
            f"{name}.{detail}" if detail else name
            for name in dict.fromkeys((operation, "access"))
            for detail in details
        ]
        for key in keys:
            if (entry := Entry(memory, key)) in self.times:
                return entry
        self.check(memory)
        shown = (sequence or "").replace("_", "-")
        kind = " ".join(filter(None, (shown, operation, width and f"of {width} bits")))
        key, _, detail = keys[0].partition(".")
        wanted = "" if key == "access" else f"{key}_ns{detail and '.'}{detail} = ... or, for all accesses, "
        raise EstimateError(
            f"{self.place}: memory.{memory} has no time for {'any' if key == 'access' else 'a'} {kind}; "
            f"give {wanted}access_ns = ..."
        )

    def check(self, memory: str) -> None:
        """Fails when there is no such memory."""
        if memory not in self.memories:
            raise EstimateError(
                f"{self.place}: there is no memory {memory}; {ended(nearest(memory, self.memories))} "
                f"Add [memory.{memory}], or map the section to one of these"
            )


def entry_named(text: str) -> tuple[Entry, bool]:
    """The entry that `memory.ext.fetch_ns.n16` or `branch_ns` names, and whether it is in cycles."""
    if found := re.fullmatch(r"(cycle|branch)(?:_(ns|cycles))?", text):
        return Entry("", found.group(1)), found.group(2) == "cycles"
    memory, _, rest = text.removeprefix("memory.").rpartition(".")
    if rest in _DETAILS:
        memory, _, key = memory.rpartition(".")
        rest = f".{rest}"
    else:
        key, rest = rest, ""
    found = _KEY.fullmatch(key)
    if not text.startswith("memory.") or not memory or found is None or (rest and found.group(1) in IDLE):
        raise EstimateError(
            f"{text!r}: names no access time; "
            "write memory.NAME.access_ns, memory.NAME.fetch_ns.n16, branch_ns, ..."
        )
    return Entry(memory, found.group(1) + rest), found.group(2) == "cycles"


def _core(content: Mapping[str, Any], path: Path) -> Iterator[tuple[Entry, Time]]:
    if "core_mhz" in content:
        yield (
            CYCLE,
            Time(1000 / toml.plausible(content["core_mhz"], f"{path}: core_mhz", "MHz", positive=True)),
        )
    if "cycle_ns" in content:
        yield CYCLE, Time(toml.plausible(content["cycle_ns"], f"{path}: cycle_ns", "ns", positive=True))
    if "branch_ns" in content and "branch_cycles" in content:
        raise EstimateError(f"{path}: branch_ns and branch_cycles say the same; give one of them")
    for key in ("branch_ns", "branch_cycles"):
        if key in content:
            unit = key.removeprefix("branch_")
            yield BRANCH, Time(toml.plausible(content[key], f"{path}: {key}", unit), unit == "cycles")


def _meant(key: str) -> str:
    known = [f"{one}_{unit}" for one in (*OPERATIONS, *IDLE) for unit in ("ns", "cycles")]
    near = get_close_matches(key, known, n=1, cutoff=0.7)
    return f", did you mean {near[0]}?" if near else ""


def _continues(content: Mapping[str, Any], place: str) -> bool:
    """Whether a memory goes on with its burst after an internal cycle; silence is the slower answer."""
    said = content.get(AFTER_INTERNAL, "restarts")
    if said not in ("restarts", "continues"):
        raise EstimateError(
            f'{place}.{AFTER_INTERNAL}: {said!r} is nothing that a burst does; give "restarts" or "continues"'
        )
    return bool(said == "continues")


def _memory(name: str, content: Mapping[str, Any], place: str) -> Iterator[tuple[Entry, Time]]:
    seen: set[Entry] = set()
    for key, value in content.items():
        if key in ("summary", AFTER_INTERNAL):
            continue
        found = _KEY.fullmatch(key)
        if found is None:
            raise EstimateError(
                f"{place}: {key!r} is no access time{_meant(key)}; there are access_ns, fetch_ns, read_ns, "
                "write_ns, turnaround_ns, select_ns, read_after_write_ns, the same in _cycles, "
                f"{AFTER_INTERNAL}, and summary"
            )
        operation, in_cycles = found.group(1), found.group(2) == "cycles"
        given = {"": value}
        if isinstance(value, dict) and operation not in IDLE:
            given = value
            toml.only(value, _DETAILS, f"{place}.{key}")
        for detail, number in given.items():
            where = f"{place}.{key}" + (f".{detail}" if detail else "")
            entry = Entry(name, f"{operation}.{detail}" if detail else operation)
            if entry in seen:
                raise EstimateError(f"{where}: is given twice, in ns and in cycles; leave one of them away")
            seen.add(entry)
            time = toml.plausible(number, where, "cycles" if in_cycles else "ns")
            yield entry, Time(time, in_cycles)
