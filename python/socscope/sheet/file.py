"""Cost sheets as files: `*.sheet.json`, checked when they are read, written whole."""

import json
from pathlib import Path

from pydantic import ValidationError

from socscope.errors import SheetError
from socscope.record.write import whole_file
from socscope.sheet.model import FORMAT, Sheet
from socscope.validation import first_error


def read(path: Path) -> Sheet:
    """Reads a sheet; fails with the file, the place and the rule of what does not fit."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise SheetError(f"{path}: cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise SheetError(
            f"{path}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        ) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise SheetError(f"{path}: not JSON: {error}") from None
    if not isinstance(content, dict) or "format" not in content or "services" not in content:
        raise SheetError(
            f"{path}: no cost sheet: it has no format and services; socscope characterize makes one"
        )
    number = content["format"]
    if isinstance(number, int) and number > FORMAT:
        raise SheetError(
            f"{path}: is of format {number}; this Socscope reads formats up to {FORMAT}: update Socscope"
        )
    try:
        return Sheet.model_validate(content)
    except ValidationError as error:
        raise SheetError(f"{path}: {first_error(error, content, Sheet)}") from None


def write(path: Path, sheet: Sheet) -> None:
    """Writes the sheet whole, or leaves what was there; equal sheets give equal files."""
    whole_file(path, text(sheet))


def text(sheet: Sheet) -> str:
    """The content of a sheet's file."""
    return json.dumps(sheet.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def schema() -> str:
    """The JSON Schema of the files that other programs may read and write."""
    made = Sheet.model_json_schema(mode="validation")
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **made}, indent=1) + "\n"
