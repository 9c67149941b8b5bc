"""The static side of a service, held against its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from socscope.characterize.dynamic.bench import Bench
from socscope.characterize.dynamic.measure import MeasuredPath
from socscope.characterize.services import ServiceFacts
from socscope.characterize.static import Reference, Region, StaticResult, analyse
from socscope.errors import CharacterizeError
from socscope.sheet.model import Assumption, Static, Unbounded, Uncovered, WorstPath

WIDTHS = (8, 16, 32)


@dataclass(frozen=True)
class Bounded:
    """The static side of a service, and the annotations that changed nothing in it.

    These are by their number, in the service's list and in the one for all services, with the reason.
    """

    static: Static
    own_without_effect: Mapping[int, str]
    common_without_effect: Mapping[int, str]


def reference(bench: Bench) -> Reference:
    """The platform that the runs were made on, as costs."""
    regions = []
    kinds = {row["name"]: row["kind"] for row in bench.ready.machine.regions()}
    for row in bench.ready.machine.access_costs():
        reads, writes = (
            tuple(_by_sequence(row, f"{direction}_", width) for width in WIDTHS)
            for direction in ("read", "write")
        )
        regions.append(
            Region(
                name=row["name"],
                start=row["start"],
                size=row["size"],
                cycles=(reads, writes),
                float_cycles=row["float"],
                external=row["external"],
                early_read=row["early_read"],
                kind=kinds[row["name"]],
            )
        )
    return Reference(bench.ready.platform.name, tuple(regions))


def _by_sequence(row: Mapping[str, Any], direction: str, width: int) -> tuple[int, int, int]:
    nonsequential, sequential, after_internal = (int(row[f"{direction}{letter}{width}"]) for letter in "nsa")
    return nonsequential, sequential, after_internal


def bounded(
    bench: Bench,
    service: ServiceFacts,
    paths: Sequence[MeasuredPath],
    others: Sequence[Reference] = (),
) -> Bounded:
    """Bounds a service from the binary, and says which of the worst path no run took.

    `others` are further platforms to bound it on. Fails where a run took longer than the bound, or went
    against what the bound takes for granted: an error of the analysis or of an annotation.
    """
    times = reference(bench)
    own, common = service.annotations, bench.services.annotation
    result = analyse(
        bench.image,
        service.entry,
        times=[times, *(one for one in others if one.name != times.name)],
        annotations=[one.annotation() for one in (*own, *common)],
        parameters={
            one.name: (one.minimum, max([*one.fit, *one.verify, one.maximum or one.minimum]))
            for one in service.parameter
        },
        registers=service.static.registers,
        mode=service.static.mode,
        start=service.static.start,
        stop=service.static.stop,
    )
    _check_assumptions(service, result, paths)
    observed = _observed(service, result, paths, times.name)
    transitions = set().union(*(one.transitions for path in paths for one in path.entered.values()))
    side = Static(
        reference=times.name,
        bound_cycles=result.bounds.get(times.name),
        bounds=dict(result.bounds),
        worst_paths=[
            WorstPath(worst_on=list(one.references), cycles=dict(one.cycles)) for one in result.paths
        ],
        observed_max_cycles=observed[0] if observed else None,
        over=observed[1] if observed else None,
        unbounded=[
            Unbounded(address=one.address, source=one.source, reason=one.reason, remedy=one.remedy)
            for one in result.unbounded
        ],
        infeasible=result.infeasible,
        assumptions=[
            Assumption(address=one.address, source=one.source, what=one.what) for one in result.assumptions
        ],
        uncovered=[
            Uncovered(address=one.address, source=one.source, what=one.what)
            for one in result.covers(transitions)
        ],
        picture=result.picture(),
        call_graph=result.call_picture(),
    )
    idle = result.without_effect
    return Bounded(
        side,
        own_without_effect={one.number: str(one) for one in idle if one.number < len(own)},
        common_without_effect={one.number - len(own): str(one) for one in idle if one.number >= len(own)},
    )


def _check_assumptions(service: ServiceFacts, result: StaticResult, paths: Sequence[MeasuredPath]) -> None:
    """Fails where a run's store reached what the bound takes to be left alone."""
    overwriting = {at for path in paths for one in path.entered.values() for at in one.overwriting}
    broken = [one for one in result.assumptions if one.address in overwriting]
    if broken:
        raise CharacterizeError(
            f"service {service.name}: a run stored at {broken[0].place} into a return address or a saved "
            "register on the stack, which the static bound takes to be left alone: there is no bound"
        )


def _observed(
    service: ServiceFacts, result: StaticResult, paths: Sequence[MeasuredPath], reference: str
) -> tuple[int, float | None] | None:
    """The longest run of the entry, and how far the bound is above it."""
    names = [one.name for one in service.parameter]
    longest: tuple[int, float | None] | None = None
    for path in paths:
        for point, one in path.entered.items():
            values = dict(zip(names, point, strict=True))
            bound = result.bound_at(values, reference)
            if bound is not None and bound < one.cycles:
                shown = ", ".join(f"{name}={value}" for name, value in values.items())
                raise CharacterizeError(
                    f"service {service.name}, path {path.name}, {shown or 'no parameters'}: the run took "
                    f"{one.cycles} cycles, more than the static bound of {bound}: an annotation promises too "
                    "much, or the static analysis is wrong"
                )
            if longest is None or one.cycles > longest[0]:
                longest = one.cycles, None if bound is None else round(bound / one.cycles, 4)
    return longest
