"""Commands over run records: report and query."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from socscope.cli.output import OUT, STATUS, Json, command, print_json
from socscope.record import open_run
from socscope.record.write import whole_file

if TYPE_CHECKING:
    from socscope.study.store import Store

Record = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run record.")]


@command
def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of the run record, or a cost sheet, *.sheet.json.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page; RUN/report.html or SHEET.html when left out."),
    ] = None,
) -> None:
    """Render a run record, or a cost sheet, as one self-contained HTML page."""
    if run.is_file():
        from socscope import sheet  # noqa: PLC0415 - takes a moment to import.
        from socscope.sheet import page as sheet_page  # noqa: PLC0415

        path = output or run.with_suffix(".html")
        whole_file(path, sheet_page.render(sheet.read(run)))
    else:
        from socscope.report import page  # noqa: PLC0415 - takes a moment to import.

        record = open_run(run)
        path = output or run / "report.html"
        whole_file(path, page.render(record))
    OUT.print(str(path), markup=False)


@command
def query(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of the run record, or of a study's results.")
    ],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT over the record's tables.")],
    as_json: Json = False,
) -> None:
    """Answer an SQL query from a run record, or from all runs of a study.

    A study has a table `runs`, with parameters and provenance; the tables of its records have a column `run`.
    """
    answer = _store(run).query(sql) if (run / "runs").is_dir() else open_run(run).query(sql)
    rows = answer.to_pylist()
    if as_json:
        print_json(rows)
        return
    table = Table(*answer.column_names, box=box.SIMPLE)
    for field in answer.schema:
        is_number = str(field.type).startswith(("int", "uint", "double", "decimal"))
        column = table.columns[answer.schema.get_field_index(field.name)]
        column.justify = "right" if is_number else "left"
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    OUT.print(table)


def _store(folder: Path) -> "Store":
    from socscope.study.store import Store  # noqa: PLC0415 - needs the compiled module.

    store = Store.open(folder)
    for reason in store.left_out:
        STATUS.print(f"left out: {reason}", style="yellow")
    return store


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
