"""SQL over a record, and what it must not reach."""

import json
from pathlib import Path

import duckdb
import pytest
from socscope.cli import app
from socscope.errors import QueryError
from socscope.record import Run
from typer.testing import CliRunner


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


@pytest.mark.parametrize(
    ("names", "unique"),
    [
        (["a", "a", "b"], ["a", "a_1", "b"]),
        (["a", "A", "a_1", "a"], ["a", "A_1", "a_1_1", "a_2"]),
        (["x", "a_1", "a", "a", "a"], ["x", "a_1", "a", "a_2", "a_3"]),
    ],
)
def test_columns_of_one_name_are_told_apart_as_duckdb_does(
    run: Run, names: list[str], unique: list[str]
) -> None:
    sql = "SELECT " + ", ".join(f"{place} AS {name}" for place, name in enumerate(names))
    answer = run.query(sql)
    assert answer.column_names == unique
    assert answer.to_pylist() == [{name: place for place, name in enumerate(unique)}]
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE made AS {sql}")
        assert database.sql("SELECT * FROM made").columns == unique


def test_every_output_of_a_join_has_all_columns(run: Run) -> None:
    sql = "SELECT * FROM nodes JOIN instructions ON nodes.node = instructions.node ORDER BY ALL LIMIT 1"
    columns = [*run.table("nodes").column_names, *run.table("instructions").column_names]
    columns[columns.index("node", 1)] = "node_1"
    assert run.query(sql).column_names == columns
    shown = CliRunner().invoke(app, ["query", str(run.folder), sql])
    assert shown.output.split()[: len(columns)] == columns
    as_json = CliRunner().invoke(app, ["query", "--json", str(run.folder), sql])
    assert list(json.loads(as_json.output)[0]) == columns


def test_names_of_no_table_list_those_there_are(run: Run) -> None:
    with pytest.raises(QueryError, match='Did you mean "nodes"'):
        run.query("SELECT * FROM nods")
    found = run.query("SELECT table_name FROM information_schema.tables")
    assert {row["table_name"] for row in found.to_pylist()} == set(run.table_names)


def test_query_that_is_no_text_is_refused(run: Run) -> None:
    with pytest.raises(QueryError, match="write it in UTF-8"):
        run.query("SELECT '\udcff'")
