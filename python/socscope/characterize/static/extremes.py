"""Least and greatest value of a formula over ranges of its parameters, by intervals: never too narrow."""

from collections.abc import Mapping, Sequence
from itertools import product

from socscope.sheet.formula import Formula
from socscope.sheet.tree import CONDITIONS, Node

Interval = tuple[int, int]


def least(formulas: Sequence[Formula], ranges: Mapping[str, Interval]) -> Formula:
    """The smallest of some formulas, without those that another one is never above."""
    kept: dict[Formula, Interval] = {}
    for one in formulas:
        low, high = extremes(one.tree, ranges)
        if any(greatest <= low for _, greatest in kept.values()):
            continue
        kept = {other: known for other, known in kept.items() if known[0] < high} | {one: (low, high)}
    first, *others = kept
    return Formula(("min", first.tree, *(other.tree for other in others))) if others else first


def not_negative(formula: Formula, ranges: Mapping[str, Interval]) -> Formula:
    """The formula, or 0 where it would be below."""
    low, high = extremes(formula.tree, ranges)
    if low >= 0:
        return formula
    return Formula(("max", formula.tree, 0)) if high > 0 else Formula(0)


def extremes(node: Node, ranges: Mapping[str, Interval]) -> Interval:
    """Between which numbers the formula stays; parameters that occur twice are taken to vary apart."""
    match node:
        case int():
            return node, node
        case str():
            return ranges[node]
        case ("if", _, then, otherwise):
            chosen = [extremes(one, ranges) for one in (then, otherwise)]
            return min(low for low, _ in chosen), max(high for _, high in chosen)
        case (str(operator), *_) if operator in CONDITIONS:
            return 0, 1
        case (str(operator), *operands):
            return _applied(operator, [extremes(one, ranges) for one in operands])
    raise AssertionError(node)


def _applied(operator: str, operands: list[Interval]) -> Interval:  # noqa: PLR0911 - one line a case.
    lows, highs = [low for low, _ in operands], [high for _, high in operands]
    match operator:
        case "negative":
            return -highs[0], -lows[0]
        case "+":
            return sum(lows), sum(highs)
        case "-":
            return lows[0] - sum(highs[1:]), highs[0] - sum(lows[1:])
        case "max":
            return max(lows), max(highs)
        case "min":
            return min(lows), min(highs)
        case "*":
            corners = [_product(factors) for factors in product(*operands)]
            return min(corners), max(corners)
    # A quotient is farthest out at the ends, and next to a divisor of 0, which gives no number.
    low, high = operands[1]
    divisors = {one for one in (low, high, 1, -1) if low <= one <= high and one != 0}
    quotients = [a // b for a in operands[0] for b in divisors] or [0]
    return min(quotients), max(quotients)


def _product(factors: tuple[int, ...]) -> int:
    total = 1
    for one in factors:
        total *= one
    return total
