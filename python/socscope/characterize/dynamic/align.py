"""Pieces of several runs set beside each other: which of them are the same code under the same blocking."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from socscope.characterize.dynamic.episode import Episode, Identity, Piece
from socscope.characterize.dynamic.rows import Key

PIECES_MAX = 64
"""Beyond this pieces that begin alike are one, also when all runs have the same ones."""


@dataclass(frozen=True)
class Aligned:
    """The pieces of all runs: `counts` has for each piece and key a column of its count in each run."""

    blocking: list[str]
    keys: list[list[Key]]
    counts: list[NDArray[np.int64]]


def aligned(episodes: Sequence[Episode]) -> Aligned:
    """Sets the pieces of runs beside each other, in the order in which they happen.

    Where runs have different sequences of pieces, as a loop with a lock in it makes them, those that begin
    alike are added up.
    """
    sequences = [[piece.identity for piece in episode.pieces] for episode in episodes]
    same = all(one == sequences[0] for one in sequences) and len(sequences[0]) <= PIECES_MAX
    if same:
        rows = [list(episode.pieces) for episode in episodes]
        identities = sequences[0]
    else:
        identities = _merged_order(sequences)
        rows = [_added_up(episode.pieces, identities) for episode in episodes]
    keys, counts = [], []
    for place in range(len(identities)):
        pieces = [row[place] for row in rows]
        known = sorted(set().union(*(piece.counts for piece in pieces)))
        keys.append(known)
        counts.append(np.array([[piece.counts.get(key, 0) for key in known] for piece in pieces], np.int64))
    return Aligned([identity[0] for identity in identities], keys, counts)


def _merged_order(sequences: Sequence[Sequence[Identity]]) -> list[Identity]:
    """All identities once; each stands behind the one that it first followed."""
    order: list[Identity] = []
    for sequence in sequences:
        behind = 0
        for identity in sequence:
            if identity in order:
                behind = max(behind, order.index(identity) + 1)
            else:
                order.insert(behind, identity)
                behind += 1
    return order


def _added_up(pieces: Sequence[Piece], identities: Sequence[Identity]) -> list[Piece]:
    found = {identity: Piece(identity) for identity in identities}
    for piece in pieces:
        found[piece.identity].counts.update(piece.counts)
    return [found[identity] for identity in identities]
