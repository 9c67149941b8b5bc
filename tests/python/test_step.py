"""Build steps say what they do, do nothing twice, and fail aloud."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "step", tmp_path / "scripts")
    (tmp_path / "input").write_text("1")
    return tmp_path


def step(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "scripts" / "step", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"},
    )


def count(tree: Path) -> int:
    made = tree / "made"
    return len(made.read_text()) if made.exists() else 0


def test_a_step_is_left_out_while_its_inputs_stay(tree: Path) -> None:
    once = ["--inputs", "input", "--made", "made", "Count", "--", "bash", "-c", "printf x >>made"]
    assert " s\n" in step(tree, *once).stdout
    assert "up to date" in step(tree, *once).stdout
    assert count(tree) == 1
    (tree / "input").write_text("2")
    step(tree, *once)
    assert count(tree) == 2
    (tree / "made").unlink()
    step(tree, *once)
    assert count(tree) == 1


def test_another_command_under_the_same_name_runs(tree: Path) -> None:
    for text in ("a", "b"):
        done = step(tree, "--inputs", "input", "Same", "--", "bash", "-c", f"printf {text} >>made")
        assert "up to date" not in done.stdout
    assert count(tree) == 2


def test_a_failing_step_shows_its_output_and_fails(tree: Path) -> None:
    for _ in range(2):  # A failure leaves no stamp.
        done = step(tree, "--inputs", "input", "Break", "--", "bash", "-c", "echo the reason >&2; exit 3")
        assert done.returncode == 3
        assert "FAILED" in done.stdout
        assert "the reason" in done.stdout
        assert "build/log/Break.log" in done.stderr


def test_a_streaming_step_fails_too(tree: Path) -> None:
    done = step(tree, "--stream", "Break", "--", "bash", "-c", "echo seen; exit 4")
    assert done.returncode == 4
    assert "seen" in done.stdout


def test_the_output_is_kept(tree: Path) -> None:
    step(tree, "Say it", "--", "echo", "words")
    assert (tree / "build/log/Say-it.log").read_text() == "words\n"
