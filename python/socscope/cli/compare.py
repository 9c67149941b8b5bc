"""`socscope compare`: two kernels, side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from socscope.cli import pricing, progress
from socscope.cli.output import OUT, Json, command, print_json
from socscope.cli.pricing import PlatformFile, Services, SheetFile, Unset, With
from socscope.errors import EstimateError
from socscope.report.words import fixed

if TYPE_CHECKING:
    from socscope.estimate.compare import Comparison, Overtaking


@command
def compare(  # noqa: PLR0917 - the options of the command.
    first: SheetFile,
    second: SheetFile,
    platform: PlatformFile,
    mapping: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="sections.toml; a second one when the second sheet needs its own."),
    ],
    service: Services = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NAME", help="A service of the first sheet and its like in the second."),
    ] = None,
    with_: With = None,
    unset: Unset = None,
    along: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=0..64|memory.NAME",
            help="Where to seek overtakings; along all parameters and memories when left out.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two cost sheets on a platform: two kernels, versions, compilers or configurations.

    Each service stands with its dearest path. Where one sheet overtakes the other is worked out along every
    parameter and every memory's access times.
    """
    from socscope.estimate import compare as comparing  # noqa: PLC0415 - numpy takes a moment.

    if len(mapping) > 2:
        raise EstimateError("--mapping: give one for both sheets, or one for each")
    both = [pricing.sheet(path) for path in (first, second)]
    sides = [
        comparing.Side(one, pricing.target(platform, where, *(both if len(mapping) == 1 else [one])))
        for one, where in zip(both, (mapping[0], mapping[-1]), strict=True)
    ]
    renamed = {}
    for text in pair or []:
        one, equals, other = text.partition("=")
        if not (one and equals and other):
            raise EstimateError(f"{text!r}: no two services; write --pair NAME=NAME")
        renamed[one] = other
    with progress.share("compares", quiet=as_json) as update:
        found = comparing.compare(
            sides[0],
            sides[1],
            pricing.values(with_, unset),
            services=service or [],
            renamed=renamed,
            along=None if along is None else [comparing.Range.parse(text) for text in along],
            on_progress=update,
        )
    names = [f"{side.sheet.kernel.name} {side.sheet.kernel.version}".rstrip() for side in sides]
    if names[0] == names[1]:
        names = [path.name.removesuffix(".json").removesuffix(".sheet") for path in (first, second)]
    notes = found.doubts()
    if as_json:
        print_json(
            {
                "first": names[0],
                "second": names[1],
                "platform": sides[0].target.platform.name,
                "services": [one.as_json() for one in found.pairs],
                "only_first": found.only_first,
                "only_second": found.only_second,
                "notes": notes,
                "accuracy": [side.sheet.accuracy.model_dump() for side in sides],
            }
        )
    else:
        _show(found, names)
        pricing.show_notes(notes)
        pricing.show_accuracy(*(side.sheet for side in sides))


def _show(found: "Comparison", names: list[str]) -> None:
    from socscope.estimate.result import shown  # noqa: PLC0415 - numpy takes a moment.

    rows = []
    for one in found.pairs:
        service, other = one.first.cost.service.name, one.second.cost.service.name
        given = {**one.first.cost.parameters, **one.second.cost.parameters}
        rows.append(
            [
                service if service == other else f"{service} / {other}",
                ", ".join(f"{name}={value}" for name, value in given.items()),
                shown(one.first.total_ns),
                shown(one.second.total_ns),
                "-" if one.ratio is None else fixed(float(one.ratio), 3),
                shown(one.first.longest_blocking_ns),
                shown(one.second.longest_blocking_ns),
            ]
        )
    headings = ["Service", "With", names[0], names[1], "Ratio", "Blocking", "Blocking"]
    OUT.print("Times in ns, of the dearest path; the ratio is second over first.", markup=False)
    pricing.show_table(headings, rows, text_columns=2)
    for one in found.pairs:
        for overtaking in one.overtakings:
            OUT.print(f"{one.first.cost.service.name}: {_said(overtaking, names)}", markup=False)
    for name, only in zip(names, (found.only_first, found.only_second), strict=True):
        if only:
            OUT.print(f"only in {name}: {', '.join(only)}", markup=False)


def _said(overtaking: "Overtaking", names: list[str]) -> str:
    dearer = names[overtaking.dearer]
    if not overtaking.unit:
        return f"from {overtaking.along} = {int(overtaking.value)} on {dearer} is dearer"
    unit = "times what it is" if overtaking.unit == "times" else overtaking.unit
    return f"above {overtaking.along} = {float(overtaking.value):,.6g} {unit} {dearer} is dearer"
