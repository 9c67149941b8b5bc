"""Prices all variants of a catalogue at once: a matrix of counts times a matrix of access times."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from socscope.errors import EstimateError
from socscope.estimate import toml
from socscope.estimate.catalogue import exact
from socscope.estimate.knob import CLOCK
from socscope.estimate.platform import CYCLE, Entry, Platform, Time, entry_named
from socscope.estimate.price import PathCost, Target, Uses

CHUNK = 65_536
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Variants:
    """The catalogue, and which of its columns are which access times."""

    table: pa.Table
    columns: dict[str, Entry]
    platform: Platform
    """The platform with all access times that the catalogue varies, as in its first row."""

    @property
    def attributes(self) -> list[str]:
        """The columns that are no access times: names, prices, areas."""
        return [name for name in self.table.column_names if name not in self.columns]

    def numbers(self, name: str) -> Floats:
        """A column as numbers."""
        values = self.table.column(name).to_numpy(zero_copy_only=False)
        if values.dtype.kind not in "iuf":
            raise EstimateError(f"{name}: holds text; it cannot be compared as a number")
        return values.astype(np.float64)


def understood(table: pa.Table, platform: Platform) -> Variants:
    """Tells access times from attributes; fails on times that are absent or negative, with their row."""
    columns: dict[str, Entry] = {}
    for name in table.column_names:
        if name == CLOCK:
            columns[name], time = CYCLE, Time(1000 / _checked(table, name))
        elif re.match(r"memory\.|branch_|cycle_ns$", name):
            columns[name], in_cycles = entry_named(name)
            if columns[name].memory not in ("", *platform.memories):
                raise EstimateError(f"{name}: {platform.name} has no memory {columns[name].memory}")
            time = Time(_checked(table, name), in_cycles)
        else:
            continue
        if list(columns.values()).count(columns[name]) > 1:
            raise EstimateError(
                f"{name}: another column of the catalogue says the same; leave one of them away"
            )
        platform = platform.with_time(columns[name], time)
    if not columns:
        raise EstimateError(
            f"the catalogue varies no access time; its columns are {', '.join(table.column_names)}: "
            "name one memory.NAME.access_ns, branch_ns, core_mhz, ..."
        )
    platform.check_varied(columns.values())
    return Variants(table, columns, platform)


def _checked(table: pa.Table, name: str) -> Fraction:
    """The first value of a column after all of them were checked."""
    column = table.column(name)
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype.kind not in "iuf":
        raise EstimateError(f"{name}: holds text; an access time is a number")
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero(~(values > 0 if name == CLOCK else values >= 0) | ~np.isfinite(values))
    if bad.size:
        value = "missing" if np.isnan(values[bad[0]]) else f"{values[bad[0]]:g}, which cannot be"
        raise EstimateError(
            f"{name}: is {value} in row {bad[0] + 1} of the catalogue; give a time of 0 or more"
        )
    unit = "MHz" if name == CLOCK else "cycles" if "_cycles" in name else "ns"
    for value in (values.min(), values.max()):
        toml.plausible(float(value), f"{name}, row {int(np.flatnonzero(values == value)[0]) + 1}", unit)
    return exact(float(values[0]))


class Matrix:
    """The counts of several paths, ready to be priced for many variants."""

    def __init__(self, variants: Variants, target: Target, costs: Sequence[PathCost]) -> None:
        self.variants = variants
        self.target = target
        self.costs = costs
        used = dict.fromkeys(entry for cost in costs for entry in cost.uses)
        self.entries = list(used)
        self.totals = self._rows([cost.uses for cost in costs])
        self.blocking = [
            self._rows([run for runs in cost.blocking().values() for run in runs]) for cost in costs
        ]

    def _rows(self, several: Sequence[Uses]) -> Floats:
        return np.array([[uses.get(entry, 0) for entry in self.entries] for uses in several], np.float64)

    def chunks(self) -> Iterator[tuple[slice, Floats]]:
        """The access times in ns: a row for each entry, a column for each variant of some."""
        names = {entry: name for name, entry in self.variants.columns.items()}
        given = {name: self.variants.numbers(name) for name in names.values()}
        platform = self.target.platform
        for start in range(0, self.variants.table.num_rows, CHUNK):
            rows = slice(start, min(start + CHUNK, self.variants.table.num_rows))
            times = np.empty((len(self.entries), rows.stop - rows.start))
            cycle: Any = 1.0
            if CYCLE in names:
                cycle = given[names[CYCLE]][rows]
                cycle = 1000 / cycle if names[CYCLE] == CLOCK else cycle
            elif CYCLE in platform.times:
                cycle = float(platform.cycle_ns)
            for place, entry in enumerate(self.entries):
                if entry == CYCLE:
                    times[place] = cycle
                    continue
                value: Any = (
                    given[names[entry]][rows] if entry in names else float(platform.times[entry].value)
                )
                times[place] = value * cycle if platform.times[entry].in_cycles else value
            yield rows, times

    def priced(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """For some variants at a time the totals, and the longest blocking, in ns: a row for each path."""
        for rows, times in self.chunks():
            blocking = np.zeros((len(self.costs), times.shape[1]))
            for place, runs in enumerate(self.blocking):
                if runs.size:
                    blocking[place] = (runs @ times).max(axis=0)
            yield rows, self.totals @ times, blocking


def front(objective: Floats, attribute: Floats) -> NDArray[np.intp]:
    """The variants to which none is better in one and as good in the other; both are better when smaller."""
    order = np.lexsort((objective, attribute))
    sorted_ = objective[order]
    before = np.concatenate(([np.inf], np.minimum.accumulate(sorted_)[:-1]))
    return order[sorted_ < before]
