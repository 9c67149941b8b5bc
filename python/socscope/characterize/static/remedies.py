"""What has no bound, in words, each with the annotation that would help."""

from collections.abc import Iterable, Sequence
from typing import Literal

from socscope.characterize.static.places import Places
from socscope.characterize.static.program import Facts, LoopFact
from socscope.characterize.static.result import Unbounded

Kind = Literal["loop", "irreducible", "recursion", "jump", "size"]
TROUBLES: dict[str, tuple[Kind, str, str]] = {
    "recursion": (
        "recursion",
        "{about} calls itself, directly or through others",
        '{{function = "{about}", recursion_depth = ...}}, how often it does so at most',
    ),
    "bound": (
        "loop",
        "the loop does not end within the bound that an annotation gives: no path leads out of it before",
        '{{at = "{named}", loop_bound = ...}} with a greater number, in the place of that annotation',
    ),
    "mode": (
        "jump",
        "the status register is given a processor mode that is not known",
        '{{at = "{named}", register = "...", minimum = ..., maximum = ...}}, for the register with the new '
        "status",
    ),
    "size": (
        "size",
        "the program called from the entry is too large to be followed",
        '{{at = "{named}", never = true}} for calls that are not made here',
    ),
    "no code": (
        "jump",
        "no instructions that stay as they are lie there",
        '{{at = "{named}", never = true}}, or targets of the jump that leads there',
    ),
    "call": (
        "jump",
        'this is a call, which comes back: "return" among its targets is for jumps that leave the function',
        '{{at = "{named}", targets = ["..."]}}, the functions that it calls',
    ),
    "jump": (
        "jump",
        "the targets of this jump, call or return are not known",
        '{{at = "{named}", targets = ["..."]}}, the functions; "return" where it returns to the caller',
    ),
}
"""By what the compiled analysis says: the kind, the reason, and the remedy."""


def trouble(places: Places, address: int, kind: str, about: int | None) -> Unbounded:
    """What the compiled analysis could not follow at an address."""
    names = {"named": places.named(address), "about": places.named(about or 0)}
    known, reason, text = TROUBLES[kind]
    return Unbounded(known, places.at(address), reason.format(**names), text.format(**names))


LoopRow = tuple[int, list[int], int | None, list[int], list[int], int | None]


def without_loop(facts: Facts, loops: Iterable[LoopRow]) -> list[LoopFact]:
    """Bounds of loops that are at no loop."""
    used = {number for *_, given, _ in loops for number in given}
    return [
        one for number, one in enumerate(facts.loops) if number not in used and one.annotation is not None
    ]


def loop(
    places: Places,
    address: int,
    irreducible: bool,
    facts: Facts,
    missed: Sequence[LoopFact],
) -> Unbounded:
    """A loop without an end; bounds at no loop that may be meant for it are named."""
    named, place = places.named(address), places.at(address)
    known = next((one for one in facts.routines if one.holds(address)), None)
    if known is not None and known.routine.by_length:
        return Unbounded(
            "loop",
            place,
            f"how often the loop runs depends on the bytes that {known.name} handles, which are not known",
            f'{{function = "{known.name}", length = "..."}}, how many these are at most, of strings with the '
            "ending zero",
        )
    reason = "the loop has several entries" if irreducible else "no end of the loop was found"
    near = [
        one.at
        for one in missed
        if one.where.holds(address)
        or place.function in {places.at(first).function for first, _ in one.where.spans()}
    ]
    if near:
        reason += f", and there is no loop at {' nor at '.join(near)}, which an annotation bounds"
    return Unbounded(
        "irreducible" if irreducible else "loop",
        place,
        reason,
        f'{{at = "{named}", loop_bound = "..."}}, how often its first block runs for each entry',
    )
