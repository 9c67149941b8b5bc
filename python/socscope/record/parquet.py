"""The files of a record's tables: read only when they are what the manifest and the table's columns say."""

import hashlib
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from socscope.errors import RecordError
from socscope.record.manifest import FORMAT, TableFacts
from socscope.record.tables import TABLES

# What records of formats before the present one may lack.
LATER_COLUMNS = {
    "functions": {"entered", "instructions_inclusive", "cycles_inclusive"},
    "interrupts": {"core"},
    "marks": {"argument", "core", "name", "source"},
    "nodes": {"core", "entered"},
    "spans": {"core"},
}


def path_of(folder: Path, name: str) -> Path:
    """The file of a table; the manifest allows no name that leads out of the folder."""
    return folder / f"{name}.parquet"


def read(folder: Path, name: str, facts: TableFacts, made_in: int) -> pa.Table:
    """A table of a record of format `made_in`, whole and checked."""
    path = path_of(folder, name)
    file = _opened(path, facts)
    _check_columns(path, name, file.schema_arrow, made_in)
    try:
        # No threads: tables are small, and a program that ends must not wait for idle ones.
        table = file.read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None
    for column in table.column_names if name in TABLES else []:
        if table[column].null_count:
            raise RecordError(f"{path}: damaged: column {column}: a value is missing; run again")
    return table


def schema(folder: Path, name: str, facts: TableFacts, made_in: int) -> pa.Schema:
    """The columns of a table, whose file is checked but not read."""
    path = path_of(folder, name)
    found = _opened(path, facts).schema_arrow.remove_metadata()
    _check_columns(path, name, found, made_in)
    return found


def _opened(path: Path, facts: TableFacts) -> pq.ParquetFile:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != facts.sha256:
        raise RecordError(f"{path}: changed since the record was written; run again")
    try:
        file = pq.ParquetFile(BytesIO(data), pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None
    rows = file.metadata.num_rows
    if rows != facts.rows:
        raise RecordError(f"{path}: damaged: {rows} rows, the manifest says {facts.rows}; run again")
    return file


def _check_columns(path: Path, name: str, found: pa.Schema, made_in: int) -> None:
    """A table that we know has its columns with their types."""
    if name not in TABLES:
        return
    later = LATER_COLUMNS.get(name, set()) if made_in < FORMAT else set()
    for column, (kind, _) in TABLES[name].columns.items():
        places = found.get_all_field_indices(column)
        if not places and column in later:
            continue
        if len(places) != 1:
            raise RecordError(f"{path}: damaged: it has {len(places)} columns {column}, not one; run again")
        if found.field(places[0]).type != kind:
            raise RecordError(
                f"{path}: damaged: column {column} is of type {found.field(places[0]).type}, not {kind}; "
                "run again"
            )


def _damaged(path: Path, error: Exception) -> RecordError:
    return RecordError(f"{path}: damaged: {str(error).splitlines()[0] if str(error) else error!r}; run again")
