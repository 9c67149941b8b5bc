"""SQL over the tables of run records, without access to anything else."""

import re
from collections.abc import Iterable, Mapping, Sequence

import duckdb
import pyarrow as pa
import pyarrow.dataset

from socscope.errors import QueryError

# Set before the first table is there: no text of a record can lift it.
LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "enable_external_access": False,
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
}


def query(sql: str, tables: Mapping[str, pa.Table | pa.dataset.Dataset]) -> pa.Table:
    """Answers one SELECT. The database lives in memory and sees neither files, network nor Python.

    Columns of one name get numbers, as `unique_names` says.
    """
    if re.search(r"[\x00\ud800-\udfff]", sql):
        raise QueryError("the query holds bytes that are no text: write it in UTF-8")
    with duckdb.connect(":memory:", config=LOCKED) as database:
        try:
            for name, table in tables.items():
                database.register(name, table)
            statements = database.extract_statements(sql)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise QueryError("a query is one SELECT; a run record is never changed")
            answer = database.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(f"{error}") from None
    return _with_integers(answer.rename_columns(unique_names(answer.column_names)))


def unique_names(names: Sequence[str]) -> list[str]:
    """The names of an answer's columns, each once: a second `a` is `a_1`, a third `a_2`.

    As DuckDB names the columns of a table made from a query; capitals do not count.
    """
    met: dict[str, int] = {}
    made = []
    for name in names:
        own = name
        while own.lower() in met:
            own = f"{name}_{met[name.lower()]}"
            met[name.lower()] += 1
        met[own.lower()] = 1
        made.append(own)
    return made


def named_in(sql: str, tables: Iterable[str]) -> list[str]:
    """The tables whose names stand in a query; all of them when none does: it may ask which there are."""
    words = set(re.findall(r"\w+", sql.lower()))
    known = list(tables)
    return [name for name in known if name in words] or known


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
