"""Where one way of computing overtakes another one, and how well that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# About 95 % of what is repeated lies within two standard errors.
ERRORS = 2.0


@dataclass(frozen=True)
class Point:
    """Times of two ways at one place: `a` and `b`, with their standard errors."""

    x: float
    a: float
    b: float
    a_error: float = 0.0
    b_error: float = 0.0

    @property
    def difference(self) -> float:
        """How much longer `b` takes."""
        return self.b - self.a

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return float((self.a_error**2 + self.b_error**2) ** 0.5)


@dataclass(frozen=True)
class Crossing:
    """`b` is the faster one beyond `x`, or is no longer: it lies between the two measured places.

    `x` is interpolated between them; `low` and `high` are where the crossing would lie if the times were
    `ERRORS` standard errors off, at most the measured places.
    """

    x: float
    low: float
    high: float
    below: float
    above: float
    b_wins: bool


def crossings(points: Sequence[Point]) -> list[Crossing]:
    """All places where the faster one changes, in order of x; points must be sorted."""
    found = []
    for one, other in pairwise(points):
        if (one.difference > 0) == (other.difference > 0):
            continue
        middle = _zero(one, other, 0.0)
        ends = [_zero(one, other, sign * ERRORS) for sign in (-1.0, 1.0)]
        found.append(
            Crossing(middle, min(*ends, middle), max(*ends, middle), one.x, other.x, other.difference <= 0)
        )
    return found


def _zero(one: Point, other: Point, errors: float) -> float:
    """Where the line through two differences, both so many errors off, meets zero; within the two places."""
    first, second = one.difference + errors * one.error, other.difference + errors * other.error
    if (first > 0) == (second > 0):
        return one.x if abs(first) < abs(second) else other.x
    return one.x + (other.x - one.x) * first / (first - second)
