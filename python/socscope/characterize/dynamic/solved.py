"""What solving the counts of a path's runs gives."""

from dataclasses import dataclass

from socscope.characterize.dynamic.align import Aligned
from socscope.characterize.dynamic.fit import Fitted
from socscope.characterize.dynamic.trace import Column


@dataclass(frozen=True)
class Solved:
    """A formula for each key of each piece of the runs."""

    table: Aligned
    formulas: list[list[Fitted]]
    above: list[list[Column | None]]
    """How far a formula that is not exact is above each run, or may be just beside it."""
