"""Cost sheets as files: what is read is what was written, and what does not hold together is named."""

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from socscope import sheet as sheets
from socscope.errors import SheetError
from socscope.sheet import file

ROOT = Path(__file__).parents[2]


def content() -> dict[str, Any]:
    """A sheet with one service, as JSON."""
    return {
        "format": 1,
        "generator": "by hand",
        "kernel": {"name": "k", "instruction_set": "arm"},
        "sections": [{"name": "text", "kind": "code"}, {"name": "stack", "kind": "stack"}],
        "services": [
            {
                "name": "wait",
                "parameters": [{"name": "N", "meaning": "waiting tasks", "maximum": 8}],
                "paths": [
                    {
                        "name": "worst",
                        "parts": [
                            {
                                "name": "1",
                                "repetition": "N",
                                "counts": [
                                    {"section": "text", "operation": "fetch", "width": 32, "count": "4 + N"}
                                ],
                                "instructions": {"text": 4},
                                "turnarounds": {"text": 1},
                            }
                        ],
                    }
                ],
            }
        ],
        "accuracy": {"model": "m", "validated_against": "v", "known_error": "e", "leaves_out": "l"},
    }


def test_a_sheet_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "a.sheet.json"
    path.write_text(json.dumps(content()))
    read = sheets.read(path)
    assert str(read.services[0].paths[0].parts[0].counts[0].count) == "4 + N"
    assert read.services[0].paths[0].names == {"N"}
    sheets.write(tmp_path / "b.sheet.json", read)
    assert sheets.read(tmp_path / "b.sheet.json") == read
    assert json.loads((tmp_path / "b.sheet.json").read_text())["services"][0]["paths"][0]["parts"][0][
        "instructions"
    ] == {"text": 4}


def part(sheet: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = sheet["services"][0]["paths"][0]["parts"][0]
    return found


def twice(sheet: dict[str, Any], name: str) -> None:
    sheet[name] *= 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda sheet: sheet.update(format=3), "is of format 3; this Socscope reads formats up to 2"),
        (lambda sheet: sheet.pop("services"), "no cost sheet: it has no format and services"),
        (lambda sheet: sheet.update(extra=1), "extra: is not known here; there are accuracy, format"),
        (
            lambda sheet: part(sheet).update(repetition="2 +"),
            "services / wait / paths / worst / parts / 1 / repetition: '2 +': column",
        ),
        (
            lambda sheet: part(sheet).update(internal_cycles="3*M"),
            "path worst, part 1, internal_cycles: M in '3*M' is no parameter of the service; it has N",
        ),
        (
            lambda sheet: part(sheet)["turnarounds"].update(heap=2),
            "service wait, path worst, part 1: the section heap is not among the sheet's sections",
        ),
        (lambda sheet: part(sheet)["counts"][0].update(width=24), "0 / width: Input should be 8, 16 or 32"),
        (lambda sheet: twice(sheet, "services"), "there are 2 services called wait"),
        (lambda sheet: twice(sheet["services"][0], "paths"), "there are 2 paths called worst"),
        (
            lambda sheet: sheet["services"][0]["parameters"][0].update(maximum=-1),
            "N: maximum -1 is below minimum 0",
        ),
        (lambda sheet: sheet["services"][0]["parameters"][0].update(name="not"), "is a word of the formulas"),
    ],
)  # fmt: skip
def test_what_does_not_hold_together_is_named(
    change: Callable[[dict[str, Any]], object], said: str, tmp_path: Path
) -> None:
    sheet = content()
    change(sheet)
    path = tmp_path / "bad.sheet.json"
    path.write_text(json.dumps(sheet))
    with pytest.raises(SheetError, match=f"^{re.escape(str(path))}: ") as caught:
        sheets.read(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"format": 1,\n "services": [}', "line 2, column 15: not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "no cost sheet"),
    ],
)
def test_a_file_that_is_no_sheet(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.sheet.json"
    path.write_bytes(data)
    with pytest.raises(SheetError, match=re.escape(said)):
        sheets.read(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match="cannot be read: No such file"):
        sheets.read(tmp_path / "none.sheet.json")


def test_the_published_schema_is_that_of_the_code() -> None:
    published = ROOT / "docs/reference/sheet.schema.json"
    assert published.read_text() == file.schema(), "run python docs/generate.py"


def test_the_schema_takes_sheets_and_refuses_others() -> None:
    """By another program's reading of it."""
    jsonschema = importlib.import_module("jsonschema")
    judge = jsonschema.Draft202012Validator(json.loads(file.schema()))
    example = json.loads((ROOT / "examples/create-thread/create-thread.sheet.json").read_text())
    for sheet in (content(), example, json.loads(file.text(sheets.Sheet.model_validate(content())))):
        judge.validate(sheet)
    for change in ({"format": 3}, {"services": [{"name": "x", "paths": []}]}, {"extra": 1}):
        assert list(judge.iter_errors(content() | change))
