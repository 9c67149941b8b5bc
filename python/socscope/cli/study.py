"""`socscope study`: a space of parameters as many runs."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table

from socscope import shown
from socscope.cli.output import OUT, STATUS, Json, command, print_json
from socscope.report.words import cell

if TYPE_CHECKING:
    from socscope.study.pool import Progress
    from socscope.study.sheet import Sheet

Builds = Callable[[str], None]
Runs = Callable[["Progress"], None]


@command
def study(  # noqa: PLR0917 - the options of the command.
    name: Annotated[
        str, typer.Argument(help="A study that comes with Socscope, or a Python file that defines one.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="A few runs instead of all.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at a time; all cores by default.")] = None,
    part: Annotated[
        list[str] | None, typer.Option(help="Only this part of the study; several times.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Fix a parameter for all runs: size_bytes=500.")
    ] = None,
    cluster_file: Annotated[
        Path | None, typer.Option("--cluster", help="A Python file with `config`, a parsl.Config.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the results.")] = None,
    as_json: Json = False,
) -> None:
    """Carry out a study: runs in parallel, tables, pictures and a report.

    Runs that the folder already holds are kept while all that they have read is as it was: an interrupted
    study goes on where it was, a changed one makes again what depends on the change, and says why. Without
    --out the results go to results/NAME. With --cluster the runs are made by a cluster, as a Python file with
    a configuration of parsl says.
    """
    from socscope.study import cluster  # noqa: PLC0415 - needs the compiled module.
    from socscope.study.carry_out import carry_out  # noqa: PLC0415

    folder = out or Path("results") / Path(name).stem
    with _progress() as (on_build, on_progress), cluster.each(cluster_file) as each:
        results = carry_out(
            name,
            folder,
            each=each,
            only=part or [],
            quick=quick,
            jobs=jobs or os.cpu_count() or 1,
            settings=settings or [],
            on_build=on_build,
            on_progress=on_progress,
            on_standing=STATUS.print,
        )
    if as_json:
        sheets = {
            sheet.name: [{name: row[name] for name in sheet.columns} for row in sheet.rows]
            for sheet in results.sheets
        }
        runs = [str(run.folder) for run in results.runs]
        why = {one.key: {"kept": one.kept, "reason": one.reason} for one in results.standings}
        print_json(
            {
                "report": str(results.page),
                "sha256": results.sha256,
                "runs": runs,
                "standing": why,
                "sheets": sheets,
            }
        )
    else:
        if results.sheets:
            _show(results.sheets[0])
        STATUS.print(f"results: {results.sha256[:16]}", markup=False)
        OUT.print(f"report: {results.page}", markup=False)


def _show(sheet: "Sheet") -> None:
    """Shows the study's first sheet, which sums it up."""
    STATUS.print(sheet.text, markup=False)
    table = Table(*sheet.columns.values(), box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in sheet.rows:
        table.add_row(*(cell(row[name]) for name in sheet.columns))
    STATUS.print(table)


@contextmanager
def _progress() -> Iterator[tuple[Builds, Runs]]:
    if not STATUS.is_terminal:
        yield _say_build, _say_run
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with Bar(*columns, console=STATUS, transient=True) as bar:
        task = bar.add_task("guests", total=None, left="")

        def on_build(variant: str) -> None:
            bar.update(task, description=shown.text(f"builds {variant}"))

        def on_progress(state: "Progress") -> None:
            if state.trouble:
                bar.console.print(f"{state.last}: {state.trouble}", markup=False)
            left = "" if state.seconds_left is None else f"{state.seconds_left:.0f} s left"
            bar.update(task, description="runs", completed=state.done, total=state.total, left=left)

        yield on_build, on_progress


def _say_build(variant: str) -> None:
    STATUS.print(variant)


def _say_run(state: "Progress") -> None:
    left = "" if state.seconds_left is None else f", about {state.seconds_left:.0f} s left"
    kept = f", {state.kept} of them from before" if state.kept else ""
    last = f"{state.last}: {state.trouble}" if state.trouble else state.last
    STATUS.print(f"{state.done} of {state.total} runs{kept}{left}  {last}".rstrip(), markup=False)
