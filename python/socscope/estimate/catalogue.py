"""A catalogue of platform variants: a column for each access time or attribute, a row for each variant."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from socscope.errors import EstimateError
from socscope.estimate import toml

VARIANTS_MAX = 20_000_000


def read(path: Path) -> pa.Table:
    """Reads `.toml` (`[vary]`: every combination), `.csv` or `.parquet` (a variant a row)."""
    kind = path.suffix.lower()
    if kind == ".toml":
        table = _combinations(path)
    elif kind in (".csv", ".parquet"):
        try:
            table = pa.csv.read_csv(path) if kind == ".csv" else pa.parquet.read_table(path)
        except OSError as error:
            raise EstimateError(f"{path}: cannot be read: {error.strerror or error}") from None
        except pa.ArrowInvalid as error:
            raise EstimateError(f"{path}: not {kind[1:].upper()}: {error}") from None
    else:
        raise EstimateError(f"{path}: a catalogue is a .toml, .csv or .parquet file")
    if table.num_rows == 0:
        raise EstimateError(f"{path}: holds no variant")
    return table


def _combinations(path: Path) -> pa.Table:
    """Every combination of the values below `[vary]`; a list of tables varies several columns together."""
    content = toml.read(path)
    toml.only(content, ("vary",), str(path))
    vary = toml.table(content.get("vary", {}), f"{path}: vary")
    axes = [_axis(name, values, f"{path}: vary.{name}") for name, values in _flat(vary)]
    if not axes:
        raise EstimateError(f'{path}: nothing is varied; write [vary] and "memory.NAME.access_ns" = [10, 20]')
    sizes = [len(next(iter(axis.values()))) for axis in axes]
    total = int(np.prod(sizes, dtype=object))
    if total > VARIANTS_MAX:
        raise EstimateError(f"{path}: {total:,} combinations; at most {VARIANTS_MAX:,} can be priced at once")
    columns: dict[str, Any] = {}
    inner = total
    for axis, size in zip(axes, sizes, strict=True):
        inner //= size
        index = np.tile(np.repeat(np.arange(size), inner), total // (size * inner))
        for name, values in axis.items():
            column = np.array(values)[index]
            # An attribute of several choices, such as a price, adds up.
            columns[name] = columns[name] + column if name in columns else column
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Keys with their tables' names before them: TOML reads an unquoted `memory.ext.access_ns` as tables."""
    found = []
    for key, value in table.items():
        if isinstance(value, dict) and "from" not in value:
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, value))
    return found


def _axis(name: str, values: object, place: str) -> dict[str, list[Any]]:
    if isinstance(values, dict):
        return {name: _range(values, place)}
    if not isinstance(values, list) or not values:
        raise EstimateError(f"{place}: give a list of values, {{from = 10, to = 100, step = 5}}, or tables")
    if not all(isinstance(value, dict) for value in values):
        return {name: [float(toml.number(value, f"{place}[{n}]")) for n, value in enumerate(values)]}
    columns = list(dict.fromkeys(key for value in values for key, _ in _flat(value)))
    rows = [dict(_flat(value)) for value in values]
    for number, row in enumerate(rows):
        if missing := [column for column in columns if column not in row]:
            raise EstimateError(
                f"{place}[{number}]: {missing[0]} is missing; every choice gives the same columns"
            )
    return {column: [_cell(row[column], f"{place}.{column}") for row in rows] for column in columns}


def _cell(value: object, place: str) -> float | str:
    return value if isinstance(value, str) else float(toml.number(value, place))


def _range(values: Mapping[str, Any], place: str) -> list[float]:
    toml.only(values, ("from", "to", "step", "count"), place)
    if "to" not in values or ("step" in values) == ("count" in values):
        raise EstimateError(f"{place}: a range has from, to, and either step or count")
    first, last = (toml.number(values[key], f"{place}.{key}") for key in ("from", "to"))
    if last < first:
        raise EstimateError(f"{place}: ends at {values['to']} before it begins at {values['from']}")
    if "count" in values:
        number = values["count"]
        if not isinstance(number, int) or not 2 <= number <= VARIANTS_MAX:
            raise EstimateError(f"{place}.count: {number} is no number of values from 2 on")
        return [float(first + (last - first) * n / (number - 1)) for n in range(number)]
    step = toml.number(values["step"], f"{place}.step", positive=True)
    if (last - first) / step > VARIANTS_MAX:
        raise EstimateError(f"{place}: has more than {VARIANTS_MAX:,} steps")
    return [float(first + step * n) for n in range(int((last - first) / step) + 1)]


def exact(value: float) -> Fraction:
    """The decimal number that is meant by a float of the catalogue."""
    return Fraction(Decimal(repr(value)))
