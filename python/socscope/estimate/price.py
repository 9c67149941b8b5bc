"""The price of a path on a platform: how often each access time counts, and what that comes to."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from socscope.errors import EstimateError
from socscope.estimate.mapping import Placement
from socscope.estimate.platform import (
    BRANCH,
    CYCLE,
    IDLE,
    READ_AFTER_WRITE,
    SELECT,
    TURNAROUND,
    Entry,
    Platform,
)
from socscope.sheet.formula import Formula, Values
from socscope.sheet.model import Parameter, Part, Path, Service, Succession

# What is no access to a section stands under these names instead.
INTERNAL, BRANCHES = "internal cycles", "taken branches"
CORE = "core"
# Who masks all interrupts masks each one, and is not preempted.
INCLUDED = {
    "interrupts": ("interrupts",),
    "source": ("source", "interrupts"),
    "scheduler": ("scheduler", "interrupts"),
}

Uses = Mapping[Entry, int]
"""How often each access time counts: a price is the sum of these times the access times."""


@dataclass(frozen=True)
class PartCost:
    """A part with its counts for given parameters, repetition included."""

    part: Part
    repetition: int
    counted: Mapping[tuple[str, Entry], int]
    """Section (or what else takes time) and access time to its number."""

    @property
    def uses(self) -> Uses:
        """Its counts, sections apart no more."""
        return total_uses({entry: number} for (_, entry), number in self.counted.items())


@dataclass(frozen=True)
class PathCost:
    """A path with its counts for given parameters, on memories that are known but not yet their times."""

    service: Service
    path: Path
    parameters: Mapping[str, int]
    parts: Sequence[PartCost]

    @property
    def uses(self) -> Uses:
        """The counts of all parts together."""
        return total_uses(part.uses for part in self.parts)

    def blocking(self) -> dict[str, list[Uses]]:
        """The counts of each run of consecutive parts that block, by the kinds that occur in the path."""
        runs: dict[str, list[Uses]] = {}
        occurring = {part.part.blocking for part in self.parts}
        for kind, included in INCLUDED.items():
            if kind not in occurring:
                continue
            found: list[list[Uses]] = [[]]
            for part in self.parts:
                if part.part.blocking in included:
                    found[-1].append(part.uses)
                elif found[-1]:
                    found.append([])
            runs[kind] = [total_uses(run) for run in found if run]
        return runs


@dataclass(frozen=True)
class Target:
    """Where a sheet's sections lie and what accesses cost there."""

    platform: Platform
    placement: Placement

    def ns(self, uses: Uses) -> Fraction:
        """The exact price of some counts."""
        return sum((number * self.platform.ns(entry) for entry, number in uses.items()), Fraction(0))

    def cost(self, service: Service, path: Path, given: Mapping[str, int]) -> PathCost:
        """Counts a path; fails when a parameter's value, a section's place or an access time is missing."""
        values = values_of(service, path, given)
        sections = sorted(set().union(*(part.sections() for part in path.parts)))
        self.placement.check(sections)
        parts = []
        for part in path.parts:
            place = f"service {service.name}, path {path.name}, part {part.name}"
            repetition = _count(part.repetition, values, f"{place}, repetition")
            counted: Counter[tuple[str, Entry]] = Counter()
            for name, entry, formula, what in self.priced(path, part):
                number = _count(formula, values, f"{place}, {what}")
                if number and repetition:
                    counted[name, entry] += number * repetition
                    # Fails early where there is no price.
                    self.check(entry, f"{place}, {what}")
            parts.append(PartCost(part, repetition, counted))
        return PathCost(service, path, values, parts)

    def along(
        self, service: Service, path: Path, given: Mapping[str, int], name: str, span: Sequence[int]
    ) -> list[Fraction]:
        """The exact totals for several values of one parameter, quicker than one by one."""
        _ = self.cost(service, path, {**given, name: span[0]})
        several: dict[str, Values] = {one: given[one] for one in path.names} | {name: np.array(span)}
        totals = [Fraction(0)] * len(span)
        for part in path.parts:
            repetition = part.repetition.evaluate(several)
            uses: dict[Entry, Any] = {}
            for _, entry, formula, _ in self.priced(path, part):
                number = formula.evaluate(several)
                if np.any(np.less(number, 0)) or np.any(np.less(repetition, 0)):
                    # Says which value it is.
                    return [self.ns(self.cost(service, path, {**given, name: one}).uses) for one in span]
                uses[entry] = uses.get(entry, 0) + number
            for entry, number in uses.items():
                ns = self.platform.ns(entry) if np.any(number) else Fraction(0)
                if ns:
                    # Whole numbers of any size: products may leave 64 bits.
                    numbers = np.broadcast_to(np.multiply(repetition, number, dtype=object), len(span))
                    totals = [total + ns * int(n) for total, n in zip(totals, numbers, strict=True)]
        return totals

    def priced(self, path: Path, part: Part) -> Iterator[tuple[str, Entry, Formula, str]]:
        """All that takes time in a part: section (or name), access time, count, place for errors."""
        for count in part.counts:
            memory = self.placement.memory(count.section)
            before = count.crosses_from
            crosses = before is not None and self.placement.memory(before) != memory
            sequence = "nonsequential" if crosses else count.sequence
            entry = self.platform.entry(memory, count.operation, count.width, sequence)
            yield count.section, entry, count.count, f"{count.operation} of {count.section}"
        for section, formula in part.turnarounds.items():
            entry = Entry(self.placement.memory(section), TURNAROUND)
            # A platform that says nothing of it needs no idle cycles.
            if entry in self.platform.times:
                yield section, entry, formula, f"turnarounds of {section}"
        for one in part.successions:
            if (idle := self._idle(path, one)) is not None:
                yield one.section, idle, one.count, f"{one.next_section} after {one.section}"
        if not refills_are_counted(path):
            yield BRANCHES, BRANCH, part.taken_branches, BRANCHES
        yield INTERNAL, CYCLE, part.internal_cycles, INTERNAL

    def _idle(self, path: Path, one: Succession) -> Entry | None:
        """The time for which the bus is idle between two accesses; None if it is not.

        It is that of the AT91X40's external bus, never shorter: drivers of a memory that was read are waited
        for by a write and by other memories; where nothing else is waited for, another memory is selected
        in a cycle of its own, and a memory may need one between a write and a read.
        """
        first, second = self.placement.memory(one.section), self.placement.memory(one.next_section)
        shared = {entry.memory for entry in self.platform.times if entry.key in IDLE}
        if first not in shared:
            return None
        float_, select = Entry(first, TURNAROUND), Entry(second, SELECT)
        found: list[Entry] = []
        if one.operation == "read" and not self._passed(float_, one, second in shared):
            if second not in shared:
                # The next access to the bus may still come too early for the drivers.
                waits = len(shared) > 1 or self._writes(path, first)
            else:
                waits = second != first or one.next_operation == "write"
            found += [float_] if waits else []
        elif one.direct and second in shared and one.next_operation == "read":
            found.append(Entry(second, READ_AFTER_WRITE))
        if one.direct and second in shared and second != first:
            found.append(select)
        given = [entry for entry in found if entry in self.platform.times]
        return max(given, key=self.platform.ns, default=None)

    def _passed(self, idle: Entry, one: Succession, second_is_shared: bool) -> bool:
        """Whether a cycle is enough for the drivers to be off: an internal one between the two accesses, or
        that of an access to a memory of its own.
        """
        times = self.platform.times
        known = idle in times and CYCLE in times
        apart = not one.direct or not second_is_shared
        return apart and known and self.platform.ns(idle) <= self.platform.cycle_ns

    def _writes(self, path: Path, memory: str) -> bool:
        """Whether a path writes to a memory."""
        return any(
            count.operation in ("write", "access") and self.placement.memory(count.section) == memory
            for part in path.parts
            for count in part.counts
        )

    def check(self, entry: Entry, place: str) -> None:
        """Fails when the core's time for this is missing; those of memories are looked up earlier."""
        if entry == CYCLE:
            _ = self.platform.cycle_ns
        elif entry == BRANCH and BRANCH not in self.platform.times:
            raise EstimateError(
                f"{self.platform.place}: {place} have no price: this sheet counts them apart from fetches; "
                "give branch_ns = ..."
            )


def refills_are_counted(path: Path) -> bool:
    """Whether its fetches include those that refill the pipeline, or all cycles are its instructions' own.

    Taken branches then cost nothing more.
    """
    counts = [count for part in path.parts for count in part.counts]
    return not counts or any(count.operation == "fetch" and count.sequence is not None for count in counts)


def total_uses(several: Iterable[Uses]) -> Uses:
    """The counts of several pieces together."""
    total: Counter[Entry] = Counter()
    for uses in several:
        total.update(uses)
    return total


def values_of(service: Service, path: Path, given: Mapping[str, int]) -> dict[str, int]:
    """The values of the parameters that the path depends on; fails when one is missing."""
    needed = [parameter for parameter in service.parameters if parameter.name in path.names]
    for parameter in needed:
        if parameter.name not in given:
            largest = "" if parameter.maximum is None else ", or --unset maximum"
            raise without_value(service, path, parameter, f"--with {parameter.name}=...{largest}")
    return {parameter.name: given[parameter.name] for parameter in needed}


def without_value(service: Service, path: Path, parameter: Parameter, remedy: str) -> EstimateError:
    """What to say when a path's price needs a parameter that was not given."""
    return EstimateError(
        f"service {service.name}, path {path.name}: the parameter {parameter.name} has no value; "
        f"it is {parameter.meaning} ({shown_range(parameter)}): give {remedy}"
    )


def shown_range(parameter: Parameter) -> str:
    """The values that the sheet gives the parameter, in words."""
    if parameter.maximum is None:
        return f"{parameter.minimum} or more"
    return f"{parameter.minimum} to {parameter.maximum}"


def grouped(
    cost: PathCost, ns: Callable[[Uses], Fraction], key: Callable[[str, Entry], str]
) -> dict[str, Fraction]:
    """The price by section, memory or whatever the key makes of the section and the access time."""
    found: dict[str, Fraction] = {}
    for part in cost.parts:
        for (section, entry), number in part.counted.items():
            name = key(section, entry)
            found[name] = found.get(name, Fraction(0)) + ns({entry: number})
    return found


def _count(formula: Formula, values: Mapping[str, int], place: str) -> int:
    number = int(formula.evaluate(values))
    if number < 0:
        shown = ", ".join(f"{name}={value}" for name, value in values.items())
        raise EstimateError(
            f"{place}: '{formula}' is {number} for {shown or 'no parameters'}; a count cannot be negative: "
            "give values that can occur, or correct the sheet"
        )
    return number
