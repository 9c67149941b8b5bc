"""`socscope estimate`: what services cost on a platform, or on many."""

from pathlib import Path
from typing import Annotated

import typer

from socscope.cli import estimate_show as show
from socscope.cli import pricing
from socscope.cli.output import OUT, Json, command, print_json
from socscope.cli.pricing import MappingFile, PlatformFile, Services, SheetFile, Unset, With
from socscope.errors import EstimateError

MANY, ASKED = "Many platforms", "Questions"


@command
def estimate(  # noqa: PLR0917 - the options of the command.
    sheet: SheetFile,
    platform: PlatformFile,
    mapping: MappingFile,
    service: Services = None,
    path: Annotated[str | None, typer.Option(metavar="NAME", help="Only this path of the service.")] = None,
    with_: With = None,
    unset: Unset = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Which memory matters how much.", rich_help_panel=ASKED)
    ] = False,
    deadline: Annotated[
        str | None, typer.Option(metavar="20us", help="What every path must hold.", rich_help_panel=ASKED)
    ] = None,
    solve: Annotated[
        str | None,
        typer.Option(
            metavar="memory.NAME",
            help="How slow this may be for the deadline: a memory, memory.NAME.fetch_ns.n16, core_mhz.",
            rich_help_panel=ASKED,
        ),
    ] = None,
    blocking: Annotated[
        bool,
        typer.Option("--blocking", help="The deadline is for the longest blocking.", rich_help_panel=ASKED),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(metavar="memory.NAME=10..200", help="Draw the price over this.", rich_help_panel=ASKED),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Where the drawing goes.", rich_help_panel=ASKED)
    ] = None,
    catalogue: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Variants of the platform: .toml, .csv or .parquet.", rich_help_panel=MANY
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="All their prices: .parquet or .csv.", rich_help_panel=MANY),
    ] = None,
    pareto: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Set this against the time.", rich_help_panel=MANY),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page that prices itself anew.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Price a cost sheet: total, per part, per section, per memory, and the longest blocking.

    The price of a path is its counts times the access times; nothing is run.
    """
    from socscope.estimate import choose, result, toml  # noqa: PLC0415 - numpy takes a moment.

    _check_pairs(
        ("--solve", "--deadline", solve and not deadline),
        ("--deadline", "--solve or --catalogue", deadline and not (solve or catalogue)),
        ("--against", "--picture", against and not picture),
        ("--picture", "--against", picture and not against),
        ("--out", "--catalogue", out and not catalogue),
        ("--pareto", "--catalogue", pareto and not catalogue),
        ("--blocking", "--solve", blocking and not solve),
    )
    pricing.check_picture(picture)
    read = pricing.sheet(sheet)
    target = pricing.target(platform, mapping, read)
    chosen = choose.services(read, service or [])
    values = pricing.values(with_, unset)
    values.check(chosen)
    limit_ns = None if deadline is None else toml.time_ns(deadline)
    if catalogue is not None:
        answer = show.catalogue(
            target, chosen, values, path, catalogue=catalogue, out=out, pareto=pareto, deadline_ns=limit_ns
        )
        show.print_ranking(answer, as_json=as_json)
        return
    if html is not None:
        show.write_page(read, target, values, html)
    priced = [one for each in chosen for one in result.prices(target, each, values, path)]
    notes = result.notes(target, priced)
    answers: dict[str, object] = {
        "kernel": read.kernel.name,
        "platform": target.platform.name,
        "paths": [one.as_json() for one in priced],
        "notes": [*read.limits, *notes],
        "accuracy": read.accuracy.model_dump(),
    }
    if not as_json:
        OUT.print(
            f"{read.kernel.name} {read.kernel.version}".rstrip() + f" on {target.platform.name}", markup=False
        )
        show.print_prices(priced)
    if sensitivity:
        answers["sensitivity"] = show.sensitivity(target, priced, quiet=as_json)
    if solve is not None and limit_ns is not None:
        answers["slowest"] = show.slowest(target, priced, solve, limit_ns, blocking=blocking, quiet=as_json)
    if against is not None and picture is not None:
        show.draw(target, priced, against, picture)
        answers["picture"] = str(picture)
    if html is not None:
        answers["page"] = str(html)
    if as_json:
        print_json(answers)
    else:
        for what, where in (("picture", picture), ("page", html)):
            if where is not None:
                OUT.print(f"{what}: {where}", markup=False)
        pricing.show_notes(notes)
        pricing.show_accuracy(read)


def _check_pairs(*pairs: tuple[str, str, object]) -> None:
    for option, needs, given in pairs:
        if given:
            raise EstimateError(f"{option} needs {needs}")
