"""`socscope timeline`: a run over time."""

from pathlib import Path
from typing import Annotated

import typer

from socscope.cli.output import OUT, command
from socscope.cli.records import Record
from socscope.record import open_run
from socscope.record.write import whole_file


@command
def timeline(
    run: Record,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page; RUN/timeline.html when left out.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(help="The trace file for ui.perfetto.dev; RUN/timeline.json when left out."),
    ] = None,
) -> None:
    """Draw what each core, process and device did when.

    Writes a self-contained HTML page, and the same as a trace file, which ui.perfetto.dev opens.
    """
    from socscope.report import timeline as drawn  # noqa: PLC0415 - takes a moment to import.

    record = open_run(run)
    page, file = output or run / "timeline.html", trace or run / "timeline.json"
    whole_file(page, drawn.render(record))
    whole_file(file, drawn.trace(drawn.tracks(record)))
    OUT.print(f"page: {page}\ntrace: {file}", markup=False)
