"""Rules of a count that follows one quantity: stretches of it, in each a multiple of a simple function.

Loops over whole blocks, over the words that these leave, and over the bytes that the words leave are such
functions, `L//16`, `L % 16//4` and `L % 4`; which of the loops are entered depends on where `L` lies.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic.trace import Column, Mask

BLOCKS = (2, 4, 8, 16, 32, 64)
"""What loops are unrolled by and memories are copied by."""
SHIFTED_MAX = 16
STRETCHES_MAX = 3
STRETCH_COST = 4
TRIED_MAX = 3
SUPPORT_MIN = 4
EFFORT_MAX = 2_000
FIRST_SHARE_MIN = 5
"""The last stretch has at least one in so many of the values, else the quantity is the wrong one."""


@dataclass(frozen=True)
class Rule:
    """A formula's text, and how odd it would be to find it in a program."""

    text: str
    cost: int


@dataclass
class Effort:
    """What may still be tried; a number and no time, so that equal runs give equal sheets."""

    left: int = EFFORT_MAX


class Quantity:
    """A quantity that counts may follow, such as `L` or `L + A`, with its value in each run."""

    def __init__(self, text: str, cost: int, values: Column) -> None:
        self.text = text
        self.cost = cost
        self.values = values
        self._order = np.argsort(values, kind="stable")
        self._functions: tuple[list[Rule], NDArray[np.int64]] | None = None

    @property
    def functions(self) -> tuple[list[Rule], NDArray[np.int64]]:
        """Simple functions of it, a row of values for each."""
        if self._functions is None:
            seen: dict[bytes, tuple[Rule, Column]] = {}
            for rule, values in sorted(_functions(self.text, self.values), key=lambda one: one[0].cost):
                if (values != values[0]).any():
                    seen.setdefault(values.tobytes(), (rule, values))
            rows = [values for _, values in seen.values()]
            table = np.array(rows, np.int64).reshape(len(rows), len(self.values))
            self._functions = [rule for rule, _ in seen.values()], table
        return self._functions

    def rule(self, counts: Column, within: Mask, effort: "Effort") -> Rule | None:
        """The simplest rule by which the counts of these runs follow it."""
        order = self._order[within[self._order]]
        values, sorted_ = self.values[order], counts[order]
        new = np.concatenate([[True], values[1:] != values[:-1]])
        if (sorted_[1:][~new[1:]] != sorted_[:-1][~new[1:]]).any():
            return None
        stretches = _Stretches(self, order[new], counts, effort)
        found = stretches.found(int(new.sum()), STRETCHES_MAX)
        return None if found is None else Rule(found.text, found.cost + self.cost)


def _functions(text: str, values: Column) -> Iterator[tuple[Rule, Column]]:
    one = text if text.isidentifier() else f"({text})"
    largest = int(values.max())
    yield Rule(one, 1), values
    for less in (1, 2, 3):
        yield Rule(f"max({one} - {less}, 0)", 2 + less), np.maximum(values - less, 0)
    yield Rule(f"{one}*({one} - 1)//2", 3), values * (values - 1) // 2
    yield Rule(f"{one}*{one}", 4), values * values
    for block in BLOCKS:
        if block > largest:
            continue
        # What is left for finer loops, and the loops' ways back to their beginnings.
        sources = [(f"{one}//{block}", 2, values // block), (f"{one} % {block}", 2, values % block)]
        sources += [
            (f"{one} % {block}//{finer}", 3, values % block // finer) for finer in BLOCKS if finer < block
        ]
        for source, cost, column in sources:
            yield Rule(source, cost), column
            for less in (1, 2, 3):
                yield Rule(f"max({source} - {less}, 0)", cost + 1 + less), np.maximum(column - less, 0)
        for least in range(1, block):
            reached = f"min({one} % {block}, 1)" if least == 1 else f"1 if {one} % {block} >= {least} else 0"
            yield Rule(reached, 3 if least == 1 else 5), (values % block >= least).astype(np.int64)
        for more in range(1, block) if block <= SHIFTED_MAX else (block - 1,):
            cost = 3 if more == block - 1 else 5
            yield Rule(f"({one} + {more})//{block}", cost), (values + more) // block


class _Stretches:
    """Different values of a quantity in order, with the count and the functions at each."""

    def __init__(
        self, quantity: "Quantity", firsts: NDArray[np.intp], counts: Column, effort: "Effort"
    ) -> None:
        rules, table = quantity.functions
        self._effort = effort
        self._text = quantity.text
        self._values = quantity.values[firsts]
        self._counts = counts[firsts]
        self._rules = rules
        self._table = table[:, firsts]
        self._known: dict[tuple[int, int], Rule | None] = {}

    def found(self, end: int, stretches: int) -> Rule | None:
        """The simplest rule for the first `end` values in so many stretches at most."""
        if (end, stretches) not in self._known:
            self._known[end, stretches] = self._found(end, stretches)
        return self._known[end, stretches]

    def _found(self, end: int, stretches: int) -> Rule | None:
        best: Rule | None = None
        self._effort.left -= 1
        if self._effort.left <= 0:
            return None
        for begin, rule in self._last(end):
            if begin > 0:
                before = self.found(begin, stretches - 1) if stretches > 1 else None
                if before is None:
                    continue
                text = f"({rule.text}) if {self._text} >= {self._values[begin]} else ({before.text})"
                rule = Rule(text, rule.cost + before.cost + STRETCH_COST)  # noqa: PLW2901 - the same, with what is before it.
            if best is None or rule.cost < best.cost:
                best = rule
        return best

    def _last(self, end: int) -> list[tuple[int, Rule]]:
        """Rules for the last of the first `end` values, with where each begins to hold; the likely ones."""
        counts = self._counts[:end]
        differs = np.flatnonzero(counts != counts[-1])
        begin = int(differs[-1]) + 1 if len(differs) else 0
        found = [(begin, Rule(str(int(counts[-1])), 0))] if self._supported(begin, end, counts) else []
        if begin == 0:
            return found
        table = self._table[:, :end]
        unlike = table != table[:, -1:]
        some = unlike.any(axis=1)
        other = end - 1 - np.argmax(unlike[:, ::-1], axis=1)
        rows = np.arange(len(table))
        rise = table[:, -1] - table[rows, other]
        grown = counts[-1] - counts[other]
        whole = some & (np.where(rise == 0, 1, grown % np.where(rise == 0, 1, rise)) == 0) & (grown != 0)
        if not whole.any():
            return found
        rows = rows[whole]
        factor = grown[whole] // rise[whole]
        constant = counts[-1] - factor * table[rows, -1]
        off = factor[:, None] * table[rows] + constant[:, None] != counts
        begins = np.where(off.any(axis=1), end - np.argmax(off[:, ::-1], axis=1), 0)
        cheapest: dict[int, Rule] = {}
        for place, row in enumerate(rows.tolist()):
            begin = int(begins[place])
            rule = self._rules[row]
            cost = rule.cost + (factor[place] < 0)
            if begin in cheapest and cheapest[begin].cost <= cost:
                continue
            if self._supported(begin, end, table[row]):
                text = _multiple(int(factor[place]), rule.text, int(constant[place]))
                cheapest[begin] = Rule(text, cost)
        if end == len(self._values):
            cheapest = {at: rule for at, rule in cheapest.items() if (end - at) * FIRST_SHARE_MIN >= end}
        # A rule that holds for less must be the simpler one.
        for begin, rule in sorted(cheapest.items()):
            if len(found) < TRIED_MAX and all(rule.cost < known.cost or begin < at for at, known in found):
                found.append((begin, rule))
        return found

    def _supported(self, begin: int, end: int, function: Column) -> bool:
        """Whether there are values beyond those that make a rule, or all values of the stretch."""
        values = self._values[begin:end]
        if int(values[-1] - values[0]) == len(values) - 1 and begin > 0:
            return True
        if len(values) < SUPPORT_MIN:
            # A stretch at the beginning may be short if all its values are there.
            return int(values[-1] - values[0]) == len(values) - 1 and end < len(self._values)
        levels, times = np.unique(function[begin:end], return_counts=True)
        return len(levels) != 2 or int(times.min()) > 1 or int(times.max()) == 1


def _multiple(factor: int, text: str, more: int) -> str:
    times = f"({text})" if factor == 1 else f"{factor}*({text})"
    return times if more == 0 else f"{times} {'+' if more > 0 else '-'} {abs(more)}"
