"""Two profiles compared: what counts differ most."""

from dataclasses import dataclass
from typing import Any

from socscope.record import Run

MEASURES = ("instructions", "cycles")


@dataclass(frozen=True)
class Change:
    """A function or layer in both runs."""

    name: str
    instructions: tuple[int, int]
    cycles: tuple[int, int]

    @property
    def changed(self) -> bool:
        """Whether any of the counts differs."""
        return any(one != other for one, other in (self.instructions, self.cycles))


def layers(first: Run, second: Run) -> list[Change]:
    """The layers whose counts differ, the largest difference in cycles first."""
    return _changes(first, second, "layers", ("layer",))


def functions(first: Run, second: Run) -> list[Change]:
    """The functions whose counts differ, the largest difference in cycles first."""
    return _changes(first, second, "functions", ("name", "source"))


def totals(first: Run, second: Run) -> dict[str, tuple[int, int]]:
    """The sums that differ."""
    one, other = (run.manifest.totals.model_dump() for run in (first, second))
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def _changes(first: Run, second: Run, table: str, key: tuple[str, ...]) -> list[Change]:
    one, other = (_by_name(run.rows(table), key) for run in (first, second))
    found = [
        Change(
            name[0],
            (one.get(name, NONE)[0], other.get(name, NONE)[0]),
            (one.get(name, NONE)[1], other.get(name, NONE)[1]),
        )
        for name in dict.fromkeys([*one, *other])
    ]
    changed = [change for change in found if change.changed]
    return sorted(
        changed,
        key=lambda change: (
            -abs(change.cycles[1] - change.cycles[0]),
            -abs(change.instructions[1] - change.instructions[0]),
            change.name,
        ),
    )


NONE = (0, 0)


def _by_name(rows: list[dict[str, Any]], key: tuple[str, ...]) -> dict[tuple[str, ...], tuple[int, int]]:
    """Counts by name; functions of one name in one file count together."""
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for row in rows:
        name = tuple(row[column] for column in key)
        instructions, cycles = found.get(name, NONE)
        found[name] = (instructions + row["instructions"], cycles + row["cycles"])
    return found
