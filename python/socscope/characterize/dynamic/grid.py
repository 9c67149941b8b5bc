"""Values off the grid that a description chose: what a formula found on the grid must hold for, too."""

from collections.abc import Sequence
from itertools import product
from math import prod
from random import Random

Point = tuple[int, ...]
"""Values of all parameters, in the service's order."""

MODULI = (2, 3, 4, 8, 16, 32)
"""What loops are unrolled by, and memories are copied by; of 3 no loop is, by habit."""
CHECKS_MAX = 4
DENSE = 40
ALIGNED, FEW = 4, 32
CHECKS_ON_GRID_MAX = 12
"""Where all values share a divisor, a loop over what it leaves has never run."""


def neighbours(known: Sequence[Point], multiples: Sequence[int]) -> list[Point]:
    """Further values for each parameter that varies, with the others as in points that are known.

    They lie between the smallest and the largest known value, at multiples of what the parameter takes, and
    leave other remainders than the known ones: v - 1, v + 1, and what lies between.
    """
    found: list[Point] = []
    for place, multiple in enumerate(multiples):
        values = sorted({point[place] for point in known})
        for number, value in enumerate(off_grid(values, multiple)):
            # The largest of the others first: their loops are run.
            other = list(known[-1 - number % len(known)])
            other[place] = value
            found.append(tuple(other))
    return [point for point in dict.fromkeys(found) if point not in known]


def off_grid(values: Sequence[int], multiple: int = 1) -> list[int]:
    """Values between the first and the last of sorted ones, of remainders that none of these leaves."""
    first, last = values[0], values[-1]
    step = max(multiple, 1)
    near = [
        value + sign * step for value in reversed(values) for sign in (-1, 1) if first < value + sign * step
    ]
    spread = Random(last)
    between = [spread.randint(first, last) // step * step for _ in range(64)] if last > first else []
    open_ = {
        (modulus, rest)
        for modulus in MODULI
        for rest in range(modulus)
        if rest not in {value // step % modulus for value in values}
    }
    candidates = [
        one for one in dict.fromkeys([*near, *between]) if first <= one <= last and one not in values
    ]
    whole = 1
    while whole < MODULI[-1] and all((value - first) % (2 * whole * step) == 0 for value in values):
        whole *= 2
    found: list[int] = []
    while candidates and len(found) < (CHECKS_MAX if whole == 1 else CHECKS_ON_GRID_MAX):
        best = max(candidates, key=lambda one: sum(1 / m for m, rest in open_ if one // step % m == rest))
        candidates.remove(best)
        found.append(best)
        open_ -= {(modulus, best // step % modulus) for modulus in MODULI}
    return found


def dense(known: Sequence[Point], multiples: Sequence[int], *, count: int) -> list[Point]:
    """Further points between the known ones: all small values and all at the end, and some between them, so
    that every loop is met with every remainder; `count` of them, by chance, where there are more.
    """
    axes = []
    for place, multiple in enumerate(multiples):
        values = sorted({point[place] for point in known})
        first, last, step = values[0], values[-1], max(multiple, 1)
        near = [value + change * step for value in values for change in (-2, -1, 0, 1, 2)]
        powers = [(1 << bits) + change * step for bits in range(4, 20) for change in (-1, 0, 1)]
        ends = [*range(first, first + DENSE * step, step), *range(last - DENSE * step, last, step)]
        between = off_grid(values, multiple) if last > first else []
        listed = {*values, *near, *powers, *ends, *between}
        axes.append(sorted(one for one in listed if first <= one <= last and (one - first) % step == 0))
    before = set(known)
    total = prod(len(axis) for axis in axes)
    if total <= count:
        return [point for point in product(*axes) if point not in before]
    chance = Random(total)
    found = dict.fromkeys(tuple(_chosen(axis, chance) for axis in axes) for _ in range(count))
    return [point for point in found if point not in before]


def _chosen(axis: Sequence[int], chance: Random) -> int:
    """One of the values; of few values, as of an address in a word, every other time an aligned one."""
    aligned = [value for value in axis if value % ALIGNED == 0] if axis[-1] - axis[0] < FEW else []
    return chance.choice(aligned if aligned and chance.random() < 1 / 2 else axis)


def domain(known: Sequence[Point], multiples: Sequence[int], *, count: int) -> list[Point]:
    """All points between the smallest and the largest values, or `count` of them by chance."""
    axes = [
        range(min(values), max(values) + 1, max(multiple, 1)) if len(set(values)) > 1 else (values[0],)
        for values, multiple in zip(zip(*known, strict=True), multiples, strict=True)
    ]
    total = prod(len(axis) for axis in axes)
    if total <= count:
        return list(product(*axes))
    chance = Random(total)
    return list(dict.fromkeys(tuple(chance.choice(axis) for axis in axes) for _ in range(count)))
