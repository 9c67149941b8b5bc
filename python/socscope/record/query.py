"""SQL over the tables of a run record, without access to anything else."""

from collections.abc import Mapping

import duckdb
import pyarrow as pa

from socscope.errors import QueryError


def query(sql: str, tables: Mapping[str, pa.Table]) -> pa.Table:
    """Answers one SELECT. The database lives in memory and sees neither files, network nor Python."""
    with duckdb.connect(":memory:", config={"threads": 2}) as database:
        database.execute("SET python_enable_replacements = false")
        for name, table in tables.items():
            database.register(name, table)
        database.execute("SET enable_external_access = false")
        database.execute("SET autoinstall_known_extensions = false")
        database.execute("SET lock_configuration = true")
        try:
            statements = database.extract_statements(sql)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise QueryError("a query is one SELECT; a run record is never changed")
            answer: pa.Table = database.sql(sql).to_arrow_table()
            return answer
        except duckdb.Error as error:
            raise QueryError(f"{error}") from None
