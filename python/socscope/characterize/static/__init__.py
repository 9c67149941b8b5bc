"""Worst-case paths from the binary alone: control flow, loop bounds, implicit path enumeration."""

from collections.abc import Mapping, Sequence

from socscope.characterize.static.annotation import Annotation
from socscope.characterize.static.result import (
    Loop,
    Place,
    Reference,
    Region,
    StaticResult,
    Unbounded,
    Uncovered,
    WorstPath,
)
from socscope.image import Image

__all__ = [
    "Annotation",
    "Loop",
    "Place",
    "Reference",
    "Region",
    "StaticResult",
    "Unbounded",
    "Uncovered",
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
    annotations; `registers` bounds r0 to r12 at the entry; `mode` is the processor mode there.
    """
    raise NotImplementedError
