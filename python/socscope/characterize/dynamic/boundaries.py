"""Where formulas could be wrong though they give every run: around their conditions, and at remainders that
no run has left.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from socscope.characterize.dynamic.grid import Point
from socscope.characterize.dynamic.trace import Column
from socscope.sheet import tree
from socscope.sheet.formula import Formula
from socscope.sheet.tree import Node

NEAR = (-1, 0, 1)
EACH_MAX = 2
REMAINDERS_MAX = 64
POINTS_MAX = 96


def untried(
    formulas: Iterable[Formula], names: Sequence[str], known: Sequence[Point], others: Sequence[Point]
) -> list[Point]:
    """Points among `others` on both sides of each condition, and for remainders that no known one leaves."""
    differences: dict[Node, None] = {}
    remainders: dict[tuple[Node, int], None] = {}
    for formula in {str(one): one for one in formulas}.values():
        for node in _nodes(formula.tree):
            match node:
                case ("//" | "%", operand, int(divisor)) if tree.names(operand) and divisor > 1:
                    remainders[operand, divisor] = None
                case (("<" | "<=" | ">" | ">=" | "==" | "!=" | "max" | "min"), left, right):
                    differences["-", left, right] = None
    known_at, others_at = _columns(names, known), _columns(names, others)
    taken: dict[int, None] = {}
    for difference in differences:
        if not tree.names(difference):
            continue
        seen = _values(difference, known_at, len(known))
        values = _values(difference, others_at, len(others))
        wanted = [near for near in NEAR if near not in seen]
        below = seen[seen < -1]
        # A change that was seen only from afar is closed in on from both sides.
        wanted += [int(below.max()) // 2] if len(below) and -1 not in seen and below.max() < -2 else []
        for value in wanted:
            taken |= dict.fromkeys(np.flatnonzero(values == value)[-EACH_MAX:].tolist())
    for operand, divisor in remainders:
        if divisor > REMAINDERS_MAX:
            continue
        met = set((_values(operand, known_at, len(known)) % divisor).tolist())
        rests = _values(operand, others_at, len(others)) % divisor
        for rest in sorted(set(rests.tolist()) - met):
            taken[int(np.flatnonzero(rests == rest)[-1])] = None
    before = set(known)
    return [others[place] for place in taken if others[place] not in before][:POINTS_MAX]


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, tuple):
        for operand in node[1:]:
            yield from _nodes(operand)


def _columns(names: Sequence[str], points: Sequence[Point]) -> dict[str, Column]:
    array = np.array(points, np.int64).reshape(len(points), len(names))
    return {name: array[:, place] for place, name in enumerate(names)}


def _values(node: Node, columns: dict[str, Column], count: int) -> Column:
    return np.broadcast_to(np.asarray(Formula(node).evaluate(columns), np.int64), (count,))
