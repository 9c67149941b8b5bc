"""Annotations that changed nothing: why, and where they would."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from socscope.characterize.static.annotation import Annotation
from socscope.characterize.static.extremes import extremes
from socscope.characterize.static.facts import WithoutEffect

if TYPE_CHECKING:
    from socscope.characterize.static.analysis import Analysis, Bounded

UNREACHED = "no path from the entry comes to that place"
NEAR_BYTES = 64
"""How far an instruction that is reached may be from the place that was meant."""


def without_effect(analysis: "Analysis") -> tuple[WithoutEffect, ...]:
    """All annotations that made no difference to what was found."""
    used: set[int] = set()
    for fact in analysis.flow.used():
        used |= analysis.facts.given_by.get(fact, set())
    used |= {one for loop in analysis.loops for one in _bounding(analysis, loop)}
    reached = {step for _, steps in analysis.blocks.values() for step in steps}
    found = []
    for number, one in enumerate(analysis.annotations):
        if number not in used:
            reason, nearest = _why(analysis, number, one, reached)
            named = analysis.places.named(nearest) if nearest is not None else ""
            found.append(WithoutEffect(number, one.at, reason, named))
    return tuple(found)


def _bounding(analysis: "Analysis", loop: "Bounded") -> Iterator[int]:
    """The annotations that bound a loop more closely than its values do."""
    for number in loop.given:
        fact = analysis.facts.loops[number]
        if fact.annotation is None or fact.formula is None:
            continue
        least, _ = extremes(fact.formula.tree, analysis.parameters)
        if loop.automatic is None or least < loop.automatic:
            yield fact.annotation


def _why(analysis: "Analysis", number: int, one: Annotation, reached: set[int]) -> tuple[str, int | None]:
    """Why an annotation has no effect, and the nearest address where one of its kind has."""
    where = analysis.facts.places[number]
    first = min(start for start, _ in where.spans())
    if one.loop_bound is not None:
        return _loop(analysis, number, first)
    if one.length is not None:
        return "no loop that is reached there depends on how many bytes it handles", None
    if one.recursion_depth is not None:
        functions = [about for _, kind, about in analysis.flow.troubles() if kind == "recursion" and about]
        return "the function does not call itself here", _nearest(functions, first)
    near = {address for address in reached if abs(address - first) <= NEAR_BYTES}
    reason, others = "no instruction that is executed begins there", near
    if one.never:
        reason, others = UNREACHED, near & set(analysis.addresses.values())
    elif one.targets:
        there = reached & where.instructions()
        reason = "no jump is there whose targets are not known without it" if there else UNREACHED
        others = {address for address, kind, _ in analysis.flow.troubles() if kind in ("jump", "call")}
    elif where.addresses & reached:
        reason, others = f"{one.register} is known to be in that range there", set()
    return reason, _nearest(others, first)


def _loop(analysis: "Analysis", number: int, first: int) -> tuple[str, int | None]:
    known = [
        loop.automatic
        for loop in analysis.loops
        if number in {analysis.facts.loops[one].annotation for one in loop.given}
    ]
    if known:
        most = max(one for one in known if one is not None)
        return f"the values alone end the loop, after {most} runs of its head at most", None
    function = analysis.places.at(first).function
    open_loops = [loop for loop in analysis.loops if loop.automatic is None]
    for loops in (open_loops, analysis.loops):
        heads = [analysis.addresses[loop.head] for loop in loops]
        same = [head for head in heads if analysis.places.at(head).function == function]
        if same:
            return "no loop that is reached is there", _nearest(same, first)
    return "no loop that is reached is there", None


def _nearest(addresses: Collection[int], wanted: int) -> int | None:
    return min(sorted(addresses), key=lambda address: abs(address - wanted), default=None)
