"""Stores into words that a function keeps saved on its stack, which static bounds rule out."""

import numpy as np

from socscope.characterize.dynamic import trace as t
from socscope.characterize.dynamic.trace import Mask, Trace

MODE = 0x1F
"""The bits of the status register that say which stack pointer is in force."""
WINDOW = 64
"""Rows that are looked through at once for the end of a saved word."""


def overwriting(trace: Trace, inside: Mask) -> frozenset[int]:
    """Addresses of instructions that store, and do not push, into words that were pushed and not popped."""
    rows, bus = trace.rows, trace.bus
    if len(rows) < 2:
        return frozenset()
    same = (rows.status[:-1] ^ rows.status[1:]) & MODE == 0
    pushes = np.append(same & (rows.stack_pointer[1:] < rows.stack_pointer[:-1]), False)
    writes = np.flatnonzero((bus.purpose == t.WRITE) & inside[bus.row])
    row, word = bus.row[writes], bus.address[writes] & ~3
    pushed = pushes[row]
    ends: dict[tuple[int, int], int] = {}
    found: set[int] = set()
    saved: dict[int, int] = {}
    candidates = np.isin(word, np.unique(word[pushed])).tolist()
    for at, address, push, wanted in zip(
        row.tolist(), word.tolist(), pushed.tolist(), candidates, strict=True
    ):
        if not wanted:
            continue
        if push:
            saved[address] = at
        elif address in saved:
            since = saved[address]
            if (since, address) not in ends:
                ends[since, address] = _end(trace, since, address)
            if at < ends[since, address]:
                found.add(int(rows.address[at]))
            else:
                del saved[address]
    return frozenset(found)


def _end(trace: Trace, since: int, word: int) -> int:
    """The first row after a push at which the stack pointer of its mode is above the word."""
    rows = trace.rows
    mode = rows.status[since] & MODE
    start, size = since + 1, WINDOW
    while start < len(rows):
        part = slice(start, start + size)
        above = (rows.stack_pointer[part] > word) & (rows.status[part] & MODE == mode)
        if above.any():
            return start + int(above.argmax())
        start, size = start + size, size * 2
    return len(rows)
