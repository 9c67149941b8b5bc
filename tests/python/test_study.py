"""Studies: points and their keys, a pool that resumes, sheets."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from socscope.errors import RecordError, StudyError
from socscope.record import Run, open_run
from socscope.study import guest, pool
from socscope.study.pool import Progress
from socscope.study.sheet import Sheet
from socscope.study.space import Point

TEMPLATE = "SOCSCOPE_TEST_TEMPLATE"


def copies(point: Point, folder: Path) -> None:
    """A run that takes a record from elsewhere; runs in a process of its own."""
    if point.parameters.get("fails"):
        raise StudyError("the guest went away")
    if point.parameters.get("dies"):
        os._exit(1)
    time.sleep(float(point.parameters.get("seconds", 0)))
    shutil.copytree(os.environ[TEMPLATE], folder)


@pytest.fixture
def points(run: Run, monkeypatch: pytest.MonkeyPatch) -> list[Point]:
    monkeypatch.setenv(TEMPLATE, str(run.folder))
    return [Point({"size": size}, {"image": "a"}) for size in (1, 2, 3)]


def test_key_depends_on_parameters_and_inputs_alone() -> None:
    point = Point({"a": 1, "b": 2}, {"image": "x"})
    assert point.key == Point({"b": 2, "a": 1}, {"image": "x"}).key
    assert point.key != Point({"a": 1, "b": 3}, {"image": "x"}).key
    assert point.key != Point({"a": 1, "b": 2}, {"image": "y"}).key


def test_pool_makes_all_runs_and_tells_how_far_it_is(points: list[Point], tmp_path: Path) -> None:
    told: list[Progress] = []
    runs = pool.carry_out(points, copies, tmp_path / "runs", jobs=2, on_progress=told.append)
    assert [run.folder.name for run in runs] == [point.key for point in points]
    assert [progress.done for progress in told] == [0, 1, 2, 3]
    assert told[0].seconds_left is None
    assert told[-1].seconds_left == 0


def test_pool_keeps_what_is_finished(points: list[Point], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    pool.carry_out(points[:2], copies, runs, jobs=1, on_progress=lambda _: None)
    before = {path: path.stat().st_mtime_ns for path in runs.glob("*/manifest.json")}
    told: list[Progress] = []
    pool.carry_out(points, copies, runs, jobs=1, on_progress=told.append)
    assert told[0].kept == 2
    assert len(told) == 2
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_equal_points_are_run_once(points: list[Point], tmp_path: Path) -> None:
    told: list[Progress] = []
    runs = pool.carry_out([points[0]] * 3, copies, tmp_path / "runs", jobs=2, on_progress=told.append)
    assert len(runs) == 3
    assert told[-1].total == 1


def test_failure_is_told_and_the_other_runs_are_kept(points: list[Point], tmp_path: Path) -> None:
    bad = Point({"size": 9, "fails": True}, {})
    runs = tmp_path / "runs"
    message = "1 of 4 runs failed; the others are kept:\n  size 9, fails True: the guest went away"
    with pytest.raises(StudyError, match=f"^{re.escape(message)}$"):
        pool.carry_out([bad, *points], copies, runs, jobs=2, on_progress=lambda _: None)
    assert {path.name for path in runs.iterdir()} == {point.key for point in points}


def test_process_that_dies_is_told(points: list[Point], tmp_path: Path) -> None:
    bad = Point({"dies": True}, {})
    with pytest.raises(StudyError, match="dies True: its process died"):
        pool.carry_out([bad], copies, tmp_path / "runs", jobs=1, on_progress=lambda _: None)


def test_interrupted_study_goes_on_where_it_was(points: list[Point], tmp_path: Path) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from socscope.study import pool
from socscope.study.space import Point
from test_study import copies
def tell(state):
    print(state.done, flush=True)
if __name__ == "__main__":
    points = [Point({{"size": 1}}, {{}}), Point({{"size": 2, "seconds": 60}}, {{}})]
    try:
        pool.carry_out(points, copies, Path("runs"), jobs=1, on_progress=tell)
    except KeyboardInterrupt:
        sys.exit(130)
"""
    (tmp_path / "study.py").write_text(script)
    started = subprocess.Popen(
        [sys.executable, "study.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert started.stdout
    assert [started.stdout.readline() for _ in range(2)] == ["0\n", "1\n"]
    time.sleep(0.5)
    os.killpg(started.pid, signal.SIGINT)
    assert started.wait(20) == 130
    started.stdout.close()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [Point({"size": 1}, {}).key]


def test_damaged_record_is_made_again(points: list[Point], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    pool.carry_out(points[:1], copies, runs, jobs=1, on_progress=lambda _: None)
    manifest = runs / points[0].key / "manifest.json"
    manifest.write_text("{")
    with pytest.raises(RecordError):
        open_run(manifest.parent)
    pool.carry_out(points[:1], copies, runs, jobs=1, on_progress=lambda _: None)
    assert open_run(manifest.parent).manifest.profiled


def test_sheet_as_csv_and_pictures(tmp_path: Path) -> None:
    rows = [{"name": "a, b", "share": 1 / 3, "left": None}, {"name": "c", "share": 2, "left": 1}]
    sheet = Sheet("shares", "Shares", "", {"name": "Name", "share": "Share", "left": "Left"}, rows)
    sheet.write(tmp_path)
    text = (tmp_path / "tables" / "shares.csv").read_text()
    assert text == 'name,share,left\n"a, b",0.333333,\nc,2,1\n'


def test_guest_that_does_not_build_says_why() -> None:
    with pytest.raises(StudyError, match="the guest no-such-target BOARD=at91x40 does not build:\n"):
        guest.build("no-such-target", BOARD="at91x40")
