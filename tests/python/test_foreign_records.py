"""Records, studies and sheets from elsewhere: whatever their text says, nothing of the host is reached."""

import gzip
import hashlib
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from socscope.cli import app
from socscope.errors import QueryError, RecordError, SocscopeError
from socscope.record import Run, open_run, sources
from socscope.replay import replay
from socscope.report import page, timeline
from socscope.simulation import Simulation
from socscope.study.sheet import Sheet
from socscope.study.store import Store, write
from typer.testing import CliRunner

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
    shown = CliRunner().invoke(app, ["query", str(results), "SELECT run FROM runs", "--json"])
    assert shown.stderr.startswith(
        f"left out: {results / 'runs' / 'one' / 'manifest.json'}: damaged at tables"
    )
    assert json.loads(shown.stdout) == [{"run": "two"}]
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


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("instructions", "node", 1), 99, "column node, row 1: 99 is no context; run again"),
        (("nodes", "parent", 2), 5, "column parent, row 2: 5 does not come before its context; run again"),
        (("nodes", "function", 0), 77, "column function, row 0: 77 is no function; run again"),
        (("nodes", "layer", 3), "x", "column layer, row 3: 'x' is no layer of the manifest; run again"),
        (("spans", "end_cycle", 0), -5, "column end_cycle, row 0: -5 is negative; run again"),
        (("layers", "cycles", 0), 51, "the cycles sum up to 251, the manifest says 250; run again"),
        (("accesses", "region", 0), None, "column region: a value is missing; run again"),
    ],
)
def test_tables_that_do_not_hold_together_are_refused(
    run: Run, place: tuple[str, str, int], value: object, message: str
) -> None:
    name, column, row = place
    table = run.table(name)
    columns = table.to_pydict()
    columns[column][row] = value
    schema = pa.schema([one.with_nullable(True) for one in table.schema])
    replaced(run.folder, name, pa.table(columns, schema=schema))
    with pytest.raises(RecordError, match=re.escape(f"{name}.parquet: damaged: {message}")):
        page.render(open_run(run.folder))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop_columns(["count"]), "it has 0 columns count, not one; run again"),
        (
            lambda table: table.set_column(4, "count", pa.array(["x"] * table.num_rows)),
            "column count is of type string, not int64; run again",
        ),
    ],
)
def test_tables_have_their_columns(run: Run, change: Callable[[pa.Table], pa.Table], message: str) -> None:
    replaced(run.folder, "accesses", change(run.table("accesses")))
    with pytest.raises(RecordError, match=re.escape(f"accesses.parquet: damaged: {message}")):
        open_run(run.folder).table("accesses")


def test_an_image_that_unpacks_without_end_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (run.folder / sources.IMAGE).write_bytes(gzip.compress(bytes(2_000_000)))
    monkeypatch.setattr(sources, "IMAGE_BYTES_MAX", 1_000_000)
    with pytest.raises(RecordError, match="unpacks to more than the 1,000,000 bytes"):
        sources.image_of(run)


def damage_manifest(folder: Path, draw: random.Random) -> None:
    path = folder / "manifest.json"
    text = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(text))
        text[place : place + draw.randint(0, 4)] = draw.choice(
            (b"", b"-1", b"null", b'"', b"9" * 30, b"\xff")
        )
    path.write_bytes(text)


def damage_table(folder: Path, draw: random.Random) -> None:
    """Other bytes behind the hash that they have."""
    path = draw.choice(sorted(folder.glob("*.parquet")))
    data = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 4)):
        data[draw.randrange(len(data))] = draw.randrange(256)
    path.write_bytes(data[: draw.choice((len(data), draw.randrange(len(data))))])
    hashed = hashlib.sha256(path.read_bytes()).hexdigest()
    forged(folder, lambda manifest: manifest["tables"][path.stem].update(sha256=hashed))


def damage_value(folder: Path, draw: random.Random) -> None:
    path = draw.choice([one for one in sorted(folder.glob("*.parquet")) if pq.read_metadata(one).num_rows])
    table = pq.read_table(path)
    columns = table.to_pydict()
    name = draw.choice(table.column_names)
    other: Any = draw.choice((-1, -(1 << 63), 0, 7, 1 << 40, (1 << 63) - 1))
    if not pa.types.is_integer(table.schema.field(name).type):
        other = {pa.string(): "\x1b</script>", pa.binary(): b"\xff"}.get(
            table.schema.field(name).type, float("nan")
        )
    columns[name][draw.randrange(table.num_rows)] = other
    replaced(folder, path.stem, pa.table(columns, schema=table.schema))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("damage", [damage_manifest, damage_table, damage_value])
def test_damage_anywhere_ends_in_an_answer_or_an_error(
    results: Path, damage: Callable[[Path, random.Random], None], seed: int
) -> None:
    folder = results / "runs" / "one"
    damage(folder, random.Random(seed))
    for use in (
        lambda: page.render(open_run(folder)),
        lambda: timeline.render(open_run(folder)),
        lambda: Store.open(results).query("SELECT * FROM io, marks, runs ORDER BY ALL"),
    ):
        with suppress(SocscopeError):
            use()


@pytest.fixture
def repeatable(tmp_path: Path) -> Path:
    """A record that can be run again, with one input."""
    (tmp_path / "loop.S").write_text(
        "_start: mov r0, #9\nagain: subs r0, r0, #1\nbne again\nfinish: b finish\n"
    )
    options = ["-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0x02000000", "-Wl,-e,_start"]
    subprocess.run(["arm-none-eabi-gcc", *options, "loop.S", "-o", "loop.elf"], cwd=tmp_path, check=True)
    simulation = Simulation("at91x40", tmp_path / "loop.elf", profile=True)
    simulation.send(b"x")
    simulation.run("1ms", until_symbol="finish")
    simulation.record(tmp_path / "repeatable")
    return tmp_path / "repeatable"


def test_a_damaged_record_is_not_repeated(repeatable: Path) -> None:
    assert replay(open_run(repeatable)).differences() == []
    table = open_run(repeatable).table("input")
    assert table.num_rows == 1
    for name, value, message in (
        ("cycle", -1, "input.parquet: damaged: column cycle, row 0: -1 is negative; run again"),
        ("encoded", b"", "table input is damaged"),
    ):
        replaced(repeatable, "input", pa.table({**table.to_pydict(), name: [value]}, schema=table.schema))
        with pytest.raises(RecordError, match=re.escape(message)):
            replay(open_run(repeatable))
    replaced(repeatable, "input", table)
    module = {"module": "m", "name": "f", "start": 0x02000000, "size": (1 << 32) - 1, "section": ".text"}
    forged(repeatable, lambda manifest: manifest["rerun"].update(module_functions=[module]))
    with pytest.raises(
        RecordError, match=r"manifest\.json: damaged at rerun\.module_functions: .*; run again"
    ):
        replay(open_run(repeatable))


def test_what_is_being_written_is_no_run(results: Path) -> None:
    shutil.copytree(results / "runs" / "one", results / "runs" / ".x.socscope.partial")
    assert [run.folder.name for run in Store.open(results).runs] == ["one", "two"]


def test_names_of_sheets_are_names_in_the_database(results: Path, tmp_path: Path) -> None:
    name = f"a\" AS SELECT 1; COPY (SELECT 1) TO '{tmp_path / 'written.csv'}'; --"
    sheet = Sheet(name, "", "", {"x": "X"}, [{"x": 7}])
    with duckdb.connect(write(results, Store.open(results).runs, [sheet])) as database:
        assert {row[0] for row in database.sql("SHOW TABLES").fetchall()} == {"runs", name}
    assert not (tmp_path / "written.csv").exists()
