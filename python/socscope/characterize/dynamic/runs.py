"""The runs of a path: those that its formulas come from, those that they are verified on."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import TypeVar

import numpy as np

from socscope.characterize.dynamic.episode import Episode
from socscope.characterize.dynamic.grid import Point
from socscope.characterize.dynamic.trace import Column
from socscope.characterize.services import PathFacts, ServiceFacts
from socscope.errors import CharacterizeError

T = TypeVar("T")
FIT_RUNS_MAX = 64
VERIFY_RUNS_MAX = 27
MORE_RUNS_MAX = 8


class Runs:
    """Runs by the values of the parameters."""

    def __init__(
        self, service: ServiceFacts, path: PathFacts, episode: Callable[[Point, bool], Episode]
    ) -> None:
        self.names = [parameter.name for parameter in service.parameter]
        self.multiples = [parameter.multiple_of for parameter in service.parameter]
        self._episode = episode
        self._by_row = False
        self.refused: list[Point] = []
        """Values that nobody asked for, and that the case cannot take."""
        self.fitted, self.verified = points(service, path)
        self.episodes = {point: episode(point, False) for point in (*self.fitted, *self.verified)}

    @property
    def order(self) -> list[Point]:
        """All that were run, those to fit first."""
        return [*self.fitted, *self.verified]

    @property
    def columns(self) -> dict[str, Column]:
        """The values of each parameter, in that order."""
        array = np.array(self.order, np.int64).reshape(len(self.order), len(self.names))
        return {name: array[:, place] for place, name in enumerate(self.names)}

    def by_row(self) -> None:
        """Makes all runs anew, and those to come, with the kinds of rows."""
        self._by_row = True
        self.episodes = {point: self._episode(point, True) for point in self.order}

    def verify(self, several: Sequence[Point]) -> int:
        """Makes further runs to verify; says how many of the values the case could take."""
        done = 0
        for point in several:
            if point in self.episodes or point in self.refused:
                continue
            try:
                self.episodes[point] = self._episode(point, self._by_row)
            except CharacterizeError:
                # Not every value between others is one that the case can take.
                self.refused.append(point)
                continue
            self.verified.append(point)
            done += 1
        return done

    def fit(self, several: Sequence[Point]) -> None:
        """Moves runs over from those to verify to those to fit."""
        moved = set(several)
        self.fitted += [point for point in self.verified if point in moved]
        self.verified = [point for point in self.verified if point not in moved]

    def go_on(self, failing: Sequence[Point]) -> bool:
        """Moves some runs over to those to fit, and makes further ones to verify; False, with nothing
        changed, if none would be left to verify.
        """
        moved = list(failing or self.verified)[: max(1, len(self.verified) // 2)]
        if not moved:
            return False
        made = self.verify(_between(list(self.episodes)))
        if not made and len(moved) == len(self.verified):
            return False
        self.fit(moved)
        return True


def points(service: ServiceFacts, path: PathFacts) -> tuple[list[Point], list[Point]]:
    """The values of the parameters to fit and to verify on, as the description has them."""
    fits = [[path.fixed.get(one.name, value) for value in one.fit] for one in service.parameter]
    verifies = [
        [path.fixed[one.name]] if one.name in path.fixed else (one.verify or one.fit)
        for one in service.parameter
    ]
    fitted = some(list(dict.fromkeys(product(*fits))), FIT_RUNS_MAX)
    others = [point for point in dict.fromkeys(product(*verifies)) if point not in fitted]
    return fitted, some(others, VERIFY_RUNS_MAX)


def some(listed: Sequence[T], count: int) -> list[T]:
    """Evenly spread ones of a long list, the first and the last among them."""
    if len(listed) <= count:
        return list(listed)
    return [listed[number * (len(listed) - 1) // (count - 1)] for number in range(count)]


def _between(known: Sequence[Point]) -> list[Point]:
    """Further values: in the middle of the gaps between those that were run."""
    found: list[Point] = []
    for place in range(len(known[0])):
        values = sorted({point[place] for point in known})
        gaps = [(low, high) for low, high in pairwise(values) if high - low > 1]
        for number, (low, high) in enumerate(gaps):
            other = list(known[number % len(known)])
            other[place] = (low + high) // 2
            found.append(tuple(other))
    return some([point for point in dict.fromkeys(found) if point not in known], MORE_RUNS_MAX)
