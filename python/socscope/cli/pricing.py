"""What the commands that price sheets share: their options and how the files are read."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich import box
from rich.table import Table

from socscope.cli.output import OUT, STATUS
from socscope.errors import EstimateError

if TYPE_CHECKING:
    from socscope.estimate import Target
    from socscope.estimate.choose import Values
    from socscope.sheet import Sheet

SheetFile = Annotated[Path, typer.Argument(metavar="SHEET", help="The cost sheet, *.sheet.json.")]
PlatformFile = Annotated[
    Path, typer.Option("--platform", metavar="FILE", help="Access times of the memories: access-times.toml.")
]
MappingFile = Annotated[
    Path, typer.Option("--mapping", metavar="FILE", help="Memory of each linker section: sections.toml.")
]
Services = Annotated[
    list[str] | None, typer.Option("--service", metavar="NAME", help="Only this service; may be repeated.")
]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="N=13", help="Value of a parameter; SERVICE.N=13 for one service only."),
]
Unset = Annotated[
    Literal["minimum", "maximum"] | None,
    typer.Option("--unset", help="What parameters are that --with does not set; an error without it."),
]


def sheet(path: Path) -> "Sheet":
    """Reads a cost sheet, and says what one of an older format cannot say."""
    from socscope.sheet import read  # noqa: PLC0415 - numpy and pydantic take a moment.

    found = read(path)
    show_notes(found.limits)
    return found


def target(platform: Path, mapping: Path, *sheets: "Sheet") -> "Target":
    """Reads the platform and the mapping, which may name sections of these sheets only."""
    from socscope.estimate import Placement, Platform, Target  # noqa: PLC0415 - numpy takes a moment.

    found = Target(Platform.read(platform), Placement.read(mapping))
    found.placement.check_known(section.name for sheet in sheets for section in sheet.sections)
    for memory in dict.fromkeys(found.placement.memories.values()):
        found.platform.check(memory)
    return found


def values(given: list[str] | None, unset: Literal["minimum", "maximum"] | None) -> "Values":
    """Reads the parameters."""
    from socscope.estimate.choose import Values  # noqa: PLC0415 - numpy takes a moment.

    return Values.parse(given or [], unset)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: int = 1) -> None:
    """Prints a table; columns after the first `text_columns` hold numbers."""
    table = Table(box=box.SIMPLE)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place < text_columns else "right")
    for row in rows:
        table.add_row(*row)
    OUT.print(table)


def show_notes(notes: Sequence[str]) -> None:
    """Prints what a reader must know, beside the result."""
    for note in notes:
        STATUS.print(f"note: {note}", markup=False)


def show_accuracy(*sheets: "Sheet") -> None:
    """Prints how far the counts of sheets can be trusted, each label once."""
    for label in dict.fromkeys(sheet.accuracy for sheet in sheets):
        STATUS.print(f"accuracy: {label.model}; known error: {label.known_error}", markup=False)


def check_picture(path: Path | None) -> None:
    """Fails, before anything is worked out, when a picture's name promises what it will not be."""
    if path is not None and path.suffix.lower() != ".svg":
        raise EstimateError(f"{path}: pictures are SVG; name it {path.with_suffix('.svg').name}")
