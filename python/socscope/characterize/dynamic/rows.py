"""Kinds of rows of a trace: the same instruction, called in the same way, with the same accesses.

How often each kind occurs follows a simpler rule than what the kinds together count: it is the rule of one
branch of the program.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic.trace import Column, Rows

Key = tuple[str, ...]
"""What is counted: (`count`, section, operation, width, sequence, section that it crosses from if any),
(`taken`,), (`internal`,), (`after`, section, operation, next section, next operation, `direct` or `apart`),
(`instructions`, section). And kinds of rows: (`row`, a number).
"""
Counted = tuple[Key, Column, Column | None]
"""A key, the rows of all that it counts, and what each of these cost where it is a bus cycle."""
ROW = "row"
_Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class RowKinds:
    """The kinds of an episode: how often each occurs in which piece, and what one row of it counts."""

    counted: list[tuple[int, Key, int]]
    weights: dict[Key, dict[Key, int]]


def row_kinds(rows: Rows, piece_of_row: Column, context: Column, listed: Sequence[Counted]) -> RowKinds:
    """Sorts the rows that belong to a piece."""
    # A sum, so that keys which other runs have besides change nothing. Equal sums of different kinds would
    # show when counts are put together again.
    number: _Hashes = _mixed(_factor("context") * context.astype(np.uint64))
    number += _mixed(_factor("address") * rows.address.astype(np.uint64) + rows.kind.astype(np.uint64))
    per_row: dict[Key, Column] = {}
    for key, of_rows, _ in listed:
        per_row[key] = np.bincount(of_rows, minlength=len(rows))
        number += _factor(repr(key)) * per_row[key].astype(np.uint64)
    mine = np.flatnonzero(piece_of_row >= 0)
    both = np.stack([piece_of_row[mine].astype(np.uint64), number[mine]])
    distinct, first, times = np.unique(both, axis=1, return_index=True, return_counts=True)
    counted = []
    weights: dict[Key, dict[Key, int]] = {}
    for place in range(distinct.shape[1]):
        one: Key = ROW, f"{int(distinct[1, place]):016x}"
        counted.append((int(distinct[0, place]), one, int(times[place])))
        row = mine[first[place]]
        weights[one] = {key: int(counts[row]) for key, counts in per_row.items() if counts[row]}
    return RowKinds(counted, weights)


def _factor(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") | 1)


def _mixed(number: _Hashes) -> _Hashes:
    mixed: _Hashes = (number ^ (number >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return mixed
