"""The best and worst variants of a catalogue, those within a deadline, the front of cost against time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from socscope.errors import EstimateError
from socscope.estimate.knob import CLOCK
from socscope.estimate.variants import Floats, Matrix, front
from socscope.record.write import filled_file

Row = dict[str, Any]
TOTAL = "total_ns"


@dataclass
class Ranking:
    """What a catalogue came to. `total_ns` of a row is the sum over all chosen paths."""

    variants: int
    best: list[Row] = field(default_factory=list)
    worst: list[Row] = field(default_factory=list)
    within: int | None = None
    """How many variants hold the deadline with every path."""
    front: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Why prices may not hold."""


class _Sink(Protocol):
    def write(self, table: pa.Table) -> None: ...


def rank(
    matrix: Matrix,
    *,
    out: Path | None = None,
    deadline_ns: Fraction | None = None,
    against: str | None = None,
    shown: int = 5,
    on_progress: Callable[[float], None] = lambda _share: None,
) -> Ranking:
    """Prices every variant; writes all prices to `out`, and finds the variants that matter.

    `against` is the column that the front sets against the time: an attribute or the clock is better when
    smaller, an access time when larger, since slower memories cost less.
    """
    variants = matrix.variants
    number = variants.table.num_rows
    attribute = None if against is None else _better_when_smaller(matrix, against)
    objective = np.empty(number)
    within = np.ones(number, bool)
    names = [f"{cost.service.name}/{cost.path.name}" for cost in matrix.costs]
    with _sink(out) as write:
        for rows, totals, blocking in matrix.priced():
            objective[rows] = totals.sum(axis=0)
            if deadline_ns is not None:
                within[rows] = (totals <= float(deadline_ns)).all(axis=0)
            table = variants.table.slice(rows.start, rows.stop - rows.start)
            for name, total, longest in zip(names, totals, blocking, strict=True):
                table = table.append_column(f"{name} ns", pa.array(total))
                table = table.append_column(f"{name} blocking ns", pa.array(longest))
            if deadline_ns is not None:
                table = table.append_column("within", pa.array(within[rows]))
            write(table)
            on_progress(rows.stop / number)

    def row(index: int) -> Row:
        values = {name: column[0] for name, column in variants.table.slice(int(index), 1).to_pydict().items()}
        return {**values, TOTAL: float(objective[index])}

    order = np.argsort(objective, kind="stable")
    found = Ranking(number, [row(n) for n in order[:shown]], [row(n) for n in order[::-1][:shown]])
    if deadline_ns is not None:
        found.within = int(within.sum())
    if attribute is not None:
        found.front = [row(n) for n in front(objective, attribute)]
    return found


def _better_when_smaller(matrix: Matrix, name: str) -> Floats:
    variants = matrix.variants
    if name not in variants.table.column_names:
        raise EstimateError(
            f"{name}: the catalogue has no such column; it has {', '.join(variants.table.column_names)}"
        )
    values = variants.numbers(name)
    return -values if name in variants.columns and name != CLOCK else values


@contextmanager
def _sink(out: Path | None) -> Iterator[Callable[[pa.Table], None]]:
    """Where priced variants go, some at a time; the file appears when it is whole."""
    if out is None:
        yield lambda _table: None
        return
    if out.suffix not in (".parquet", ".csv"):
        raise EstimateError(f"{out}: prices are written as .parquet or .csv")
    writer: Any = None
    with filled_file(out) as partial:
        try:

            def write(table: pa.Table) -> None:
                nonlocal writer
                if writer is None and out.suffix == ".parquet":
                    writer = pa.parquet.ParquetWriter(partial, table.schema, compression="zstd")
                elif writer is None:
                    writer = pa.csv.CSVWriter(partial, table.schema)
                sink: _Sink = writer
                sink.write(table)

            yield write
        finally:
            if writer is not None:
                writer.close()
