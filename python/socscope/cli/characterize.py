"""`socscope characterize`: from an image to a cost sheet."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from socscope.cli.output import OUT, STATUS, Exit, Json, command, print_json
from socscope.cli.progress import share
from socscope.errors import OptionError
from socscope.report.words import percent

if TYPE_CHECKING:
    from socscope.characterize.build import Characterized
    from socscope.sheet.model import Sheet, Unbounded

WIDTH_MAX = 72
COLUMNS = ("service", "path", "parts", "runs", "exact", "instructions", "cycles", "bound", "worst path")


@command
def characterize(  # noqa: PLR0917 - the options of the command.
    image: Annotated[Path, typer.Argument(help="An ELF image with the kernel and the cases, with symbols.")],
    services: Annotated[Path, typer.Option(help="The description: services, parameters, cases.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The sheet: NAME.sheet.json.")],
    platform: Annotated[str, typer.Option(help="The platform to run on.")] = "at91eb40a",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Set a property: /path:property=value.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this service; may be repeated.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Services at a time; all cores by default.")] = None,
    static: Annotated[bool, typer.Option(help="Analyse the binary too.")] = True,
    reference: Annotated[
        list[str] | None,
        typer.Option(help="Bound the worst path on this platform, too; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count what every service of a kernel costs, as formulas, into a cost sheet that can be priced anywhere.

    The sheet is written whole or not at all. The command fails if a case does, and, after the sheet is
    written, if the binary cannot be analysed.
    """
    _check_place(out)
    from socscope.characterize.build import characterize as build  # noqa: PLC0415 - takes long to load.
    from socscope.characterize.dynamic.bench import Source  # noqa: PLC0415
    from socscope.sheet import file  # noqa: PLC0415

    source = Source(image, services, platform, tuple(settings or ()))
    with share("services", quiet=as_json) as update:
        done = build(
            source,
            only=only or (),
            jobs=jobs or os.cpu_count() or 1,
            static=static,
            references=reference or (),
            on_service=lambda _name, some, total: update(some / total),
        )
    file.write(out, done.sheet)
    if as_json:
        failures, warnings = done.failures, done.warnings
        print_json({"sheet": str(out), "paths": rows(done), "failures": failures, "warnings": warnings})
    else:
        _show(done)
        OUT.print(f"sheet: {out}", markup=False)
    for warning in done.warnings:
        STATUS.print(f"socscope: {warning}", markup=False, style="yellow")
    for failure in done.failures:
        STATUS.print(f"socscope: {failure}", markup=False, style="red")
    if done.failures:
        raise typer.Exit(Exit.ERROR)


def _check_place(out: Path) -> None:
    """Fails before the work if the sheet could not be written after it."""
    if not out.name.endswith(".json"):
        raise OptionError(f"--out {out}: a sheet is a .json file, such as {out.stem}.sheet.json")
    folder = next(one for one in out.absolute().parents if one.exists())
    if out.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise OptionError(f"--out {out}: cannot be written there; give another file")


def rows(done: "Characterized") -> list[dict[str, object]]:
    """What was found, by path."""
    found: list[dict[str, object]] = []
    for service, measured in zip(done.sheet.services, done.services, strict=True):
        static = service.static
        for path, runs in zip(service.paths, measured.paths, strict=True):
            instructions = sum(
                (part.repetition * count for part in path.parts for count in part.instructions.values()),
                start=path.parts[0].repetition * 0,
            )
            found.append(
                {
                    "service": service.name,
                    "path": path.name,
                    "parts": len(path.parts),
                    "runs": path.fit.runs,
                    "verified": path.fit.verified,
                    "exact": path.fit.exact,
                    "excess_max": path.fit.excess_max,
                    "instructions": str(instructions),
                    "cycles_min": min(runs.cycles.values()),
                    "cycles_max": max(runs.cycles.values()),
                    "bound_over_observed": static.over if static else None,
                    "unbounded": len(static.unbounded) if static else None,
                    "uncovered": len(static.uncovered) if static else None,
                }
            )
    return found


def _shown(row: dict[str, Any]) -> tuple[str, ...]:
    """The cells of a path's line."""
    bound = coverage = ""
    if unbounded := row["unbounded"]:
        bound = f"none: {unbounded} place{'s' if unbounded > 1 else ''} without"
    elif row["bound_over_observed"] is not None:
        bound = f"{row['bound_over_observed']:.2f} x observed"
        pieces = row["uncovered"]
        coverage = f"{pieces} piece{'s' if pieces > 1 else ''} not taken" if pieces else "taken"
    cycles = dict.fromkeys((row["cycles_min"], row["cycles_max"]))
    return (
        row["service"],
        row["path"],
        str(row["parts"]),
        f"{row['runs']} + {row['verified']}",
        "yes" if row["exact"] else f"at most {percent(row['excess_max'])} above",
        _short(row["instructions"]),
        " to ".join(f"{one:,}" for one in cycles),
        bound,
        coverage,
    )


def _short(text: str) -> str:
    return text if len(text) <= WIDTH_MAX else f"{text[: WIDTH_MAX - 4]} ..."


def _show(done: "Characterized") -> None:
    table = Table(*COLUMNS, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for row in rows(done):
        table.add_row(*_shown(row))
    OUT.print(table)
    for service in done.sheet.services:
        for path in service.paths:
            if path.fit.note:
                OUT.print(f"{service.name}, {path.name}: {path.fit.note}", markup=False)
    for place, services in _unbounded(done.sheet).items():
        where = f"{place.address:#010x} {place.source}".rstrip()
        some = services[0] if len(services) == 1 else f"{len(services)} services, such as {services[0]}"
        OUT.print(f"{where}: {place.reason}; {place.remedy} ({some})", markup=False)


def _unbounded(sheet: "Sheet") -> dict["Unbounded", list[str]]:
    """Places that have no bound, each with the services that come there."""
    found: dict[Unbounded, list[str]] = {}
    for service in sheet.services:
        for place in service.static.unbounded if service.static else ():
            found.setdefault(place, []).append(service.name)
    return found
