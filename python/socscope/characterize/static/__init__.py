"""Worst-case paths from the binary alone: control flow, loop bounds, implicit path enumeration."""

from collections.abc import Mapping, Sequence

from socscope.characterize.static.analysis import Analysis
from socscope.characterize.static.annotation import Annotation
from socscope.characterize.static.effects import without_effect
from socscope.characterize.static.facts import Assumption, Place, Uncovered, WithoutEffect
from socscope.characterize.static.result import (
    Loop,
    Reference,
    Region,
    StaticResult,
    Unbounded,
    WorstPath,
)
from socscope.image import Image
from socscope.sheet.formula import Formula

__all__ = [
    "Annotation",
    "Assumption",
    "Loop",
    "Place",
    "Reference",
    "Region",
    "StaticResult",
    "Unbounded",
    "Uncovered",
    "WithoutEffect",
    "WorstPath",
    "analyse",
]


def analyse(
    image: Image,
    entry: int | str,
    *,
    times: Sequence[Reference],
    annotations: Sequence[Annotation] = (),
    parameters: Mapping[str, tuple[int, int]] | None = None,
    registers: Mapping[str, tuple[int | str, int | str]] | None = None,
    mode: str = "supervisor",
    start: int | str | None = None,
    stop: Sequence[int | str] = (),
) -> StaticResult:
    """Bounds the time from `entry` (or from `start`, which is reached from it) to its return (or to a stop).

    `times` are the costs under which a path is the worst; with several of them `paths` has one for each that
    no other is worse than. `parameters` are names with least and greatest value, for formulas in
    annotations; `registers` bounds registers at the entry, by numbers, parameters and symbols' addresses (sp
    and lr tell in which memory the stack and the caller are); `mode` is the processor mode there. The bound
    counts from the first instruction of the entry, which a jump has reached, to the one that leaves it; what
    interrupts and other tasks take is not in it.
    """
    found = Analysis(
        image,
        entry,
        times=times,
        annotations=annotations,
        parameters=parameters,
        registers=registers,
        mode=mode,
        start=start,
        stop=stop,
    )

    def solve(values: Mapping[str, int], reference: str | None) -> int | None:
        chosen = [one for one in times if reference in (None, one.name)]
        solved = [found.solve(values, one) for one in chosen]
        return max((one[0] for one in solved if one), default=None)

    paths, bounds = found.paths(), found.bounds()
    return StaticResult(
        entry=found.places.named(found.entry),
        bound_cycles=_greatest(list(bounds.values())),
        bounds=bounds,
        paths=paths,
        loops=found.described_loops(),
        unbounded=found.unbounded,
        infeasible=found.flow.impossible,
        assumptions=found.assumptions,
        without_effect=without_effect(found),
        graph=found.graph(paths[0].edges if paths else {}),
        calls=found.calls(),
        solver=solve,
    )


def _greatest(bounds: Sequence[Formula]) -> int | str | None:
    """One bound for all platforms: cycles, or the text of a formula."""
    constants = [one.constant for one in bounds]
    numbers = [value for value in constants if value is not None]
    if len(numbers) == len(bounds):
        return max(numbers, default=None)
    texts = list(dict.fromkeys(str(one) for one in bounds))
    return texts[0] if len(texts) == 1 else f"max({', '.join(texts)})"
