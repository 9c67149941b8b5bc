"""Tables that a study gives: rows with named columns, as CSV and in the report."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socscope.record.write import whole_file


@dataclass(frozen=True)
class Sheet:
    """One output of a study: a table, and the pictures drawn from it."""

    name: str
    title: str
    text: str = field(repr=False)
    columns: Mapping[str, str]
    """Column to the heading that the report shows."""
    rows: Sequence[Mapping[str, Any]] = field(repr=False)
    pictures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """Caption to Vega-Lite specification."""
    folded: bool = False
    """Whether the report shows the table only on demand: it is long, and the picture says the main thing."""

    @property
    def numeric(self) -> set[str]:
        """The columns that hold numbers, and nothing else but gaps."""
        held = {
            column: [row[column] for row in self.rows if row[column] is not None] for column in self.columns
        }
        return {
            column
            for column, values in held.items()
            if values
            and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        }

    def csv(self) -> str:
        """The table as comma-separated values, headed by the columns' names."""
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self.columns), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _number(row[name]) for name in self.columns} for row in self.rows)
        return text.getvalue()

    def write(self, folder: Path) -> None:
        """Writes the CSV file and the pictures as SVG."""
        from socscope.report import charts  # noqa: PLC0415 - takes a moment to import.

        whole_file(folder / "tables" / f"{self.name}.csv", self.csv())
        for number, spec in enumerate(self.pictures.values(), start=1):
            suffix = "" if len(self.pictures) == 1 else f"-{number}"
            whole_file(folder / "pictures" / f"{self.name}{suffix}.svg", charts.file_svg(spec))


def _number(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
