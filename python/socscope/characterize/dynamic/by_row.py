"""Counts solved by the program's branches: each kind of row follows a rule of its own, often a simple one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic import fit, grid
from socscope.characterize.dynamic.align import Aligned, aligned
from socscope.characterize.dynamic.branches import Branches
from socscope.characterize.dynamic.fit import Fitted
from socscope.characterize.dynamic.rows import ROW, Key
from socscope.characterize.dynamic.runs import Runs, some
from socscope.characterize.dynamic.solved import Solved
from socscope.characterize.dynamic.terms import Term
from socscope.characterize.dynamic.trace import Column
from socscope.sheet.formula import Formula

ROUNDS_MAX = 6
DENSE_RUNS_MAX = 400
DENSE_RUNS_MIN = 32
DENSE_CYCLES_MAX = 40_000_000
"""Of all dense runs together, so that a long service does not take hours."""
FAILING_MAX = 40
TERM_COST = 9

TryAround = Callable[[Runs, Iterable[Formula]], bool]


@dataclass
class _Rules:
    """Formulas that have held for every run so far."""

    known: dict[str, Formula] = field(default_factory=dict)

    def of(self, column: Column, columns: dict[str, Column]) -> Formula | None:
        """The one that gives a column of counts."""
        for formula in self.known.values():
            if (_values(formula, columns, len(column)) == column).all():
                return formula
        return None


@dataclass(frozen=True)
class _Piece:
    """A piece of the runs: what is counted in it, and the kinds of rows that count it."""

    keys: list[Key]
    counts: NDArray[np.int64]
    rows: NDArray[np.int64]
    weights: NDArray[np.int64]


def solve_by_row(runs: Runs, tried_around: TryAround) -> Solved:
    """Runs the path for many values; solves the kinds of rows on two thirds of the runs, others verify."""
    runs.by_row()
    longest = max(1, *(episode.cycles for episode in runs.episodes.values()))
    count = max(min(DENSE_RUNS_MAX, DENSE_CYCLES_MAX // longest), DENSE_RUNS_MIN)
    before = list(runs.verified)
    runs.verify(grid.dense(runs.order, runs.multiples, count=count))
    new = [point for point in runs.verified if point not in set(before)]
    runs.fit([point for number, point in enumerate(new) if number % 3])
    rules = _Rules()
    for _ in range(ROUNDS_MAX):
        pieces = _pieces(runs)[1]
        wrong = _searched(runs, pieces, rules)
        if wrong.any():
            runs.fit(some([runs.order[place] for place in np.flatnonzero(wrong)], FAILING_MAX))
        if not tried_around(runs, rules.known.values()) and not wrong.any():
            break
    table, pieces = _pieces(runs)
    _ = _searched(runs, pieces, rules, again=False)
    return _solved(runs, table, pieces, rules)


def _pieces(runs: Runs) -> tuple[Aligned, list[_Piece]]:
    order = runs.order
    table = aligned([runs.episodes[point] for point in order])
    weights = {kind: one for point in order for kind, one in runs.episodes[point].weights.items()}
    pieces = []
    for keys, counts in zip(table.keys, table.counts, strict=True):
        kinds = [place for place, key in enumerate(keys) if key[0] == ROW]
        counted = [place for place, key in enumerate(keys) if key[0] != ROW]
        named = [keys[place] for place in counted]
        table_of = np.array([[weights[keys[kind]].get(key, 0) for key in named] for kind in kinds], np.int64)
        table_of = table_of.reshape(len(kinds), len(named))
        rows = counts[:, kinds]
        if not (rows @ table_of == counts[:, counted]).all():
            # Kinds of rows that were taken for one: the counts stand for themselves.
            rows, table_of = counts[:, counted], np.eye(len(named), dtype=np.int64)
        pieces.append(_Piece(named, counts[:, counted], rows, table_of))
    shown = Aligned(table.blocking, [one.keys for one in pieces], [one.counts for one in pieces])
    return shown, pieces


def _searched(
    runs: Runs, pieces: Sequence[_Piece], rules: _Rules, *, again: bool = True
) -> NDArray[np.bool_]:
    """Drops rules that no longer hold, and looks for those that are missing; the runs that contradict a new
    one.
    """
    columns, some_ = runs.columns, len(runs.fitted)
    wrong = np.zeros(len(runs.order), np.bool_)
    distinct = np.unique(np.column_stack([piece.rows for piece in pieces]), axis=1).T
    varied = [column for column in distinct if (column != column[0]).any()]
    held = {column.tobytes(): rules.of(column, columns) for column in varied}
    rules.known = {str(one): one for one in held.values() if one is not None}
    missing = [column for column in varied if held[column.tobytes()] is None]
    if not missing or not again:
        return wrong
    first = {name: column[:some_] for name, column in columns.items()}
    branches = Branches(first, [column[:some_] for column in varied])
    for column in missing:
        rule = branches.rule(column[:some_])
        if rule is not None:
            wrong |= _kept(Formula.parse(rule.text), column, columns, rules)
    return wrong


def _kept(formula: Formula, column: Column, columns: dict[str, Column], rules: _Rules) -> NDArray[np.bool_]:
    """Keeps a formula that gives a whole column; the runs on which it does not."""
    off: NDArray[np.bool_] = _values(formula, columns, len(column)) != column
    if not off.any():
        rules.known[str(formula)] = formula
    return off


def _solved(runs: Runs, table: Aligned, pieces: Sequence[_Piece], rules: _Rules) -> Solved:
    columns = runs.columns
    formulas: list[list[Fitted]] = []
    above: list[list[Column | None]] = []
    rests: dict[bytes, tuple[Fitted, Column | None]] = {}
    for piece in pieces:
        known = [
            None if (column == column[0]).all() else rules.of(column, columns) for column in piece.rows.T
        ]
        row: list[Fitted] = []
        over: list[Column | None] = []
        for place in range(len(piece.keys)):
            constant, terms = 0, dict[str, int]()
            rest = np.zeros(len(runs.order), np.int64)
            for kind, (column, formula) in enumerate(zip(piece.rows.T, known, strict=True)):
                weight = int(piece.weights[kind, place])
                if formula is not None:
                    terms[str(formula)] = terms.get(str(formula), 0) + weight
                elif (column == column[0]).all():
                    constant += weight * int(column[0])
                else:
                    rest += weight * column
            listed = tuple((factor, Term(text, TERM_COST)) for text, factor in terms.items() if factor)
            one, excess = Fitted(constant, listed), None
            if rest.any():
                if rest.tobytes() not in rests:
                    rests[rest.tobytes()] = _of_rest(runs, columns, rest)
                more, excess = rests[rest.tobytes()]
                one = Fitted(constant + more.constant, (*listed, *more.terms), more.exact)
            row.append(one)
            over.append(excess)
        formulas.append(row)
        above.append(over)
    return Solved(table, formulas, above)


def _of_rest(runs: Runs, columns: dict[str, Column], rest: Column) -> tuple[Fitted, Column | None]:
    """A formula for what kinds of rows without rules count together, or one from above, and how far it is."""
    some_ = len(runs.fitted)
    if (rest == rest[0]).all():
        return Fitted(int(rest[0])), None
    if len([name for name in columns if (columns[name] != columns[name][0]).any()]) == 1:
        [found] = fit.exact({name: column[:some_] for name, column in columns.items()}, rest[:some_, None])
        if found is not None and (found.column(columns, len(rest)) == rest).all():
            return found, None
    upper = fit.upper(columns, rest)
    return upper, fit.above_at_most(upper, columns) - rest


def _values(formula: Formula, columns: dict[str, Column], count: int) -> Column:
    return np.broadcast_to(np.asarray(formula.evaluate(columns), np.int64), (count,))
