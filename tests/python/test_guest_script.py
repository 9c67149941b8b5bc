"""Guests are built when they are needed: what is done, and how long it takes, is told first."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from socscope import platform
from socscope.errors import StudyError
from socscope.study import guest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one guest, whose build takes a while."""
    tree = tmp_path / "tree"
    for name in ("guests/rtos", "guests/kermit", "guests/slow"):
        (tree / name).mkdir(parents=True)
    shutil.copytree(ROOT / "scripts", tree / "scripts")
    (tree / "guests/rtos/source.c").write_text("")
    build = tree / "guests/slow/build.sh"
    build.write_text(
        '#!/bin/sh\nset -e\ntouch "$1/one.o"\nsleep 1.2\n[ "$2" != SPEED=wrong ]\necho made >"$1/image"\n'
    )
    build.chmod(0o755)
    return tree


def asked(tree: Path, *arguments: str, script: str = "guest") -> "subprocess.CompletedProcess[str]":
    settings = {"SOCSCOPE_CACHE": str(tree.parent / "cache"), "SOCSCOPE_PROGRESS_S": "0.5"}
    command = [str(tree / "scripts" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | settings)


def test_a_build_is_announced_and_tells_how_far_it_is(tree: Path) -> None:
    first = asked(tree, "slow", "SPEED=low")
    assert first.returncode == 0, first.stderr
    lines = first.stderr.splitlines()
    assert lines[0] == "guest: building slow (SPEED=low), once: some seconds"
    assert "guest: slow: 1 s, 1 files compiled" in lines
    assert re.match(r"guest: slow: built in \d+ s, kept in ", lines[-1])
    assert (Path(first.stdout.strip()) / "image").read_text() == "made\n"
    again = asked(tree, "slow", "SPEED=low")
    assert (again.stdout, again.stderr) == (first.stdout, "")


def test_a_build_that_fails_leaves_nothing(tree: Path) -> None:
    assert asked(tree, "slow", "SPEED=wrong").returncode != 0
    assert not [path for path in (tree.parent / "cache/guests").iterdir() if path.is_dir()]


def test_words_that_are_none_are_refused(tree: Path) -> None:
    usage = "usage: scripts/guest TARGET [NAME=VALUE...], "
    usage += "for instance scripts/guest system BOARD=at91x40 ISA=arm\n"
    assert (asked(tree).returncode, asked(tree).stderr) == (2, f"guest: no target is named; {usage}")
    assert asked(tree, "slow", "low").stderr == f"guest: low is no NAME=VALUE; {usage}"
    wrong = asked(tree, "at91x40", script="guests")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("guests: there is no at91x40; there are: at91x40-arm ")


def test_a_compiler_that_is_missing_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tree.parent / "bin"
    bare.mkdir()
    for tool in ("bash", "readlink", "dirname", "env"):
        (bare / tool).symlink_to(shutil.which(tool) or "")
    monkeypatch.setenv("PATH", str(bare))
    monkeypatch.setenv("SOCSCOPE_NO_APT", "1")
    said = asked(tree, "linux")
    assert said.returncode == 1
    assert said.stderr == (
        "guest: powerpc-linux-gnu-gcc or its libraries are missing: "
        "install the packages of scripts/packages-for-linux.txt\n"
    )


def test_a_study_shows_what_a_build_says(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOCSCOPE_CACHE", str(tree.parent / "cache"))
    monkeypatch.setattr(platform, "ROOT", tree)
    assert (guest.build("slow") / "image").exists()
    assert capsys.readouterr().err.startswith("guest: building slow, once: some seconds\n")
    with pytest.raises(StudyError, match=r"the guest slow SPEED=wrong does not build:\nguest: building slow"):
        guest.build("slow", SPEED="wrong")
