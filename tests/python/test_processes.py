"""Work in processes of its own: what fails, what dies, what is tried again."""

import os
import re
import signal
from pathlib import Path

import pytest
from socscope import processes
from socscope.errors import SocscopeError

KILLED = "its process died: SIGKILL"


def work(argument: str) -> str:
    """Does as it is told; runs in a process of its own."""
    what, _, rest = argument.partition(" ")
    if what == "fail":
        raise SocscopeError(rest)
    if what == "bug":
        raise ValueError(rest)
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "exit":
        os._exit(int(rest))
    if what == "once":
        seen = Path(rest)
        if not seen.exists():
            seen.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return argument


def done(*arguments: str, jobs: int = 2, attempts: int = 1) -> tuple[dict[int, str], dict[int, str]]:
    results: dict[int, str] = {}
    failures: dict[int, str] = {}
    processes.each(
        work,
        arguments,
        jobs=jobs,
        on_result=results.__setitem__,
        on_failure=failures.__setitem__,
        attempts=attempts,
    )
    return results, failures


def test_every_argument_has_its_result() -> None:
    assert done(*"abcdefg", jobs=3) == (dict(enumerate("abcdefg")), {})
    assert done() == ({}, {})


def test_failure_and_death_leave_the_others_alone() -> None:
    results, failures = done("fail so it is", "a", "die", "b", "exit 7", "c", "d", jobs=2)
    assert results == {1: "a", 3: "b", 5: "c", 6: "d"}
    assert failures == {0: "so it is", 2: KILLED, 4: "its process died: exit status 7"}


def test_killed_work_is_tried_again(tmp_path: Path) -> None:
    once = f"once {tmp_path / 'seen'}"
    assert done(once, "a", attempts=2) == ({0: once, 1: "a"}, {})
    assert done("die", "a", attempts=2) == ({1: "a"}, {0: f"{KILLED}, 2 times"})


def test_bug_is_raised_with_its_place() -> None:
    with pytest.raises(ValueError, match=re.escape("wrong")) as raised:
        done("bug wrong", "a")
    assert "in work" in raised.value.__notes__[0]
