"""Whole-number formulas for counts, solved exactly from runs; safe upper ones where none is found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic.terms import Term, combined, pool
from socscope.characterize.dynamic.trace import Column
from socscope.sheet.formula import Formula

ROUNDING = 1e-6
CONDITION_MAX = 1e9
STEPS_MAX = 40


@dataclass(frozen=True)
class Fitted:
    """`constant` plus multiples of terms. `exact` if it gives every run's count, else it is never below."""

    constant: int
    terms: tuple[tuple[int, Term], ...] = ()
    exact: bool = True

    @property
    def size(self) -> int:
        """Sum of its numbers."""
        return abs(self.constant) + sum(abs(factor) for factor, _ in self.terms)

    @property
    def formula(self) -> Formula:
        """As one formula."""
        total = Formula.parse(self.constant)
        for factor, term in self.terms:
            total += term.formula * factor
        return total

    def column(self, points: Mapping[str, Column], count: int) -> Column:
        """Its value for each run."""
        total = np.full(count, self.constant, np.int64)
        for factor, term in self.terms:
            total += factor * term.column(points, count)
        return total


def exact(points: Mapping[str, Column], counts: NDArray[np.int64]) -> list[Fitted | None]:
    """For each column of counts (a row for each run) the simplest formula that gives all of them.

    A formula has fewer unknowns than there are runs that differ, so that at least one run confirms it. None
    where no formula is found.
    """
    runs, columns = counts.shape
    found: list[Fitted | None] = [None] * columns
    for place in range(columns):
        if (counts[:, place] == counts[0, place]).all():
            found[place] = Fitted(int(counts[0, place]))
    open_ = [place for place in range(columns) if found[place] is None]
    different = len(set(zip(*(points[name].tolist() for name in points), strict=True))) if points else 1
    if not open_ or different < 2:
        return found
    terms = pool(points)
    values = {term: term.column(points, runs) for term in terms}
    best_cost = dict.fromkeys(open_, 0)
    for chosen in combined(terms, max(different - 2, 1)):
        cost = sum(term.cost for term in chosen)
        open_ = [place for place in open_ if best_cost[place] in (0, cost)]
        if not open_:
            break
        solved = _solved([values[term] for term in chosen], counts[:, open_])
        if solved is None:
            continue
        for place, factors in zip(open_, solved, strict=True):
            if factors is None:
                continue
            pairs = zip(factors[1:], chosen, strict=True)
            one = Fitted(factors[0], tuple((factor, term) for factor, term in pairs if factor))
            # Of formulas that are equally simple the one with the smallest numbers is the likeliest.
            before = found[place]
            if before is None or one.size < before.size:
                found[place] = one
                best_cost[place] = cost
    return found


def _solved(terms: Sequence[Column], counts: NDArray[np.int64]) -> list[list[int] | None] | None:
    """Whole factors of 1 and of the terms for each column of counts; None where there are none."""
    matrix = np.column_stack([np.ones(len(counts), np.int64), *terms])
    numbers = matrix.astype(np.float64)
    factors, _, rank, singular = np.linalg.lstsq(numbers, counts.astype(np.float64), rcond=None)
    if rank < matrix.shape[1] or singular[0] > CONDITION_MAX * singular[-1]:
        return None
    whole = np.rint(factors)
    near = (np.abs(factors - whole) < ROUNDING * np.maximum(1, np.abs(whole))).all(axis=0)
    exact_ = whole.astype(np.int64)
    # The floats only propose; whole numbers decide.
    right = near & (matrix @ exact_ == counts).all(axis=0)
    return [exact_[:, place].tolist() if right[place] else None for place in range(counts.shape[1])]


def upper(points: Mapping[str, Column], counts: Column) -> Fitted:
    """A formula that is below no run: a linear one, or steps of the only parameter if these are closer."""
    linear = _linear(points, counts)
    varied = [name for name, column in points.items() if len(set(column.tolist())) > 1]
    if len(varied) != 1:
        return linear
    steps = _steps(varied[0], points[varied[0]], counts)
    if len(steps.terms) > STEPS_MAX:
        return linear
    loose = [
        float(((above_at_most(one, points) - counts) / np.maximum(counts, 1)).max())
        for one in (linear, steps)
    ]
    return steps if loose[1] < loose[0] else linear


def above_at_most(one: Fitted, points: Mapping[str, Column]) -> Column:
    """Its value for each run, or, where it goes in steps, what it comes to just above the run."""
    count = len(next(iter(points.values())))
    in_steps = any(" if " in term.text for _, term in one.terms)
    given = {name: next_values(column) for name, column in points.items()} if in_steps else points
    return one.column(given, count)


def next_values(column: Column) -> Column:
    """For each value the next larger one; the largest stays."""
    values = np.unique(column)
    places = np.minimum(np.searchsorted(values, column) + 1, len(values) - 1)
    following: Column = values[places]
    return following


def _steps(name: str, values: Column, counts: Column) -> Fitted:
    """Steps that a count which does not fall with the parameter is never above, between the runs too."""
    corners = sorted(set(values.tolist()))
    heights = [int(counts[values <= corner].max()) for corner in corners]
    steps = [
        (high - low, Term(f"1 if {name} > {below} else 0", 3))
        for (below, low), (_, high) in pairwise(zip(corners, heights, strict=True))
        if high > low
    ]
    return Fitted(heights[0], tuple(steps), exact=False)


def _linear(points: Mapping[str, Column], counts: Column) -> Fitted:
    """The linear formula that is above all runs by the least sum, with whole factors."""
    import highspy  # noqa: PLC0415 - takes long, and few need it.

    runs = len(counts)
    terms = [Term(name, 1) for name, column in points.items() if len(set(column.tolist())) > 1]
    columns = [term.column(points, runs) for term in terms]
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    largest = int(counts.max()) + 1
    # A count that falls with a parameter would be below zero somewhere: factors are not negative.
    constant = solver.addIntegral(lb=0, ub=largest)
    factors = [solver.addIntegral(lb=0, ub=largest) for _ in terms]
    for run in range(runs):
        value = constant
        for factor, column in zip(factors, columns, strict=True):
            value += int(column[run]) * factor
        solver.addConstr(value >= int(counts[run]))
    total = runs * constant
    for factor, column in zip(factors, columns, strict=True):
        total += int(column.sum()) * factor
    solver.minimize(total)
    solution = solver.getSolution().col_value
    whole = [round(value) for value in solution]
    pairs = tuple((factor, term) for factor, term in zip(whole[1:], terms, strict=True) if factor)
    fitted = Fitted(whole[0], pairs, exact=False)
    # The solver works in floats: what is missing is added to the constant.
    missing = int((counts - fitted.column(points, runs)).max())
    return Fitted(fitted.constant + max(missing, 0), pairs, exact=False)
