"""`socscope estimate`: what services cost on a platform."""

from typing import TYPE_CHECKING, Annotated

import typer

from socscope.cli import pricing
from socscope.cli.output import OUT, Json, command, print_json
from socscope.cli.pricing import MappingFile, PlatformFile, Services, SheetFile, Unset, With

if TYPE_CHECKING:
    from socscope.estimate.result import PathPrice


@command
def estimate(  # noqa: PLR0917 - the options of the command.
    sheet: SheetFile,
    platform: PlatformFile,
    mapping: MappingFile,
    service: Services = None,
    path: Annotated[str | None, typer.Option(metavar="NAME", help="Only this path of the service.")] = None,
    with_: With = None,
    unset: Unset = None,
    as_json: Json = False,
) -> None:
    """Price a cost sheet: total, per part, per section, per memory, and the longest blocking.

    The price of a path is its counts times the access times; nothing is run.
    """
    from socscope import sheet as sheets  # noqa: PLC0415 - numpy and pydantic take a moment.
    from socscope.estimate import choose, result  # noqa: PLC0415

    read = sheets.read(sheet)
    target = pricing.target(platform, mapping)
    chosen = choose.services(read, service or [])
    given = pricing.values(with_, unset)
    given.check(chosen)
    priced = [one for each in chosen for one in result.prices(target, each, given, path)]
    notes = result.notes(target, priced)
    if as_json:
        print_json(
            {
                "kernel": read.kernel.name,
                "platform": target.platform.name,
                "paths": [one.as_json() for one in priced],
                "notes": notes,
            }
        )
        return
    OUT.print(
        f"{read.kernel.name} {read.kernel.version}".rstrip() + f" on {target.platform.name}", markup=False
    )
    if len(priced) == 1:
        _show_one(priced[0])
    else:
        _show_many(priced)
    pricing.show_notes(notes)


def _show_one(one: "PathPrice") -> None:
    from socscope.estimate.result import shown  # noqa: PLC0415 - numpy takes a moment.

    parameters = ", ".join(f"{name} = {value}" for name, value in one.cost.parameters.items())
    title = f"{one.cost.service.name}, path {one.cost.path.name}" + (f", {parameters}" if parameters else "")
    OUT.print(f"{title}: {shown(one.total_ns)} ns", markup=False)
    whole = one.total_ns or 1
    pricing.show_table(
        ["Part", "Blocking", "Repetition", "ns", "%"],
        [
            [
                part.part.name,
                part.part.blocking,
                str(part.repetition),
                shown(one.parts_ns[part.part.name]),
                f"{float(100 * one.parts_ns[part.part.name] / whole):.1f}",
            ]
            for part in one.cost.parts
        ],
        text_columns=2,
    )
    for heading, by in (("Section", one.sections_ns), ("Memory", one.memories_ns)):
        largest = sorted(by.items(), key=lambda item: -item[1])
        pricing.show_table(
            [heading, "ns", "%"],
            [[name, shown(ns), f"{float(100 * ns / whole):.1f}"] for name, ns in largest],
        )
    for kind, ns in one.blocking_ns.items():
        OUT.print(f"longest blocking of {kind}: {shown(ns)} ns", markup=False)


def _show_many(priced: list["PathPrice"]) -> None:
    from socscope.estimate.result import shown  # noqa: PLC0415 - numpy takes a moment.

    rows = []
    for one in priced:
        memory, ns = max(one.memories_ns.items(), key=lambda item: item[1], default=("-", 0))
        rows.append(
            [
                one.cost.service.name,
                one.cost.path.name,
                ", ".join(f"{name}={value}" for name, value in one.cost.parameters.items()),
                f"{memory} {float(100 * ns / (one.total_ns or 1)):.0f} %",
                shown(one.total_ns),
                shown(one.longest_blocking_ns) if one.blocking_ns else "-",
            ]
        )
    pricing.show_table(["Service", "Path", "With", "Most in", "ns", "Blocking ns"], rows, text_columns=4)
