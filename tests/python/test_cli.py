"""The commands as they are typed: what they print, how they end."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
import socscope
from socscope.cli import app
from socscope.record import Run
from typer.testing import CliRunner

INTERRUPTED, CRASHED = 130, 3
USAGE = ("socscope: '", "'odd'", "--window", "--layers l.toml: layers are of")


def typed(*arguments: str | Path, status: int = 0) -> tuple[str, str]:
    """What a command prints: its result and its messages."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done.stdout, done.stderr


def process(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-c", "from socscope.cli import app; app()", *(str(one) for one in arguments)]


def test_run_writes_a_record(elf: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    said, messages = typed("run", "at91x40", elf, "--until", "done", "--profile", "--out", out)
    assert said == f"record: {out}\n"
    assert re.search(r"the core reached 0x\w+ after 0\.00000\d+ s simulated \(\d+ cycles\); took", messages)
    assert re.search(r"\d+ instructions, \d+ executing cycles, CPI \d\.\d{3}\nwindow: \d+ cycles, ", messages)
    assert socscope.open(out).manifest.profiled


def test_run_as_json(elf: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    said, _ = typed("run", "at91x40", elf, "--for", "1000cycles", "--json", "--profile", "--out", out)
    answer = json.loads(said)
    assert answer["stop"]["kind"] == "time"
    assert answer["manifest"]["totals"]["instructions"] > 100
    assert answer["record"] == str(out)


def test_equal_commands_give_equal_records_in_different_folders(elf: Path, tmp_path: Path) -> None:
    arguments = ("run", "at91x40", elf, "--for", "10us", "--profile", "--out")
    for name in ("a", "b"):
        subprocess.run(process(*arguments, tmp_path / name), check=True, capture_output=True)
    first, second = socscope.open(tmp_path / "a"), socscope.open(tmp_path / "b")
    assert first.sha256 == second.sha256
    assert first.manifest.command[:2] == ["run", "at91x40"]


def test_profile_without_a_folder_takes_the_next_free_one(
    elf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        said, _ = typed("run", "at91x40", elf, "--for", "1us", "--profile")
        assert said == f"record: runs/at91x40-image-{number}\n"


def test_changed_platform(elf: Path) -> None:
    arguments = ("run", "at91x40", elf, "--for", "100cycles", "--json")
    usual, _ = typed(*arguments)
    halved, _ = typed(*arguments, "--set", "/clock:clock-frequency=20000000")
    assert json.loads(halved)["stop"]["time_ps"] == 2 * json.loads(usual)["stop"]["time_ps"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["at91", "{elf}"], "socscope: at91: no such platform; there are "),
        (["at91x40", "none.elf"], "socscope: none.elf: cannot be read: No such file or directory"),
        (["at91x40", "{text}"], "not an ELF file (it begins with 68 65 6c 6c)"),
        (["at91x40", "{elf}", "--for", "long"], "socscope: 'long': not a duration; write a number"),
        (["at91x40", "{elf}", "--until", "nowhere"], "no symbol nowhere"),
        (["at91x40", "{elf}", "--set", "clock=1"], "socscope: 'clock=1': not a property of the platform"),
        (["at91x40", "{elf}", "--set", "/x:y=1"], "the platform has no node /x"),
        (["at91x40", "{elf}", "--serial", "usart1"], "socscope: 'usart1': not a serial port and its peer"),
        (["at91x40", "{elf}", "--serial", "usart1=smoke"], "smoke"),
        (["at91x40", "{elf}", "--out", "{folder}"], "already there; name another folder or remove it"),
        (["at91x40", "{elf}", "--out", "{text}/x"], "is not a folder"),
        (["at91x40", "{elf}", "--profile", "--window", "odd"], "'odd': not a window; write all, marks, "),
        (
            ["at91x40", "{elf}", "--profile", "--window", "commands"],
            "--window commands: only a program can switch",
        ),
        (
            ["at91x40", "{elf}", "--profile", "--layers", "none.toml"],
            "socscope: none.toml: cannot be read: No such file",
        ),
        (["at91x40", "{elf}", "--window", "marks"], "--window marks: a window is counted with --profile; "),
        (["at91x40", "{elf}", "--layers", "l.toml"], "--layers l.toml: layers are of what --profile counts"),
    ],
)
def test_bad_input_gives_a_message_and_nothing_else(
    arguments: list[str], message: str, elf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = tmp_path / "text"
    text.write_text("hello")
    before = sorted(tmp_path.iterdir())
    filled = [argument.format(elf=elf, text=text, folder=tmp_path) for argument in arguments]
    # What is in a file is no usage error, and what is in an option is one.
    usage = any(message.startswith(start) for start in USAGE)
    said, messages = typed("run", *filled, status=2 if usage else 1)
    assert said == ""
    assert message in messages
    assert "Traceback" not in messages
    assert sorted(tmp_path.iterdir()) == before


COMMON = Path(__file__).parents[2] / "platforms" / "at91x40-common.dtsi"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            '"atmel,at91x40-tc"',
            '"acme,timer"',
            "property compatible: no model for acme,timer; the nearest is ",
        ),
        ("<0xfffd0000 0x4000>", "<0xfffcd000 0x4000>", "regions usart1 and usart0 overlap at 0xfffcd000; "),
        ("interrupts = <2>", "interrupts = <99>", "/soc/serial@fffd0000: property interrupts: line 99 of a "),
        ("clock-frequency = <40000000>", 'clock-frequency = "fast"', "/clock: property clock-frequency: "),
    ],
)
def test_bad_platform_names_the_place_and_the_rule(
    *, before: str, after: str, message: str, elf: Path, tmp_path: Path
) -> None:
    text = COMMON.read_text()
    assert before in text
    (tmp_path / "bad.dtsi").write_text(text.replace(before, after))
    (tmp_path / "bad.dts").write_text(
        COMMON.with_name("at91x40.dts").read_text().replace(COMMON.name, "bad.dtsi")
    )
    said, messages = typed("run", tmp_path / "bad.dts", elf, "--for", "1us", status=1)
    assert said == ""
    assert message in messages


def test_image_that_does_not_fit_the_machine(elf: Path, tmp_path: Path) -> None:
    foreign, far = Path("/bin/true"), tmp_path / "far.elf"
    _, messages = typed("run", "at91x40", foreign, status=1)
    assert messages.startswith("socscope: /bin/true: 64-bit ELF file, the machine's core is a 32-bit one")
    subprocess.run(
        ["arm-none-eabi-objcopy", "--change-addresses", "0x60000000", elf, far],
        check=True,
        capture_output=True,
    )
    _, messages = typed("run", "at91x40", far, status=1)
    assert re.search(
        r"far\.elf: segment at 0x600000\w\w of 0x\w+ bytes is outside the machine's memories", messages
    )


def test_port_in_use_is_told(elf: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        _, messages = typed("run", "at91x40", elf, "--serial", f"usart1=tcp::{port}", status=1)
    assert f"{port}" in messages
    assert "in use" in messages


def test_ctrl_c_keeps_a_whole_record_that_says_so(elf: Path, tmp_path: Path) -> None:
    out = tmp_path / "cut"
    started = subprocess.Popen(
        process("run", "at91x40", elf, "--profile", "--out", out, "--serial", "usart1=tcp::0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr
    assert started.stderr.readline().startswith("usart1: tcp:127.0.0.1:")
    time.sleep(1)
    started.send_signal(signal.SIGINT)
    _, messages = started.communicate(timeout=60)
    assert started.returncode == INTERRUPTED, messages
    assert "interrupted by the user" in messages
    record = socscope.open(out)
    assert record.manifest.stop.kind == "interrupted"
    assert record.manifest.totals.instructions > 0
    assert list(tmp_path.iterdir()) == [out]


def test_terminal_is_given_back_as_it_was(elf: Path) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    started = subprocess.Popen(process("run", "at91x40", elf), stdin=theirs, stdout=theirs, stderr=theirs)
    deadline = time.monotonic() + 60
    while termios.tcgetattr(theirs) == before and time.monotonic() < deadline:
        time.sleep(0.05)
    os.write(ours, b"\x01x")
    assert started.wait(timeout=60) == 0
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def test_query(run: Run) -> None:
    said, _ = typed("query", run.folder, "SELECT layer, instructions FROM layers ORDER BY 2 DESC LIMIT 1")
    assert re.search(r"drivers +70", said)
    said, _ = typed("query", run.folder, "SELECT bytes FROM console", "--json")
    assert json.loads(said) == [{"bytes": "ab"}, {"bytes": "\x00\\xff"}]


def test_query_that_is_none(run: Run, tmp_path: Path) -> None:
    _, messages = typed("query", run.folder, "DROP TABLE dma", status=1)
    assert messages == "socscope: a query is one SELECT; a run record is never changed\n"
    _, messages = typed("query", tmp_path / "none", "SELECT 1", status=1)
    assert messages == f"socscope: {tmp_path / 'none'}: not a run record (no manifest.json in it)\n"


def test_report(run: Run, tmp_path: Path) -> None:
    said, _ = typed("report", run.folder)
    assert said == f"{run.folder / 'report.html'}\n"
    page = tmp_path / "page.html"
    typed("report", run.folder, "-o", page)
    assert page.read_text() == (run.folder / "report.html").read_text()


def test_platforms() -> None:
    said, _ = typed("platforms")
    assert "at91x40" in said
    said, _ = typed("platforms", "--json")
    assert {"at91x40", "at91eb40a"} <= {row["name"] for row in json.loads(said)}


def test_devices() -> None:
    said, _ = typed("devices", "--json")
    models = json.loads(said)
    assert len(models) >= 7
    said, _ = typed("devices")
    for model in models:
        assert model["title"] in said
    said, _ = typed("devices", "at91x40-usart")
    for register in ("US_CR", "US_RTOR", "US_TCR"):
        assert register in said
    _, messages = typed("devices", "no-such-device", status=1)
    assert messages == "socscope: no-such-device: no device model has this in its title or compatible\n"


def test_doctor_finds_all_that_the_tests_need() -> None:
    said, _ = typed("doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(said)["findings"]}
    for name in (
        "Python",
        "compiled core",
        "dtc",
        "arm-none-eabi-gcc",
        "kermit",
        "platforms",
        "loopback ports",
    ):
        assert findings[name]["well"], findings[name]


def test_doctor_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    said, _ = typed("doctor", status=1)
    assert "install the Debian package device-tree-compiler" in said
    assert "install the Debian package ckermit" in said


def test_unknown_study() -> None:
    _, messages = typed("study", "juggling", status=1)
    assert messages == (
        "socscope: juggling: no such study; there are serial-transfer, rule30; "
        "or give a Python file that defines one: my_study.py\n"
    )


def test_study_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    _, messages = typed("study", "serial-transfer", "--quick", "--out", tmp_path / "file", status=1)
    assert messages.splitlines()[-1] == f"socscope: {tmp_path / 'file'}: File exists"


def test_help_names_every_command() -> None:
    said, _ = typed("--help")
    for name in ("run", "replay", "verify", "diff", "study", "report", "query", "devices", "doctor"):
        assert re.search(rf"\b{name}\b", said)


def test_file_gets_what_the_machine_says(elf: Path, tmp_path: Path) -> None:
    out = tmp_path / "said"
    typed("run", "at91x40", elf, "--for", "10us", "--serial", f"usart0=file:{out}")
    assert out.read_bytes() == b""
