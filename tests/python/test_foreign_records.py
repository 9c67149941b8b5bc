"""Records, studies and sheets from elsewhere: whatever their text says, nothing of the host is reached."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from socscope.errors import QueryError, RecordError
from socscope.record import Run, open_run
from socscope.study.store import Store, write

Facts = dict[str, Any]


def forged(folder: Path, change: Callable[[Facts], None]) -> Path:
    """The record with another manifest."""
    path = folder / "manifest.json"
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts))
    return path


def replaced(folder: Path, name: str, table: pa.Table) -> None:
    """Puts another table into the record, with the hash that it has."""
    path = folder / f"{name}.parquet"
    pq.write_table(table, path)
    facts = {"rows": table.num_rows, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    forged(folder, lambda manifest: manifest["tables"].update({name: facts}))


@pytest.fixture
def results(run: Run, tmp_path: Path) -> Path:
    """A study's folder with two runs."""
    for name in ("one", "two"):
        shutil.copytree(run.folder, tmp_path / "results" / "runs" / name)
    return tmp_path / "results"


@pytest.mark.parametrize(
    "name", ["a\" AS SELECT 1; COPY (SELECT 1) TO '{file}'; --", "../secret", "/secret", "A", ""]
)
def test_names_of_tables_are_names(run: Run, results: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "written.csv"
    name = name.format(file=file)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "secret.parquet")
    facts = {"rows": 1, "sha256": hashlib.sha256((tmp_path / "secret.parquet").read_bytes()).hexdigest()}
    for folder in (run.folder, results / "runs" / "one"):
        path = forged(folder, lambda manifest: manifest["tables"].update({name: facts}))
        with pytest.raises(RecordError, match=r"damaged at tables.*pattern") as caught:
            open_run(folder)
        assert str(path) in str(caught.value)
    # The study goes on with the runs that are sound.
    assert [row["run"] for row in Store.open(results).query("SELECT run FROM runs").to_pylist()] == ["two"]
    assert not file.exists()


@pytest.mark.parametrize("place", ["image", "platform"])
def test_hashes_name_no_other_file(run: Run, place: str) -> None:
    field = {"image": "sha256", "platform": "dtb_sha256"}[place]
    forged(run.folder, lambda manifest: manifest[place].update({field: "../../secret"}))
    with pytest.raises(RecordError, match=f"damaged at {place}.{field}: .*pattern"):
        open_run(run.folder)


def test_a_study_is_queried_behind_the_lock(results: Path, tmp_path: Path) -> None:
    store = Store.open(results)
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for sql in (f"SELECT * FROM '{secret}'", f"SELECT * FROM read_parquet('{results}/runs/one/dma.parquet')"):
        with pytest.raises(QueryError, match="disabled"):
            store.query(sql)


@pytest.mark.parametrize("folder", ["a'b", 'a"b', "*", "[o]ne", "a?", "a\x1b[31mb", "a;DROP VIEW nodes"])
def test_runs_may_be_called_anything(results: Path, folder: str) -> None:
    (results / "runs" / "two").rename(results / "runs" / folder)
    sql = "SELECT run, sum(instructions) AS n FROM instructions GROUP BY run ORDER BY run"
    found = {row["run"]: row["n"] for row in Store.open(results).query(sql).to_pylist()}
    assert found == {"one": 100, folder: 100}
    write(results, [open_run(results / "runs" / folder)], [])


def test_a_studys_tables_are_checked_like_a_records(results: Path) -> None:
    path = results / "runs" / "two" / "dma.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    store = Store.open(results)
    assert store.query("SELECT count(*) AS n FROM nodes").to_pylist() == [{"n": 14}]
    with pytest.raises(
        RecordError, match=r"two/dma\.parquet: changed since the record was written; run again"
    ):
        store.query("SELECT * FROM dma")


def test_a_parameter_does_not_take_the_place_of_a_fact(results: Path) -> None:
    parameters = {"run": 5, "image": "mine", "huge": 10**30}
    forged(results / "runs" / "one", lambda manifest: manifest.update(parameters=parameters))
    one, two = (
        Store.open(results)
        .query("SELECT run, image, run_1, image_1, huge FROM runs ORDER BY run")
        .to_pylist()
    )
    assert one == {"run": "one", "image": "image.elf", "run_1": 5, "image_1": "mine", "huge": str(10**30)}
    assert (two["run"], two["run_1"]) == ("two", None)
