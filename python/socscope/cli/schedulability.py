"""`socscope schedulability`: do all tasks hold their deadlines on this hardware."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from socscope.cli import pricing
from socscope.cli.output import OUT, Exit, Json, command, print_json
from socscope.cli.pricing import MappingFile, PlatformFile
from socscope.report.words import fixed

if TYPE_CHECKING:
    from socscope.estimate.schedule import Verdict


@command
def schedulability(  # noqa: PLR0917 - the options of the command.
    tasks: Annotated[Path, typer.Argument(metavar="TASKS", help="The task set: tasks.toml.")],
    sheet: Annotated[
        list[Path], typer.Option("--sheet", metavar="SHEET", help="A cost sheet; may be repeated.")
    ],
    platform: PlatformFile,
    mapping: MappingFile,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the response times.")] = None,
    as_json: Json = False,
) -> None:
    """Find the worst-case response time of every task under fixed priorities.

    Execution times are the tasks' own plus the price of the services that they call; the kernel's timer
    interrupt, context switches, interrupts and non-preemptive parts are taken in. Ends with status 5 when a
    deadline is missed, or was not shown to be held.
    """
    from socscope.estimate import result, schedule  # noqa: PLC0415 - numpy takes a moment.
    from socscope.estimate import tasks as task_sets  # noqa: PLC0415

    pricing.check_picture(picture)
    priced = [pricing.sheet(path) for path in sheet]
    pricer = task_sets.Pricer(priced, pricing.target(platform, mapping, *priced))
    verdicts = schedule.verdicts(task_sets.subjects(task_sets.read(tasks), pricer))
    if picture is not None:
        from socscope.record.write import whole_file  # noqa: PLC0415
        from socscope.report import charts  # noqa: PLC0415 - takes a moment.

        whole_file(picture, charts.file_svg(schedule.picture(verdicts)))
    notes = result.doubts(pricer.priced)
    if as_json:
        print_json(
            {
                "platform": pricer.target.platform.name,
                "schedulable": all(one.response.holds for one in verdicts),
                "utilisation": float(schedule.utilisation(verdicts)),
                "tasks": [one.as_json() for one in verdicts],
                "notes": notes,
                "accuracy": [sheet.accuracy.model_dump() for sheet in pricer.sheets],
            }
        )
    else:
        _show(verdicts)
        pricing.show_notes(notes)
        pricing.show_accuracy(*pricer.sheets)
        if picture is not None:
            OUT.print(f"picture: {picture}", markup=False)
    if not all(one.response.holds for one in verdicts):
        raise typer.Exit(Exit.DEADLINE_MISSED)


def _show(verdicts: list["Verdict"]) -> None:
    from socscope.estimate import schedule  # noqa: PLC0415 - numpy takes a moment.

    rows = [[one.name, *(_us(one.columns[name]) for name in schedule.COLUMNS), one.said] for one in verdicts]
    OUT.print("Times in µs, the most urgent first.", markup=False)
    pricing.show_table(["Task", *schedule.COLUMNS.values(), ""], rows)
    OUT.print(f"utilisation {fixed(float(100 * schedule.utilisation(verdicts)), 2)} %", markup=False)
    missed = [one.name for one in verdicts if not one.response.holds and not one.response.undecided]
    undecided = [one.name for one in verdicts if one.response.undecided]
    for what, names in (("missed", missed), ("not decided", undecided)):
        if names:
            OUT.print(f"{what}: {', '.join(names)}", markup=False)
    if not missed and not undecided:
        OUT.print("every deadline is held", markup=False)


def _us(ns: object) -> str:
    from fractions import Fraction  # noqa: PLC0415

    from socscope.estimate.result import shown  # noqa: PLC0415 - numpy takes a moment.

    return shown(ns / 1000) if isinstance(ns, Fraction) else "no bound"
