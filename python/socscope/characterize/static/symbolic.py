"""The bound as a formula: loops are folded into their heads from the inside out, counts stay as written.

Every step rounds up: the formula is never below what path enumeration gives for values of the parameters.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from socscope.sheet.formula import Formula

TERMS_MAX = 6
"""Costs of which none is the greatest everywhere that are kept apart; more of them are joined from above."""

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, int]


@dataclass(frozen=True)
class Worst:
    """The greatest of some sums of products of repetitions, which are numbers of 0 or more."""

    sums: tuple[Polynomial, ...]

    @classmethod
    def constant(cls, value: int) -> "Worst":
        """A number."""
        return cls(({(): value},))

    def __add__(self, other: "Worst") -> "Worst":
        return _kept(_added(a, b) for a in self.sums for b in other.sums)

    def __or__(self, other: "Worst") -> "Worst":
        """The greater of both."""
        return _kept([*self.sums, *other.sums])

    def times(self, number: int) -> "Worst":
        """Multiplied by a number."""
        return _kept({key: value * number for key, value in one.items()} for one in self.sums)

    def repeated(self, variable: int) -> "Worst":
        """Multiplied by a repetition."""
        return _kept(
            {tuple(sorted((*key, variable))): value for key, value in one.items()} for one in self.sums
        )


def _added(a: Polynomial, b: Polynomial) -> Polynomial:
    total: Polynomial = defaultdict(int, a)
    for key, value in b.items():
        total[key] += value
    return dict(total)


def _below(a: Polynomial, b: Polynomial) -> bool:
    return all(value <= b.get(key, 0) for key, value in a.items())


def _kept(sums: Iterable[Polynomial]) -> Worst:
    """Without those that another one is never below."""
    found: list[Polynomial] = []
    for one in sums:
        if not any(_below(one, other) for other in found):
            found = [other for other in found if not _below(other, one)] + [one]
    while len(found) > TERMS_MAX:
        a, b, *rest = sorted(found, key=lambda one: sorted(one.items()))
        found = [*rest, {key: max(a.get(key, 0), b.get(key, 0)) for key in a.keys() | b.keys()}]
    return Worst(tuple(found))


@dataclass(frozen=True)
class Folded:
    """A loop for the formula: blocks, head, and repetitions beyond the first run of the head."""

    head: int
    members: frozenset[int]
    again: int | Formula


def bound(
    edges: Mapping[tuple[int, int], int], loops: Sequence[Folded], sources: Iterable[int]
) -> Formula | None:
    """The greatest cost of a path from a source to -1 over edges between blocks; inner loops come first."""
    variables: list[Formula] = []
    costs: dict[tuple[int, int], Worst] = {key: Worst.constant(cost) for key, cost in edges.items()}
    inside: dict[int, int] = {}
    for loop in loops:
        costs = _fold(loop, costs, variables, inside)
    begin = {inside.get(source, source) for source in sources}
    found: Worst | None = None
    for source in begin:
        best = _longest(source, costs).get(-1)
        if best is not None:
            found = best if found is None else found | best
    return None if found is None else _formula(found, variables)


def _fold(
    loop: Folded, costs: dict[tuple[int, int], Worst], variables: list[Formula], inside: dict[int, int]
) -> dict[tuple[int, int], Worst]:
    """The graph with the loop's head alone, which then leads to the loop's exits."""
    within = {key: cost for key, cost in costs.items() if key[0] in loop.members and key[1] in loop.members}
    forward = {key: cost for key, cost in within.items() if key[1] != loop.head}
    reached = {loop.head: Worst.constant(0), **_longest(loop.head, forward)}
    body = Worst.constant(0)
    for (start, end), cost in within.items():
        if end == loop.head and start in reached:
            body |= reached[start] + cost
    if isinstance(loop.again, int):
        repeated = body.times(loop.again)
    else:
        if loop.again not in variables:
            variables.append(loop.again)
        repeated = body.repeated(variables.index(loop.again))
    rest: dict[tuple[int, int], Worst] = {}
    for (start, end), cost in costs.items():
        if start in loop.members:
            if end in loop.members or start not in reached:
                continue
            way = ((loop.head, end), repeated + reached[start] + cost)
        else:
            way = ((start, loop.head if end in loop.members else end), cost)
        key, value = way
        rest[key] = value | rest[key] if key in rest else value
    for block in loop.members:
        inside[block] = loop.head
    return rest


def _longest(source: int, costs: Mapping[tuple[int, int], Worst]) -> dict[int, Worst]:
    """The greatest cost from a source to all that it reaches; the graph has no loops."""
    after: dict[int, list[tuple[int, Worst]]] = defaultdict(list)
    for (start, end), cost in costs.items():
        after[start].append((end, cost))
    order: list[int] = []
    seen: set[int] = set()
    waiting = [(source, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(end, False) for end, _ in after[node] if end not in seen]
    found: dict[int, Worst] = {source: Worst.constant(0)}
    for node in reversed(order):
        for end, cost in after[node]:
            total = found[node] + cost
            found[end] = total | found[end] if end in found else total
    del found[source]
    return found


def _formula(worst: Worst, variables: Sequence[Formula]) -> Formula:
    texts = []
    for one in worst.sums:
        total = Formula.parse(0)
        for key, factor in sorted(one.items()):
            product = Formula.parse(factor)
            for variable in key:
                product = product * variables[variable]
            total = total + product
        texts.append(total)
    if len(texts) == 1:
        return texts[0]
    return Formula.parse(f"max({', '.join(str(text) for text in texts)})")
