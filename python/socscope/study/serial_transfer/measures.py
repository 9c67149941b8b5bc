"""What is read off one run of the study."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from socscope.record import Run
from socscope.report import summary
from socscope.study.kermit.overhead import Direction, Transfer, analyse
from socscope.study.serial_transfer.parameters import Parameters
from socscope.study.serial_transfer.transfer import LINK


@dataclass(frozen=True)
class Measured:
    """One run with its parameters."""

    run: Run

    @cached_property
    def parameters(self) -> Parameters:
        """What was varied."""
        return Parameters.of(self.run.manifest.parameters)

    @cached_property
    def transfer(self) -> Transfer:
        """The transfer as seen on the line."""
        rows = [row for row in self.run.rows("console") if row["port"] == LINK]
        line: list[tuple[Direction, bytes]] = [(row["direction"], row["bytes"]) for row in rows]
        return analyse(line, "in" if self.parameters.role == "receive" else "out")

    @cached_property
    def layers(self) -> dict[str, dict[str, Any]]:
        """Counts by layer; those that did not run are left out."""
        return {row["layer"]: row for row in self.run.rows("layers") if row["instructions"]}

    @property
    def busy_instructions(self) -> int:
        """Instructions outside the idle layer."""
        return sum(row["instructions"] for name, row in self.layers.items() if name != summary.IDLE)

    @property
    def occupation(self) -> float:
        """Fraction of the time in which the processor had work."""
        return summary.occupation(self.run)

    @property
    def busy_cycles(self) -> int:
        """Cycles in which the processor had work."""
        return round(self.occupation * self.run.manifest.totals.cycles)

    @property
    def seconds(self) -> float:
        """Simulated time of the window."""
        return self.run.manifest.totals.time_ps / 1e12

    def per_byte(self, count: int) -> float:
        """A count divided by the payload."""
        return count / self.parameters.size_bytes

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Rows of an SQL query over the record."""
        rows: list[dict[str, Any]] = self.run.query(sql).to_pylist()
        return rows
