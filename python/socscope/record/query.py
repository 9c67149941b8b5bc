"""SQL over the tables of run records, without access to anything else."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from socscope.errors import QueryError

NO_FILES: Mapping[str, Sequence[Path]] = {}


def query(
    sql: str, tables: Mapping[str, pa.Table], files: Mapping[str, Sequence[Path]] = NO_FILES
) -> pa.Table:
    """Answers one SELECT. The database lives in memory and sees neither other files, network nor Python.

    `files` are tables of several records: a column `run` holds the name of the record's folder.
    """
    with duckdb.connect(":memory:", config={"threads": 2}) as database:
        database.execute("SET python_enable_replacements = false")
        for name, table in tables.items():
            database.register(name, table)
        for name, paths in files.items():
            database.execute(
                f'CREATE VIEW "{name}" AS SELECT parse_path(filename)[-2] AS run, * EXCLUDE (filename) '
                f"FROM read_parquet({_list(paths)}, filename = true)"
            )
        if files:
            seen = [path for paths in files.values() for path in paths]
            database.execute(f"SET allowed_paths = {_list(seen)}")
        database.execute("SET enable_external_access = false")
        database.execute("SET autoinstall_known_extensions = false")
        database.execute("SET lock_configuration = true")
        try:
            statements = database.extract_statements(sql)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise QueryError("a query is one SELECT; a run record is never changed")
            return _with_integers(database.sql(sql).to_arrow_table())
        except duckdb.Error as error:
            raise QueryError(f"{error}") from None


def _list(paths: Sequence[Path]) -> str:
    quoted = (str(path.absolute()).replace("'", "''") for path in paths)
    return "[" + ", ".join(f"'{path}'" for path in quoted) + "]"


def _with_integers(answer: pa.Table) -> pa.Table:
    """The sum of integers comes as a decimal number without decimals: an integer, where 64 bits hold it."""
    for place, field in enumerate(answer.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            try:
                column = answer.column(place).cast(pa.int64())
            except pa.ArrowInvalid:
                continue
            answer = answer.set_column(place, field.name, column)
    return answer
