"""How `run` ends: a status for each way, so that scripts can tell."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from socscope.cli import app
from socscope.cli.output import Exit
from typer.testing import CliRunner

TALK_C = """
#define USART0 ((volatile unsigned *)0xfffd0000)
static void say(const char *text) {
    while (*text) { while (!(USART0[5] & 2)) { } USART0[7] = *text++; }
    while (!(USART0[5] & 0x200)) { }
}
void _start(void) {
    USART0[1] = 0x8c0; USART0[8] = 22; USART0[0] = 0x40;
    say("up\\r\\n");
    END
}
"""
FOREVER = "for (;;) (void)USART0[5];"
PANIC = r'say("[    0.5] Kernel panic - not syncing: no init\r\n"); say("Call trace:\r\n");'
HOW_TO = Path(__file__).parents[2] / "docs/how-to/run-an-image.md"


def ended(folder: Path, end: str, *options: str) -> tuple[int, str, str]:
    """Status, console and messages of a run of a program that says a word, then does what `end` says."""
    (folder / "talk.c").write_text(TALK_C)
    flags = ["-mcpu=arm7tdmi", "-O1", "-nostdlib", "-Ttext=0x02000000", f"-DEND={end}"]
    subprocess.run(["arm-none-eabi-gcc", *flags, "talk.c", "-o", "talk.elf"], cwd=folder, check=True)
    command = [sys.executable, "-c", "from socscope.cli import app; app()", "run", "at91x40"]
    done = subprocess.run(
        [*command, folder / "talk.elf", *options], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("end", "options", "status", "message"),
    [
        (FOREVER, ["--for", "5ms"], Exit.DONE, "the time is over"),
        (FOREVER, ["--until-output", "up"], Exit.DONE, "the awaited output came"),
        (
            FOREVER,
            ["--until-output", "down", "--for", "5ms"],
            Exit.NOT_REACHED,
            "'down' was awaited and did not come: the time is over",
        ),
        (
            FOREVER,
            ["--until", "0x02000100", "--until-mark", "3", "--for", "5ms"],
            Exit.NOT_REACHED,
            "'0x02000100' or 3 was awaited and did not come",
        ),
        ("((void (*)(void))0x50000000)();", ["--until-output", "x"], Exit.GUEST_CRASHED, "crashed: "),
        (
            PANIC + FOREVER,
            [],
            Exit.GUEST_PANICKED,
            "The guest panicked: [    0.5] Kernel panic - not syncing: no init",
        ),
        (PANIC + "for (;;) { }", ["--until-output", "x"], Exit.GUEST_PANICKED, "The guest panicked: "),
        (PANIC + FOREVER, ["--until-output", "Call trace"], Exit.DONE, "the awaited output came"),
        (PANIC + FOREVER, ["--ignore-panic", "--for", "300ms"], Exit.DONE, "the time is over"),
    ],
)
def test_each_end_has_its_status(
    end: str, options: list[str], status: Exit, message: str, tmp_path: Path
) -> None:
    code, console, messages = ended(tmp_path, end, *options)
    assert (code, console[:2]) == (status, "up"), messages
    assert message in messages


def test_panicking_guest_may_finish_what_it_says(tmp_path: Path) -> None:
    _, console, messages = ended(tmp_path, PANIC + FOREVER)
    assert "Call trace:" in console
    assert re.search(r"after 0\.10\d+ s simulated", messages)


def test_command_lines_that_do_not_fit_are_usage_errors(elf: Path) -> None:
    for option in (["--for", "long"], ["--no-such-option"], ["--serial", "usart1"]):
        done = CliRunner().invoke(app, ["run", "at91x40", str(elf), *option])
        assert done.exit_code == Exit.USAGE, done.output


def test_checkpoint_of_what_was_not_reached_is_not_written(elf: Path, tmp_path: Path) -> None:
    out = tmp_path / "state"
    line = [
        "checkpoint",
        "save",
        "at91x40",
        str(elf),
        "--out",
        str(out),
        "--until-output",
        "x",
        "--for",
        "1ms",
    ]
    assert CliRunner().invoke(app, line).exit_code == Exit.NOT_REACHED
    assert not out.exists()


def test_statuses_are_documented() -> None:
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", HOW_TO.read_text(), re.MULTILINE))
    assert rows == {str(status.value): status.meaning for status in Exit}
    for command in ([], ["run"]):
        told = " ".join(CliRunner().invoke(app, [*command, "--help"], terminal_width=400).output.split())
        assert f"{Exit.GUEST_PANICKED.value} {Exit.GUEST_PANICKED.meaning}" in told
