"""`socscope debug` and `socscope run --gdb` as they are typed, with a real gdb-multiarch."""

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from socscope.record import open_run
from socscope.replay import replay
from test_cli import INTERRUPTED, process, typed  # type: ignore[import-not-found] # Tests beside it.
from test_gdb import SYSTEM, TIMEOUT_S, gdb, in_order  # type: ignore[import-not-found]

BOARD = "at91eb40a"


class Ended:
    """How a command ended."""

    def __init__(self) -> None:
        self.status = -1
        self.said = ""
        self.messages = ""


@contextmanager
def serving(*arguments: str | Path) -> Iterator[tuple[str, Ended, subprocess.Popen[str]]]:
    """A command that serves GDB: its address, and how it ends."""
    ended = Ended()
    with subprocess.Popen(
        process(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as command:
        assert command.stdout
        said = ""
        while not (found := re.search(r"127\.0\.0\.1:\d+", said)):
            line = command.stdout.readline()
            assert line, command.communicate()
            said += line
        yield found[0], ended, command
        # Behind a line that was read, the rest may wait in the same buffer.
        ended.said = said + command.stdout.read()
        assert command.stderr
        ended.messages = command.stderr.read()
        ended.status = command.wait(TIMEOUT_S)


def session(*arguments: str | Path, commands: str) -> tuple[str, Ended]:
    """What gdb says, and how the command ends."""
    with serving(*arguments) as (address, ended, _):
        said = gdb(address, SYSTEM, commands)
    return said, ended


def test_debug_forwards_and_backwards() -> None:
    said, ended = session(
        *("debug", BOARD, SYSTEM, "--until", "scheduler_start", "--for", "100ms"),
        commands="""
            info registers pc
            break scheduler_leave
            continue
            watch task_current
            reverse-continue
            delete
            reverse-continue
            monitor time
            kill
        """,
    )
    in_order(
        said,
        r"^pc .*<scheduler_start>",
        r"hit Breakpoint 1, scheduler_leave",
        r"hit Hardware watchpoint 2: task_current",
        r"No more reverse-execution history",
        r"in the past; the history begins at 12\.\d+ ms",
    )
    assert ended.status == 0
    assert re.fullmatch(r"gdb: 127\.0\.0\.1:\d+\n\s*", ended.said)
    in_order(
        ended.messages,
        rf"^gdb-multiarch {SYSTEM} -ex 'target remote 127\.0\.0\.1:\d+'$",
        r"^gdb: connected: 127\.0\.0\.1:\d+$",
        r"^the debugger killed the guest at 12\.\d+ ms$",
    )


def test_debug_as_json_ends_with_its_time() -> None:
    said, ended = session("debug", BOARD, SYSTEM, "--json", "--for", "5ms", commands="continue")
    assert "The run has come to its end" in said
    events = [json.loads(text) for text in re.findall(r"^\{.*?^\}", ended.said, re.DOTALL | re.MULTILINE)]
    assert [event["event"] for event in events] == ["listening", "connected", "ended"]
    assert events[-1]["stop"]["kind"] == "time"
    assert events[-1]["stop"]["time_ps"] >= 5_000_000_000


def test_a_detached_guest_goes_on_and_ctrl_c_ends_it() -> None:
    with serving("debug", BOARD, SYSTEM) as (address, ended, command):
        assert "detached" in gdb(address, SYSTEM, "break scheduler_start\ncontinue\ndetach").lower()
        assert "runs" in gdb(address, SYSTEM, "info threads\ndetach")
        os.kill(command.pid, signal.SIGINT)
    assert ended.status == INTERRUPTED
    assert "interrupted by the user" in ended.messages


def test_wrong_command_lines_say_why(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        _, said = typed("debug", BOARD, SYSTEM, "--port", str(port), status=1)
    assert f"gdb:127.0.0.1:{port}: cannot listen: " in said
    _, said = typed("run", BOARD, SYSTEM, "--gdb", "0", "--until", "main", status=2)
    assert "--gdb: where to stop is for GDB to say; --for can end the run" in said
    _, said = typed("debug", BOARD, tmp_path / "none.elf", status=1)
    assert "none.elf" in said


COUNTED = ("run", BOARD, SYSTEM, "--gdb", "0", "--profile", "--for", "30ms")


def test_a_run_under_gdb_leaves_a_record_that_repeats(tmp_path: Path) -> None:
    """A debugger's write is an input."""
    out = tmp_path / "run"
    said, ended = session(
        *(*COUNTED, "--out", out),
        commands="""
            break scheduler_leave
            continue
            set var task_table[1].name[0] = 'X'
            delete
            continue
        """,
    )
    assert "The run has come to its end" in said
    assert ended.status == 0
    assert f"record: {out}" in ended.said
    run = open_run(out)
    assert [row["kind"] for row in run.rows("input")] == ["memory"]
    assert replay(run).differences() == []


@pytest.mark.parametrize(
    ("commands", "kind"),
    [
        # The past takes another course.
        ("reverse-continue\nset var task_table[1].name[0] = 'Y'\ndelete\ncontinue", "time"),
        # The machine stays in the past.
        ("reverse-continue\nkill", "killed"),
        # What is counted for the eye.
        ("monitor probes off\ndelete\ncontinue", "time"),
        ("monitor probes reset\nkill", "killed"),
    ],
)
def test_counts_of_a_record_are_those_of_its_course(tmp_path: Path, commands: str, kind: str) -> None:
    out = tmp_path / "run"
    _, ended = session(
        *(*COUNTED, "--out", out), commands=f"break scheduler_leave\ncontinue\ncontinue\n{commands}"
    )
    assert ended.status == 0, ended.messages
    run = open_run(out)
    assert run.manifest.stop.kind == kind
    assert run.manifest.totals.cycles == run.manifest.stop.cycle
    assert replay(run).differences() == []


def test_what_a_monitor_command_counts_ends_with_the_debugger(tmp_path: Path) -> None:
    out = tmp_path / "run"
    _, ended = session(
        *("run", BOARD, SYSTEM, "--gdb", "0", "--for", "15ms", "--out", out),
        commands="monitor probes on\ncontinue",
    )
    assert ended.status == 0, ended.messages
    run = open_run(out)
    assert not run.manifest.profiled
    assert replay(run).differences() == []
