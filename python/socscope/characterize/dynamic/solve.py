"""Formulas for all counts of a path: simple ones for each count, or rules of the program's branches."""

from collections.abc import Iterable

import numpy as np

from socscope.characterize.dynamic import boundaries, fit, grid
from socscope.characterize.dynamic.align import Aligned, aligned
from socscope.characterize.dynamic.by_row import solve_by_row
from socscope.characterize.dynamic.fit import Fitted
from socscope.characterize.dynamic.grid import Point
from socscope.characterize.dynamic.runs import Runs
from socscope.characterize.dynamic.solved import Solved
from socscope.sheet.formula import Formula

ROUNDS_MAX = 1
CHECKS_MAX = 12
DOMAIN_MAX = 6_000


def solve(runs: Runs) -> Solved:
    """Solves all counts; makes further runs, off the grid of the description, to see that formulas hold.

    Where simple formulas do not, runs lie dense, and what happens in each branch of the program is solved for
    itself. What has no formula then is given from above.
    """
    runs.verify(grid.neighbours(runs.order, runs.multiples))
    rounds = 0
    for _ in range(CHECKS_MAX):
        table, found, failing = _of_counts(runs)
        if failing is None:
            formulas = [[one for one in row if one is not None] for row in found]
            if not tried_around(runs, (one.formula for row in formulas for one in row)):
                return Solved(table, formulas, [[None] * len(row) for row in formulas])
            continue
        rounds += 1
        if rounds > ROUNDS_MAX or not runs.go_on(failing):
            break
    return solve_by_row(runs, tried_around)


def tried_around(runs: Runs, formulas: Iterable[Formula]) -> bool:
    """Makes runs where formulas could be wrong; whether there were any left to make."""
    others = grid.domain(runs.order, runs.multiples, count=DOMAIN_MAX)
    return runs.verify(boundaries.untried(formulas, runs.names, runs.order, others)) > 0


def _of_counts(runs: Runs) -> tuple[Aligned, list[list[Fitted | None]], list[Point] | None]:
    """Solves all counts on the runs to fit; the runs on which a formula fails, or `[]` where there is no
    formula; None if all is well.
    """
    order = runs.order
    table = aligned([runs.episodes[point] for point in order])
    some = len(runs.fitted)
    columns = runs.columns
    first = {name: column[:some] for name, column in columns.items()}
    wrong = np.zeros(len(order), np.bool_)
    missing = False
    distinct, places = np.unique(np.column_stack(table.counts), axis=1, return_inverse=True)
    checked: list[Fitted | None] = []
    for place, one in enumerate(fit.exact(first, distinct[:some])):
        if one is None:
            missing = True
            checked.append(None)
            continue
        off = one.column(columns, len(order)) != distinct[:, place]
        wrong |= off
        checked.append(None if off.any() else one)
    spread = iter(places.ravel().tolist())
    solved = [[checked[next(spread)] for _ in keys] for keys in table.keys]
    if not missing and not wrong.any():
        return table, solved, None
    return table, solved, [order[place] for place in np.flatnonzero(wrong)]
