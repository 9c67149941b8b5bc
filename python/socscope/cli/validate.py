"""`socscope validate`: a cost sheet held against runs on simulated platforms."""

import os
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from socscope.cli import pricing
from socscope.cli.output import OUT, STATUS, Exit, Json, command, print_json
from socscope.cli.progress import Update, share

if TYPE_CHECKING:
    from socscope.characterize.validate import Checked, Failed, Validation

COLUMNS = ("service", "runs", "failed", "detailed, lowest", "highest", "simple, lowest", "highest")


@command
def validate(  # noqa: PLR0917 - the options of the command.
    sheet: Annotated[Path, typer.Argument(help="The sheet: NAME.sheet.json.")],
    image: Annotated[Path, typer.Argument(help="The image that it was made from.")],
    services: Annotated[Path, typer.Option(help="The description that it was made with.")],
    platform: Annotated[list[str], typer.Option(help="A platform to run on; may be repeated.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Set a property: /path:property=value.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this service; may be repeated.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Services at a time; all cores by default.")] = None,
    as_json: Json = False,
) -> None:
    """Run every path of a sheet on simulated platforms, and compare its estimates with the time taken.

    Detailed estimates use all access times of the platform, simple ones the slowest of each memory and width.
    A case that fails ends nothing; it is named, and the status is 1. The command ends with status 4 when
    an estimate is below the simulated time.
    """
    from socscope.characterize.dynamic.bench import Source  # noqa: PLC0415 - takes long to load.
    from socscope.characterize.validate import validate as check  # noqa: PLC0415

    found = pricing.sheet(sheet)
    unsafe: list[Checked] = []
    failed: list[Failed] = []
    report: list[dict[str, object]] = []
    for name in platform:
        with share(name, quiet=as_json) as update:
            done = check(
                found,
                Source(image, services, name, tuple(settings or ())),
                only=only or (),
                jobs=jobs or os.cpu_count() or 1,
                on_service=partial(_done, update),
            )
        unsafe += [one for one in done.checked if not one.safe]
        failed += done.failed
        report += [_row(one) for one in done.checked]
        if not as_json:
            _show(name, done)
    if as_json:
        shown = [{**vars(one), "parameters": dict(one.parameters)} for one in failed]
        print_json({"runs": report, "unsafe": len(unsafe), "failed": shown})
    for one in unsafe:
        given = ", ".join(f"{name}={value}" for name, value in one.parameters.items())
        STATUS.print(
            f"socscope: {one.platform}: {one.service}, {one.path}, {given or 'no parameters'}: the estimate "
            f"is {float(min(one.detailed, one.simple)):.4f} of the simulated {one.simulated_cycles} cycles",
            markup=False,
            style="red",
        )
    for case in failed:
        STATUS.print(f"socscope: {case.platform}: {case.why}", markup=False, style="red")
    if failed:
        cases = "case" if len(failed) == 1 else "cases"
        STATUS.print(
            f"socscope: {len(failed)} {cases} failed, all others were run", markup=False, style="red"
        )
    if unsafe:
        raise typer.Exit(Exit.DIFFERENT)
    if failed:
        raise typer.Exit(Exit.ERROR)


def _done(update: Update, _name: str, some: int, total: int) -> None:
    update(some / total)


def _row(one: "Checked") -> dict[str, object]:
    return {
        "platform": one.platform,
        "service": one.service,
        "path": one.path,
        "parameters": dict(one.parameters),
        "simulated_cycles": one.simulated_cycles,
        "detailed_over_simulated": float(one.detailed),
        "simple_over_simulated": float(one.simple),
    }


def _show(platform: str, done: "Validation") -> None:
    checked = done.checked
    table = Table(*COLUMNS, title=f"Estimates over simulated time on {platform}", box=None, pad_edge=False)
    services = dict.fromkeys([*(one.service for one in checked), *(one.service for one in done.failed)])
    for service in services:
        failures = sum(one.service == service for one in done.failed)
        table.add_row(service, *_figures([one for one in checked if one.service == service], failures))
    table.add_section()
    table.add_row("all", *_figures(checked, len(done.failed)))
    OUT.print(table)
    if not checked:
        return
    middle = [median(float(getattr(one, kind)) for one in checked) for kind in ("detailed", "simple")]
    OUT.print(f"medians: detailed {middle[0]:.4f}, simple {middle[1]:.4f}\n", markup=False)


def _figures(checked: "list[Checked]", failures: int) -> list[str]:
    found = [str(len(checked)), str(failures) if failures else ""]
    if not checked:
        return [*found, "", "", "", ""]
    for kind in ("detailed", "simple"):
        ratios = [float(getattr(one, kind)) for one in checked]
        found += [f"{min(ratios):.4f}", f"{max(ratios):.4f}"]
    return found
