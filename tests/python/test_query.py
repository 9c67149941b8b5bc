"""SQL over a record, and what it must not reach."""

from pathlib import Path

import pytest
from socscope.errors import QueryError
from socscope.record import Run


def test_select_joins_tables(run: Run) -> None:
    answer = run.query(
        "SELECT layer, sum(instructions)::BIGINT AS n"
        " FROM nodes JOIN instructions USING (node) GROUP BY 1 ORDER BY 2"
    )
    assert answer.to_pylist() == [
        {"layer": "application", "n": 10},
        {"layer": "idle", "n": 20},
        {"layer": "drivers", "n": 70},
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "DROP VIEW dma",
        "CREATE TABLE t AS SELECT 1",
        "COPY dma TO 'x.csv'",
        "SET threads = 1",
        "SELECT 1; SELECT 2",
        "",
    ],
)
def test_anything_but_one_select_is_refused(run: Run, sql: str) -> None:
    with pytest.raises(QueryError, match="a query is one SELECT; a run record is never changed"):
        run.query(sql)


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM read_text('{file}')", "SELECT * FROM '{file}'", "SELECT * FROM glob('{folder}/*')"],
)
def test_files_cannot_be_read(run: Run, tmp_path: Path, sql: str) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a\n1\n")
    with pytest.raises(QueryError, match="disabled"):
        run.query(sql.format(file=file, folder=tmp_path))


def test_variables_of_the_program_cannot_be_read(run: Run) -> None:
    with pytest.raises(QueryError, match="tables does not exist"):
        run.query("SELECT * FROM tables")


def test_error_in_the_query_says_what_is_wrong(run: Run) -> None:
    with pytest.raises(QueryError, match='Referenced column "nothing" not found'):
        run.query("SELECT nothing FROM dma")
    with pytest.raises(QueryError, match="syntax error"):
        run.query("SELEC 1")


def test_a_sum_of_integers_is_an_integer(run: Run) -> None:
    answer = run.query(
        "SELECT sum(instructions) AS n, sum(instructions * 1000000000000000000000000000000::HUGEINT) AS big"
        " FROM functions"
    )
    row = answer.to_pylist()[0]
    assert type(row["n"]) is int
    assert row["n"] == run.manifest.totals.instructions
    assert row["big"] == row["n"] * 10**30
