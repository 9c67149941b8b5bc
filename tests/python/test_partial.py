"""What killed writers leave is removed by the next one; what a live one writes is not."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from socscope.errors import StudyError
from socscope.record.partial import SUFFIX, partial_file, partial_folder, remove_left
from socscope.record.write import whole_file
from socscope.study import pool

WRITER = """
import sys, time
from pathlib import Path
from socscope.record.write import filled_file, whole_folder
with whole_folder(Path(sys.argv[1]) / "record") as folder, filled_file(Path(sys.argv[1]) / "page") as file:
    (folder / "half").write_text("x")
    file.write_text("half")
    print("writes", flush=True)
    time.sleep(60)
"""


def left_in(folder: Path) -> list[Path]:
    return sorted(folder.glob(f".*{SUFFIX}"))


def writer(folder: Path) -> "subprocess.Popen[str]":
    """A process in the middle of writing a folder and a file."""
    started = subprocess.Popen([sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE, text=True)
    assert started.stdout
    assert started.stdout.readline() == "writes\n"
    return started


def kill(process: "subprocess.Popen[str]") -> None:
    with process:
        process.send_signal(signal.SIGKILL)


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    killed, alive = writer(tmp_path), writer(tmp_path)
    assert len(left_in(tmp_path)) == 4
    kill(killed)
    others = [tmp_path / ".theirs.partial", tmp_path / f"no-dot{SUFFIX}"]
    for path in others:
        path.mkdir()
    whole_file(tmp_path / "next", "x")
    assert len(left_in(tmp_path)) == 2
    assert all(path.is_dir() for path in others)
    kill(alive)
    with partial_folder(tmp_path) as held:
        assert left_in(tmp_path) == [held]
    assert left_in(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir() if path not in others] == ["next"]


def test_a_study_removes_what_one_before_it_left(tmp_path: Path) -> None:
    for name in ("runs/images", "checkpoints", "tables"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / f".x{SUFFIX}").mkdir()
    (tmp_path / f".x{SUFFIX}").write_text("half")
    with pool.alone(tmp_path):
        assert list(tmp_path.rglob(f"*{SUFFIX}")) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    results = tmp_path / "results"
    results.mkdir()
    (results / f".x{SUFFIX}").symlink_to(precious)
    (results / ".lock").symlink_to(precious)
    os.mkfifo(results / f".pipe{SUFFIX}")
    with pytest.raises(StudyError, match=r"\.lock: cannot be locked: .*; remove it"), pool.alone(results):
        pass
    remove_left(results)
    assert precious.read_text() == "mine"


def test_nothing_stays_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), partial_file(tmp_path / "made"):
        raise ValueError("x")
    assert list((tmp_path / "made").iterdir()) == []
