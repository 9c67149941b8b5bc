"""Run records: what goes in comes out, equal runs give equal files, nothing is half written."""

import errno
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import socscope
from socscope.errors import RecordError
from socscope.image import Image
from socscope.layers import Layers
from socscope.record import Run, open_run
from socscope.record.counts import build
from socscope.record.tables import TABLES
from socscope.record.write import whole_file, write

Profile = dict[str, dict[str, list[Any]]]


def test_totals_are_the_sums_over_the_window(run: Run) -> None:
    totals = run.manifest.totals
    assert (totals.instructions, totals.cycles, totals.executing_cycles) == (100, 1000, 250)
    assert totals.cpi == 2.5
    assert (totals.reads, totals.writes) == (4, 9)
    assert (totals.register_reads, totals.register_writes) == (2, 2)
    assert (totals.dma_bytes, totals.interrupts) == (6, 2)


def test_layers_sum_up_library_functions_with_their_callers(run: Run) -> None:
    found = {row["layer"]: (row["instructions"], row["writes"]) for row in run.rows("layers")}
    assert found == {"idle": (20, 0), "drivers": (70, 9), "application": (10, 0), "other": (0, 0)}


def test_functions_have_their_own_counts(run: Run) -> None:
    copy = next(row for row in run.rows("functions") if row["name"] == "copy_bytes")
    assert (copy["instructions"], copy["cycles"], copy["layer"]) == (52, 130, "library")


def test_dma_transfers_are_summed_by_channel(run: Run) -> None:
    (row,) = run.rows("dma")
    assert (row["transfers"], row["bytes"], row["bytes_mean"]) == (2, 6, 3.0)


def test_interrupt_latency_has_a_mean(run: Run) -> None:
    assert [row["latency_cycles_mean"] for row in run.rows("interrupts")] == [25.0, 0.0]


def test_serial_characters_of_one_direction_are_joined(run: Run) -> None:
    assert run.rows("console") == [
        {"port": "usart1", "direction": "in", "start_ps": 10, "end_ps": 20, "bytes": b"ab"},
        {"port": "usart1", "direction": "out", "start_ps": 30, "end_ps": 40, "bytes": b"\x00\xff"},
    ]


def test_every_table_has_its_schema(run: Run) -> None:
    for name, table in TABLES.items():
        assert run.table(name).schema.remove_metadata() == table.schema


def test_equal_runs_give_equal_records(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "again", run.manifest, dict(run.tables()))
    again = socscope.open(tmp_path / "again")
    assert again.sha256 == run.sha256
    for name in run.table_names:
        file = f"{name}.parquet"
        assert (again.folder / file).read_bytes() == (run.folder / file).read_bytes()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("instructions", "the instructions of all contexts sum up to 101, the whole run has 100"),
        ("cycles", "the cycles of all contexts sum up to 251, the whole run has 250"),
    ],
)
def test_parts_that_do_not_sum_up_are_refused(
    *, profile: Profile, image: Image, layers: Layers, column: str, message: str
) -> None:
    profile["instructions"][column][0] += 1
    with pytest.raises(RecordError, match=message):
        build(profile, image, layers, {})


def test_profile_with_other_columns_is_refused(profile: Profile, image: Image, layers: Layers) -> None:
    del profile["marks"]["cycle"]
    with pytest.raises(
        RecordError, match=r"table marks: the core gives \['argument', 'core', 'number', 'time_ps'\]"
    ):
        build(profile, image, layers, {})


def test_profile_with_a_wrong_type_is_refused(profile: Profile, image: Image, layers: Layers) -> None:
    profile["marks"]["cycle"][0] = "soon"
    with pytest.raises(RecordError, match="table marks: the profile is damaged"):
        build(profile, image, layers, {})


def test_taken_folder_is_refused(run: Run) -> None:
    with pytest.raises(
        RecordError, match=re.escape(f"{run.folder}: already there; name another folder or remove it")
    ):
        write(run.folder, run.manifest, dict(run.tables()))


def test_full_disk_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, written = pq.write_table, 0

    def fill_up(table: pa.Table, path: Path, **options: Any) -> None:  # noqa: ANN401 - passed on.
        nonlocal written
        written += 1
        if written == 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(table, path, **options)

    monkeypatch.setattr(pq, "write_table", fill_up)
    target = tmp_path / "runs" / "full"
    with pytest.raises(RecordError, match=re.escape(f"{target}: not written: No space left on device")):
        write(target, run.manifest, dict(run.tables()))
    assert list(target.parent.iterdir()) == []


def test_interruption_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pq, "write_table", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "runs" / "cut", run.manifest, dict(run.tables()))
    assert list((tmp_path / "runs").iterdir()) == []


def test_file_on_a_full_device_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(RecordError, match=re.escape(f"{path}: not written: No space left on device")):
        whole_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_folder_without_manifest(tmp_path: Path) -> None:
    with pytest.raises(
        RecordError, match=re.escape(f"{tmp_path}: not a run record (no manifest.json in it)")
    ):
        socscope.open(tmp_path)


def test_damaged_manifest(run: Run) -> None:
    path = run.folder / "manifest.json"
    path.write_text(path.read_text()[:50])
    with pytest.raises(RecordError, match=re.escape(f"{path}: damaged at the whole: Invalid JSON")):
        socscope.open(run.folder)


def test_other_format(run: Run) -> None:
    path = run.folder / "manifest.json"
    path.write_text(path.read_text().replace('"format": 5', '"format": 9'))
    with pytest.raises(RecordError, match="format 9; this version reads up to format 5; run again"):
        socscope.open(run.folder)


def test_changed_table(run: Run) -> None:
    path = run.folder / "dma.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(
        RecordError, match=re.escape(f"{path}: changed since the record was written; run again")
    ):
        socscope.open(run.folder).table("dma")


def test_unknown_table(run: Run) -> None:
    with pytest.raises(RecordError, match="no table dna; it has accesses, caches, console, dma, "):
        run.table("dna")


def test_times_take_little_space(run: Run, tmp_path: Path) -> None:
    rows = 100_000
    times = [7000 * row + row % 3 for row in range(rows)]
    marks = {
        "number": [3] * rows,
        "source": ["magic"] * rows,
        "name": [""] * rows,
        "argument": [0] * rows,
        "core": [0] * rows,
        "cycle": times,
        "time_ps": times,
    }
    table = pa.table(marks, schema=TABLES["marks"].schema)
    write(tmp_path / "long", run.manifest, {"marks": table})
    assert (tmp_path / "long" / "marks.parquet").stat().st_size < 2 * rows
    assert open_run(tmp_path / "long").table("marks").equals(table)
