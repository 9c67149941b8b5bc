"""What a core did in a short run, as arrays: instructions, bus cycles, watched values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]
Mask = NDArray[np.bool_]

EXECUTED, PASSED, ENTRY = 0, 1, 2
"""Kinds of rows: an instruction, one whose condition failed, an exception entry that no instruction made."""
FETCH, READ, WRITE, INTERNAL = 0, 1, 2, 3
"""Purposes of bus cycles."""
NO_TRANSFER, JUMP, CALL, EXCEPTION, RETURN = 0, 1, 2, 3, 4
"""How a row left."""
_LAYOUT = {
    "rows": {
        "address": "<u4",
        "size": "u1",
        "kind": "u1",
        "class": "u1",
        "status": "<u4",
        "stack_pointer": "<u4",
        "cycle": "<u8",
        "cycles": "<u4",
        "transfer": "u1",
        "target": "<u4",
    },
    "bus": {
        "row": "<u4",
        "purpose": "u1",
        "sequence": "u1",
        "size": "u1",
        "address": "<u4",
        "cost": "<u2",
        "wait": "u1",
    },
    "changes": {"row": "<u4", "place": "u1", "value": "<u4"},
}


@dataclass(frozen=True)
class Rows:
    """Instructions and exception entries, in order."""

    address: Column
    size: Column
    kind: Column
    status: Column
    stack_pointer: Column
    cycle: Column
    cycles: Column
    transfer: Column
    target: Column

    def __len__(self) -> int:
        return len(self.address)


@dataclass(frozen=True)
class Bus:
    """Bus cycles, in order; `row` is where each belongs.

    Of I cycles (`INTERNAL`) `address` is the number. `cost` is what a cycle took on the traced platform,
    `wait` the part of it in which the external bus was idle before the access.
    """

    row: Column
    purpose: Column
    sequence: Column
    size: Column
    address: Column
    cost: Column
    wait: Column


@dataclass(frozen=True)
class Trace:
    """A short run."""

    rows: Rows
    bus: Bus
    watched: tuple[Column, ...]
    """For each watched place its value before each row."""
    stopped_cycles: int
    bus_held_cycles: int

    @classmethod
    def unpack(cls, tables: Mapping[str, Any], places: int) -> Self:
        """Takes what `_core.Machine.trace` gives; `places` is the number of watched places."""
        read = {
            table: {
                name: np.frombuffer(tables[table][name], kind).astype(np.int64)
                for name, kind in columns.items()
            }
            for table, columns in _LAYOUT.items()
        }
        rows, changes = read["rows"], read["changes"]
        rows.pop("class")
        watched = tuple(_followed(changes, place, len(rows["address"])) for place in range(places))
        return cls(
            Rows(**rows), Bus(**read["bus"]), watched, tables["stopped_cycles"], tables["bus_held_cycles"]
        )

    def transitions(self, counted: Mask) -> set[tuple[int, int]]:
        """Addresses of instructions that ran, each with that of the next one, where both are counted."""
        address = self.rows.address
        both = counted[:-1] & counted[1:] & (self.rows.kind[:-1] != ENTRY) & (self.rows.kind[1:] != ENTRY)
        return set(zip(address[:-1][both].tolist(), address[1:][both].tolist(), strict=True))


def _followed(changes: Mapping[str, Column], place: int, count: int) -> Column:
    """The value of a watched place before each of `count` rows."""
    mine = changes["place"] == place
    rows, values = changes["row"][mine], changes["value"][mine]
    if not len(values):
        return np.zeros(count, np.int64)
    followed: Column = values[np.searchsorted(rows, np.arange(count), side="right") - 1]
    return followed
