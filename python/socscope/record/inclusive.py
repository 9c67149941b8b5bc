"""What functions cost: by themselves, and with all that they called."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Columns = Mapping[str, Sequence[Any]]


class Sums(NamedTuple):
    """A function over all its contexts."""

    instructions: int
    cycles: int
    entered: int
    instructions_inclusive: int
    cycles_inclusive: int


NOTHING = Sums(0, 0, 0, 0, 0)


def sums_by_function(nodes: Columns, counted: Columns) -> dict[int, Sums]:
    """By the number of the function; of those that have a context.

    A context stands behind its parent. What a function called is what stands below its contexts; below a
    context of its own, recursion, it is not counted again. Handlers of interrupts are no part of what they
    interrupted. `entered` is -1 where that of one context is.
    """
    parents, functions, entered = nodes["parent"], nodes["function"], nodes["entered"]
    own = [[0, 0] for _ in parents]
    for node, instructions, cycles in zip(
        counted["node"], counted["instructions"], counted["cycles"], strict=True
    ):
        own[node][0] += instructions
        own[node][1] += cycles
    below = [[*counts] for counts in own]
    for node in range(len(parents) - 1, -1, -1):
        if (parent := parents[node]) >= 0:
            below[parent][0] += below[node][0]
            below[parent][1] += below[node][1]
    outermost = _outermost(parents, functions)
    sums: dict[int, list[int]] = defaultdict(lambda: [*NOTHING])
    for node, function in enumerate(functions):
        of = sums[function]
        of[0] += own[node][0]
        of[1] += own[node][1]
        of[2] = -1 if -1 in {of[2], entered[node]} else of[2] + entered[node]
        if outermost[node]:
            of[3] += below[node][0]
            of[4] += below[node][1]
    return {function: Sums(*of) for function, of in sums.items()}


def _outermost(parents: Sequence[int], functions: Sequence[int]) -> list[bool]:
    """Whether no context above is one of the same function."""
    children: dict[int, list[int]] = defaultdict(list)
    for node, parent in enumerate(parents):
        children[parent].append(node)
    found = [False] * len(parents)
    active: dict[int, int] = defaultdict(int)
    waiting = [(node, False) for node in reversed(children[-1])]
    while waiting:
        node, is_left = waiting.pop()
        if is_left:
            active[functions[node]] -= 1
            continue
        found[node] = not active[functions[node]]
        active[functions[node]] += 1
        waiting.append((node, True))
        waiting.extend((child, False) for child in children[node])
    return found
