"""The functions of parameters that counts may be made of: N, N//4, max(N - 3, 0), N*M, ..."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise, permutations

import numpy as np

from socscope.characterize.dynamic.trace import Column
from socscope.sheet.formula import Formula

DIVISORS = (2, 4, 8, 16, 32)
"""What loops are unrolled by and memories are copied by."""
REMAINDERS_MAX = 8
BREAKS_MAX = 24
COST_MAX = 9
TERMS_MAX = 4
MORE_MAX = 4
COMBINATIONS_MAX = 4_000


@dataclass(frozen=True)
class Term:
    """A function of parameters, and how odd it would be to find it in a program."""

    text: str
    cost: int

    @property
    def formula(self) -> Formula:
        """As part of a sheet."""
        return Formula.parse(self.text)

    def column(self, points: Mapping[str, Column], count: int) -> Column:
        """Its value for each run."""
        return np.broadcast_to(np.asarray(self.formula.evaluate(points), np.int64), (count,))


def pool(points: Mapping[str, Column]) -> list[Term]:
    """The terms that could be told apart on these runs, simple ones first."""
    varied = {name: sorted(set(column.tolist())) for name, column in points.items()}
    varied = {name: values for name, values in varied.items() if len(values) > 1}
    found = [Term(name, 1) for name in varied]
    for first, second in combinations(varied, 2):
        found += [
            Term(f"{first}*{second}", 2),
            Term(f"max({first} - {second}, 0)", 4),
            Term(f"min({first}, {second})", 4),
        ]
    # A loop within a loop: what happens in each iteration of the outer one only if the inner one has any.
    found += [
        Term(f"{outer}*min({inner}, 1)", 2)
        for outer, inner in permutations(varied, 2)
        if varied[inner][0] == 0
    ]
    for name, values in varied.items():
        found += _of_one(name, values)
    return sorted(found, key=lambda term: term.cost)


def _of_one(name: str, values: Sequence[int]) -> Iterator[Term]:
    inner = [value for value in range(values[0], values[-1]) if value > values[0]]
    # Between two values that were run every break looks alike: the upper one stands for them.
    shown = inner if len(inner) <= BREAKS_MAX else list(values[1:-1])
    for at in shown:
        yield Term(f"max({name} - {at}, 0)", 3)
    for below, value in pairwise(values):
        yield Term(f"1 if {name} > {below} else 0" if below else f"min({name}, 1)", 3)
        if value - below > 1:
            yield Term(f"1 if {name} >= {value} else 0", 4)
    for divisor in DIVISORS:
        if divisor >= values[-1]:
            continue
        yield Term(f"{name}//{divisor}", 2)
        yield Term(f"({name} + {divisor - 1})//{divisor}", 2)
        for more in range(1, min(divisor, REMAINDERS_MAX) - 1):
            yield Term(f"({name} + {more})//{divisor}", 4)
    yield Term(f"{name}*({name} - 1)//2", 3)
    yield Term(f"{name}*{name}", 4)


def combined(terms: Sequence[Term], count_max: int) -> Iterator[tuple[Term, ...]]:
    """Sets of terms, the simplest first; then those that have all parameters and a few terms more.

    A solution may need only some of a set's terms.
    """
    whole = [term for term in terms if term.cost == 1]
    others = [term for term in terms if term.cost > 1]
    yield from islice(_by_cost(terms, min(TERMS_MAX, count_max)), COMBINATIONS_MAX)
    if len(whole) > 1:
        left = min(MORE_MAX, count_max - len(whole))
        for chosen in islice(_by_cost(others, left), COMBINATIONS_MAX):
            yield (*whole, *chosen)


def _by_cost(terms: Sequence[Term], size_max: int) -> Iterator[tuple[Term, ...]]:
    for cost in range(1, COST_MAX + 1):
        for size in range(1, size_max + 1):
            yield from _of_cost(terms, size, cost)


def _of_cost(terms: Sequence[Term], size: int, cost: int, first: int = 0) -> Iterator[tuple[Term, ...]]:
    if size == 0:
        if cost == 0:
            yield ()
        return
    for place in range(first, len(terms)):
        left = cost - terms[place].cost
        if left < size - 1:
            # Terms stand in the order of their costs.
            return
        for rest in _of_cost(terms, size - 1, left, place + 1):
            yield (terms[place], *rest)
