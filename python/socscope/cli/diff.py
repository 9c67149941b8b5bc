"""`socscope diff`: where two runs part, and what their profiles say of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table

from socscope.cli.output import OUT, STATUS, Exit, Json, command, print_json
from socscope.cli.progress import share
from socscope.record import Run, open_run

if TYPE_CHECKING:
    from socscope.replay.diverge import Divergence, Side
    from socscope.replay.profiles import Change

ROWS = 15


@command
def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="Folder of a run record.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Folder of another one.")],
    image: Annotated[
        Path | None, typer.Option(help="The image of both, where the records do not hold it.")
    ] = None,
    profiles: Annotated[
        bool, typer.Option("--profiles", help="Compare only the profiles, without running again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find the first instruction that two runs do not do alike, and compare their profiles.

    Both are run again from their input, in step. Runs of different images have no common way; of these, only
    the profiles are compared. The command ends with status 4 when the runs differ.
    """
    from socscope.replay import diverge  # noqa: PLC0415 - needs the compiled module.

    one, other = open_run(first), open_run(second)
    same_image = one.manifest.image.sha256 == other.manifest.image.sha256
    walked = same_image and not profiles
    found = None
    if walked:
        end = max(one.manifest.stop.cycle, 1)
        with share("looks for the first difference", quiet=as_json) as update:
            found = diverge.diff(one, other, images=(image, image), on_walk=lambda cycle: update(cycle / end))
    if as_json:
        print_json(_as_json(one, other, walked, found))
    else:
        _say(walked, same_image, found)
        _show_profiles(one, other)
    if found is not None or _changed(one, other):
        raise typer.Exit(Exit.DIFFERENT)


def _say(walked: bool, same_image: bool, found: "Divergence | None") -> None:
    if not walked:
        reason = "not looked for" if same_image else "the images differ, so there is no common way"
        OUT.print(f"first divergence: {reason}", markup=False)
        return
    if found is None:
        OUT.print("first divergence: none: both runs do the same to their end", markup=False)
        return
    OUT.print(f"first divergence: after {found.instructions:,} instructions {found.what}", markup=False)
    for name, side in (("A", found.first), ("B", found.second)):
        _say_side(name, side)
    for register, (one, other) in found.registers.items():
        OUT.print(f"  {register}: A {one:#010x}, B {other:#010x}", markup=False)


def _say_side(name: str, side: "Side") -> None:
    source = f" ({side.source})" if side.source else ""
    OUT.print(f"  {name}: cycle {side.cycle:,} at {side.pc:#010x} {side.function}{source}", markup=False)
    for text in side.last_inputs:
        OUT.print(f"     input before: {text}", markup=False)


def _changed(one: Run, other: Run) -> bool:
    from socscope.replay.profiles import totals  # noqa: PLC0415 - needs the compiled module.

    return bool(totals(one, other))


def _show_profiles(one: Run, other: Run) -> None:
    from socscope.replay import profiles  # noqa: PLC0415 - needs the compiled module.

    if not (one.manifest.profiled and other.manifest.profiled):
        STATUS.print("profiles: not both runs were profiled", markup=False)
        return
    if not _changed(one, other):
        OUT.print("profiles: all sums are equal", markup=False)
    for title, changes in (
        ("Layer", profiles.layers(one, other)),
        ("Function", profiles.functions(one, other)),
    ):
        if changes:
            OUT.print(_table(title, changes[:ROWS]))
        if len(changes) > ROWS:
            OUT.print(f"and {len(changes) - ROWS} more that differ less", markup=False)


def _table(title: str, changes: "list[Change]") -> Table:
    columns = ("Instructions A", "B", "B-A", "Cycles A", "B", "B-A")
    table = Table(title, *columns, box=box.SIMPLE)
    for column in table.columns[1:]:
        column.justify = "right"
    for change in changes:
        numbers = [
            text
            for a, b in (change.instructions, change.cycles)
            for text in (f"{a:,}", f"{b:,}", f"{b - a:+,}")
        ]
        table.add_row(change.name, *numbers)
    return table


def _as_json(one: Run, other: Run, walked: bool, found: "Divergence | None") -> dict[str, Any]:
    from socscope.replay import profiles  # noqa: PLC0415 - needs the compiled module.

    divergence: dict[str, Any] | None = None
    if found is not None:
        divergence = {
            "instructions": found.instructions,
            "what": found.what,
            "a": vars(found.first),
            "b": vars(found.second),
            "registers": found.registers,
        }
    both = one.manifest.profiled and other.manifest.profiled
    return {
        "a": str(one.folder),
        "b": str(other.folder),
        "walked": walked,
        "divergence": divergence,
        "totals": profiles.totals(one, other),
        "layers": [vars(change) for change in profiles.layers(one, other)] if both else None,
        "functions": [vars(change) for change in profiles.functions(one, other)] if both else None,
    }
