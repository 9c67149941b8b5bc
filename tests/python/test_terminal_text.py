"""What commands print: text from images and records is shown, never obeyed."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from socscope import shown
from socscope.cli import app
from socscope.cli.output import OUT, STATUS
from socscope.image import Image
from socscope.layers import Layers
from socscope.record import Run
from socscope.record.counts import build
from socscope.record.write import write
from typer.testing import CliRunner

EVIL = "\x1b]0;title\x07\x1b[2J[bold]x[/bold][/] :bug: \x9b31m\u202e\r\x7f\udcff"
SHOWN = r"\x1b]0;title\x07\x1b[2J[bold]x[/bold][/] :bug: \x9b31m\u202e\r\x7f\xff"


def test_what_a_terminal_obeys_is_escaped() -> None:
    assert shown.text(EVIL) == SHOWN
    assert shown.text("two\nlines\tof µs · 東京") == "two\nlines\tof µs · 東京"


@pytest.mark.parametrize("console", [OUT, STATUS])
def test_lines_and_tables_show_text_as_it_is(console: Any, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ANN401
    console.print(EVIL)
    console.print(EVIL, style="red")
    table = Table(EVIL, title=EVIL)
    table.add_row(EVIL)
    console.print(table)
    printed = "".join(capsys.readouterr())
    assert printed.count(SHOWN) == 5
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", printed)


def test_names_of_a_record_are_shown(
    run: Run, tmp_path: Path, image: Image, layers: Layers, profile: dict[str, dict[str, list[Any]]]
) -> None:
    evil = EVIL[:-1]
    profile["io"]["register"] = [evil] * 3
    profile["io"]["device"] = ["[/]"] * 3
    write(tmp_path / "evil", run.manifest, build(profile, image, layers, {}).tables)
    sql = 'SELECT device, register, 1 AS "[red]" FROM io'
    shown = CliRunner().invoke(app, ["query", str(tmp_path / "evil"), sql])
    assert shown.exit_code == 0, shown.output
    assert SHOWN[:-4] in shown.output
    assert "[/]" in shown.output
    assert "[red]" in shown.output
    assert "\x1b" not in shown.output
    shown = CliRunner().invoke(app, ["query", "--json", str(tmp_path / "evil"), sql])
    assert json.loads(shown.output)[0]["register"] == evil
    assert "\x1b" not in shown.output


def test_arguments_that_are_no_text_end_in_an_error(tmp_path: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("socscope"), "report", b"\xff\x1b[31m"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "socscope: \\xff\\x1b[31m: not a run record (no manifest.json in it)\n"
