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

    @property
    def decided(self) -> bool:
        """Whether it is known which is the faster one here."""
        return self.error == 0 or abs(self.difference) > ERRORS * self.error


@dataclass(frozen=True)
class Crossing:
    """`b` is the faster one beyond it, or is no longer; None where that is not decided.

    `low` and `high` are measured places: at the first one is known to be the faster one, at the second the
    other; or they are ends of what was measured. In between nothing is known where nothing was run. `x` is
    the straight line's guess between the two places where the measured times change sides.
    """

    x: float
    low: float
    high: float
    b_wins: bool | None


def crossings(points: Sequence[Point]) -> list[Crossing]:
    """All places where the faster one changes, in order of x; points must be sorted.

    Changes that errors do not let one tell apart are one. Places between two points at which the same one is
    faster can hold further crossings, in pairs.
    """
    found: list[Crossing] = []
    for place, (one, other) in enumerate(pairwise(points)):
        if _b_wins(one) == _b_wins(other):
            continue
        low = _decided(points[place::-1])
        high = _decided(points[place + 1 :])
        known = low.decided and high.decided and _b_wins(low) != _b_wins(high)
        crossing = Crossing(_zero(one, other), low.x, high.x, _b_wins(high) if known else None)
        if found and found[-1].high > low.x:
            found[-1] = Crossing(found[-1].x, found[-1].low, max(high.x, found[-1].high), crossing.b_wins)
        else:
            found.append(crossing)
    return found


def sampled(points: Sequence[Point], unit: str) -> str:
    """How dense the measured places are, in words."""
    places = [point.x for point in points]
    if len(places) < 2:
        return f"{len(places)} of the {unit} were run."
    widest = max(other - one for one, other in pairwise(places))
    return (
        f"{len(places)} {unit} were run, from {places[0]:g} to {places[-1]:g}, up to {widest:g} apart: what "
        "lies in between was not run, and can hold further crossings."
    )


def _b_wins(point: Point) -> bool:
    return point.difference <= 0


def _decided(points: Sequence[Point]) -> Point:
    """The first point at which it is known who is faster; the last one where there is none."""
    return next((point for point in points if point.decided), points[-1])


def _zero(one: Point, other: Point) -> float:
    """Where the line through two differences meets zero."""
    return one.x + (other.x - one.x) * one.difference / (one.difference - other.difference)
