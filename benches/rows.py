"""What benches measured, as rows of build/bench.json, with raw data in build/bench-raw.json.

Each bench merges its rows into the files: rows of the same name are replaced, others stay. As a program, it
prints the rows that miss their floor and fails when there is one.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

BUILD = Path(__file__).parents[1] / "build"
CONSOLE = Console(highlight=False)

Direction = Literal["at least", "at most"]


@dataclass(frozen=True)
class Row:
    """A measured value; a floor that it must reach, or must not exceed, if there is one."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    direction: Direction = "at least"

    @property
    def met(self) -> bool | None:
        """Whether the value is as the floor wants it; nothing without a floor."""
        if self.floor is None:
            return None
        return self.value >= self.floor if self.direction == "at least" else self.value <= self.floor

    def as_json(self) -> dict[str, Any]:
        """As it stands in build/bench.json."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "floor": self.floor,
            "met": self.met,
        }


def read(path: Path) -> Any:  # noqa: ANN401
    """The content of a file of a bench; nothing when there is none yet."""
    return json.loads(path.read_text()) if path.exists() else None


def merge(
    rows: Sequence[Row], section: str, raw: object, *, folder: Path = BUILD, kind: str = "bench"
) -> None:
    """Puts rows into the folder's file of rows, and the raw data of one bench under its name."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {row.name for row in rows}
    kept = [row for row in read(folder / f"{kind}.json") or [] if row["name"] not in names]
    _write(folder / f"{kind}.json", [*kept, *(row.as_json() for row in rows)])
    former = read(folder / f"{kind}-raw.json")
    _write(folder / f"{kind}-raw.json", {**(former if isinstance(former, dict) else {}), section: raw})


def _write(path: Path, content: object) -> None:
    partial = path.with_name(f"{path.name}.part")
    partial.write_text(json.dumps(content, indent=1) + "\n")
    partial.replace(path)


def show(rows: Sequence[Row], title: str) -> None:
    """Prints rows that have a floor."""
    table = Table(title=title, title_justify="left")
    for heading in ("what", "value", "unit", "wanted", "met"):
        table.add_column(heading, justify="left" if heading in {"what", "unit"} else "right")
    for row in rows:
        if row.floor is not None:
            met = "[green]yes[/]" if row.met else "[red]no[/]"
            table.add_row(row.name, f"{row.value:.2f}", row.unit, f"{row.direction} {row.floor:g}", met)
    CONSOLE.print(table)


def main() -> None:
    """Names the floors of build/bench.json that are not met; there shall be none."""
    rows = read(BUILD / "bench.json") or []
    wanted = [row for row in rows if row["floor"] is not None]
    missed = [row for row in wanted if not row["met"]]
    for row in missed:
        CONSOLE.print(f"not met: {row['name']}: {row['value']:.2f} {row['unit']}, wanted {row['floor']:g}")
    CONSOLE.print(f"{len(wanted) - len(missed)} of {len(wanted)} floors are met")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
