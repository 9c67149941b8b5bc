"""Rules of a count that follows several parameters: conditions, and below each a rule of one quantity.

The quantities are those that copies go by: lengths, what an unaligned beginning leaves of them, the piece up
to the end of a ring and the piece after it. Conditions ask for alignment, or whether such a piece is there.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations

import numpy as np

from socscope.characterize.dynamic.stretches import Effort, Quantity, Rule
from socscope.characterize.dynamic.trace import Column, Mask

ALIGNMENTS = (2, 4, 8, 16)
FEW_VALUES = 4
DEPTH_MAX = 2
CONDITION_COST = 3
TRIED_MAX = 4
QUANTITIES_MAX = 160


class Branches:
    """Rules for the counts of some runs."""

    def __init__(self, points: Mapping[str, Column], columns: Sequence[Column]) -> None:
        self._points = {
            name: column for name, column in points.items() if len(column) and (column != column[0]).any()
        }
        self._count = len(next(iter(points.values()), ()))
        plain = self._plain()
        limits = _limits(plain, columns)
        self._quantities = sorted([*plain, *self._made(limits)], key=lambda one: one.cost)[:QUANTITIES_MAX]
        self._conditions = self._asked(limits)
        self._effort = Effort(0)

    def rule(self, counts: Column) -> Rule | None:
        """The simplest rule that gives all counts, if one is found."""
        if not self._points:
            return None
        self._effort = Effort()
        return self._rule(counts, np.ones(self._count, np.bool_), DEPTH_MAX)

    def _rule(self, counts: Column, within: Mask, depth: int) -> Rule | None:
        found = self._of_one_quantity(counts, within)
        if found is not None or depth == 0:
            return found
        # Below most conditions nothing happens, or the same always; else one side of it must have a rule.
        return self._split(counts, within, depth, _constant) or self._split(
            counts, within, depth - 1, self._of_one_quantity
        )

    def _split(
        self, counts: Column, within: Mask, depth: int, rule_of: Callable[[Column, Mask], Rule | None]
    ) -> Rule | None:
        """The simplest rule that begins with a condition on one side of which `rule_of` has an answer."""
        if depth <= 0:
            return None
        sides: list[tuple[int, Rule, Rule, Mask, bool]] = []
        for condition, holds in self._conditions:
            for side in (True, False):
                inside, rest = within & (holds == side), within & (holds != side)
                if inside.any() and rest.any() and (one := rule_of(counts, inside)) is not None:
                    sides.append((condition.cost + one.cost, condition, one, rest, side))
        best: Rule | None = None
        # What leaves less to be explained comes first among equals.
        for cost, condition, one, rest, side in sorted(
            sides, key=lambda it: it[0] + 4 * int(it[3].sum()) / len(within)
        )[:TRIED_MAX]:
            if best is not None and cost + CONDITION_COST >= best.cost:
                continue
            other = self._rule(counts, rest, depth - 1)
            if other is None:
                continue
            total = cost + CONDITION_COST + other.cost
            if best is None or total < best.cost:
                yes, no = (one, other) if side else (other, one)
                best = Rule(f"({yes.text}) if {condition.text} else ({no.text})", total)
        return best

    def _of_one_quantity(self, counts: Column, within: Mask) -> Rule | None:
        if (same := _constant(counts, within)) is not None:
            return same
        best: Rule | None = None
        for quantity in self._quantities:
            if (best is not None and quantity.cost >= best.cost) or self._effort.left <= 0:
                break
            rule = quantity.rule(counts, within, self._effort)
            if rule is not None and (best is None or rule.cost < best.cost):
                best = rule
        return best

    def _plain(self) -> list[Quantity]:
        found = [Quantity(name, 0, column) for name, column in self._points.items()]
        for (first, one), (second, other) in combinations(self._points.items(), 2):
            found.append(Quantity(f"{first} + {second}", 2, one + other))
        for (first, one), (second, other) in permutations(self._points.items(), 2):
            found.append(Quantity(f"{first} - {second}", 3, one - other))
        return found

    def _made(self, limits: Sequence[tuple[Quantity, int]]) -> list[Quantity]:
        """What is made of two parameters: a length, and where it begins."""
        found = []
        for (at, begin), (length, whole) in permutations(self._points.items(), 2):
            for size in ALIGNMENTS:
                if size // 2 > int(begin.max()):
                    continue
                head = -begin % size
                again = np.maximum(head - 1, 0)
                found += [
                    Quantity(f"{length} - -{at} % {size}", 3, whole - head),
                    Quantity(f"min({length}, max(-{at} % {size} - 1, 0))", 4, np.minimum(whole, again)),
                    Quantity(f"max({length} - -{at} % {size}, 0)", 3, np.maximum(whole - head, 0)),
                    Quantity(f"min({length}, -{at} % {size})", 3, np.minimum(whole, head)),
                    Quantity(f"{length} + {at} % {size}", 3, whole + begin % size),
                ]
        for quantity, limit in limits:
            for (at, begin), (length, whole) in permutations(self._points.items(), 2):
                if (begin + whole == quantity.values).all():
                    size = limit - 1
                    found.append(
                        Quantity(f"min({length}, {size} - {at})", 3, np.minimum(whole, size - begin))
                    )
            if " + " in quantity.text:
                size = limit - 1
                rest = np.maximum(quantity.values - size, 0)
                found.append(Quantity(f"max({quantity.text} - {size}, 0)", 3, rest))
        different = {one.values.tobytes(): one for one in reversed(found)}
        return [one for one in different.values() if (one.values != one.values[0]).any()]

    def _asked(self, limits: Sequence[tuple[Quantity, int]]) -> list[tuple[Rule, Mask]]:
        """Conditions that hold for some runs and not for others."""
        found: list[tuple[Rule, Mask]] = []
        for quantity, limit in limits:
            found.append((Rule(f"{quantity.text} >= {limit}", 1 + quantity.cost), quantity.values >= limit))
        for name, column in self._points.items():
            values = np.unique(column).tolist()
            if len(values) <= FEW_VALUES:
                found += [(Rule(f"{name} == {value}", 2), column == value) for value in values]
        aligned = [
            (Rule(f"{_one(quantity)} % {size} == 0", 1 + quantity.cost), quantity.values % size == 0)
            for quantity in self._quantities
            for size in ALIGNMENTS
            if size <= int(quantity.values.max()) or quantity.cost == 0
        ]
        found += aligned
        plain = [(rule, holds) for rule, holds in aligned if rule.cost == 1]
        for (first, one), (second, other) in combinations(plain, 2):
            found.append((Rule(f"{first.text} and {second.text}", 2), one & other))
        different: dict[bytes, tuple[Rule, Mask]] = {}
        for rule, holds in sorted(found, key=lambda one: one[0].cost):
            if holds.any() and not holds.all():
                different.setdefault(holds.tobytes(), (rule, holds))
        return list(different.values())


def _constant(counts: Column, within: Mask) -> Rule | None:
    inside = counts[within]
    return Rule(str(int(inside[0])), 0) if (inside == inside[0]).all() else None


def _one(quantity: Quantity) -> str:
    return quantity.text if quantity.text.isidentifier() else f"({quantity.text})"


def _limits(plain: Sequence[Quantity], columns: Sequence[Column]) -> list[tuple[Quantity, int]]:
    """Values of quantities from which on some column is not zero, or no longer the same."""
    found: dict[tuple[str, int], tuple[Quantity, int]] = {}
    for quantity in plain:
        for column in columns:
            some = column != column[0] if column[0] else column != 0
            if not some.any() or some.all():
                continue
            for here in (some, ~some):
                limit = int(quantity.values[here].min())
                if int(quantity.values[~here].max()) < limit:
                    found.setdefault((quantity.text, limit), (quantity, limit))
    return list(found.values())
