"""The table of marks: those of magic instructions, and those that were set besides."""

from collections.abc import Mapping
from typing import Any

Columns = Mapping[str, Any]


def with_magic(magic: Columns, marked: Columns | None) -> dict[str, list[Any]]:
    """Magic instructions with the marks that were set besides, by their cycles."""
    count = len(magic["number"])
    found = {**magic, "source": ["magic"] * count, "name": [""] * count}
    if marked is None:
        return found
    # Equal cycles keep their order: magic instructions first, then the order in which marks were set.
    together = {name: [*found[name], *marked[name]] for name in found}
    order = sorted(range(len(together["cycle"])), key=together["cycle"].__getitem__)
    return {name: [column[row] for row in order] for name, column in together.items()}
