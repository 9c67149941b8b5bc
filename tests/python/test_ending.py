"""Signals that end a command: what was done so far is kept, and the status says which signal it was."""

import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
import socscope
import typer
from socscope import ending
from socscope.cli.output import command
from test_cli import process  # type: ignore[import-not-found] # Tests beside it.
from test_gdb import SYSTEM  # type: ignore[import-not-found]

TIMEOUT_S = 60
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


def started(*arguments: str | Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        process(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_run_keeps_its_record_and_its_output(
    elf: Path, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    out = tmp_path / "cut"
    serial = ("--serial", "usart1=tcp::0", "--serial", f"usart0=file:{tmp_path / 'said'}")
    run = started("run", "at91x40", elf, "--profile", "--out", out, *serial)
    assert run.stderr
    assert run.stderr.readline().startswith("usart1: tcp:127.0.0.1:")
    time.sleep(0.5)
    os.killpg(run.pid, number)
    if number != signal.SIGINT:
        # As timeout(1) does, which signals its child and then the whole group.
        os.killpg(run.pid, number)
    _, messages = run.communicate(timeout=TIMEOUT_S)
    assert run.returncode == status, messages
    detail = "interrupted by the user" if number == signal.SIGINT else f"ended by {number.name}"
    assert detail in messages
    record = socscope.open(out)
    assert (record.manifest.stop.kind, record.manifest.stop.detail) == ("interrupted", detail)
    assert record.manifest.totals.instructions > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut", "said"]


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_waits_end_as_well(elf: Path, tmp_path: Path, number: signal.Signals, status: int) -> None:
    run = started(
        "run",
        "at91x40",
        elf,
        "--serial",
        "usart1=tcp::0,wait",
        "--mark-at",
        "1=done",
        "--out",
        tmp_path / "a",
    )
    debug = started("debug", "at91eb40a", SYSTEM, "--serial", "usart1=tcp::0,wait")
    for one in (run, debug):
        assert one.stderr
        assert one.stderr.readline().startswith("usart1: tcp:127.0.0.1:")
    time.sleep(1)
    for one in (run, debug):
        one.send_signal(number)
        _, messages = one.communicate(timeout=TIMEOUT_S)
        assert one.returncode == status, messages
    assert socscope.open(tmp_path / "a").manifest.stop.cycle == 0


def test_a_closed_terminal_keeps_the_record(elf: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    child, terminal = pty.fork()
    if not child:
        arguments = process("run", "at91x40", elf, "--profile", "--out", out)
        os.execv(arguments[0], arguments)
    # The guest's terminal is raw as soon as it runs.
    before = termios.tcgetattr(terminal)
    deadline = time.monotonic() + TIMEOUT_S
    while termios.tcgetattr(terminal) == before and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    os.close(terminal)
    deadline = time.monotonic() + TIMEOUT_S
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert os.waitstatus_to_exitcode(ended[1]) in {0, 129}
    assert socscope.open(out).manifest.stop.kind in {"interrupted", "closed"}


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("to_group", [False, True])
def test_processes_end_with_their_command(tmp_path: Path, to_group: bool) -> None:
    """What a study, verify, characterize and validate are made of."""
    script = """
import time
from pathlib import Path
import typer
from socscope import processes
from socscope.cli.output import command

def work(number):
    try:
        Path(f"begun{number}").touch()
        time.sleep(60)
    finally:
        Path(f"cleared{number}").touch()

@command
def main():
    processes.each(work, [1, 2], jobs=2, on_result=print, on_failure=print)

if __name__ == "__main__":
    typer.run(main)
"""
    (tmp_path / "script.py").write_text(script)
    main = subprocess.Popen(
        [sys.executable, "script.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + TIMEOUT_S
    while len(list(tmp_path.glob("begun*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    if to_group:
        os.killpg(main.pid, signal.SIGTERM)
    else:
        main.terminate()
    _, messages = main.communicate(timeout=TIMEOUT_S)
    assert (main.returncode, messages) == (143, "socscope: ended by SIGTERM\n")
    assert len(list(tmp_path.glob("cleared*"))) == 2
    # The tracker of multiprocessing notices the end of the others a little later.
    deadline = time.monotonic() + TIMEOUT_S
    while _lives(main.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(main.pid)


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_every_command_ends_in_order(
    number: signal.Signals, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = []

    @command
    def works() -> None:
        with ending.held():
            signal.raise_signal(number)
            kept.append("whole")
        kept.append("not reached")

    with pytest.raises(typer.Exit) as ended:
        works()
    assert ended.value.exit_code == status
    assert re.fullmatch(r"socscope: (interrupted by the user|ended by SIG\w+)\n", capsys.readouterr().err)
    # Ctrl-C is not held: who types it twice wants the end.
    assert kept == ([] if number == signal.SIGINT else ["whole"])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_nohup_and_programs_of_users_keep_their_signals() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending.in_order():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
            with ending.in_order():
                pass
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
