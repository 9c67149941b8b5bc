"""`socscope diff`: where two runs part, and what their profiles say of it."""

from dataclasses import asdict
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
    from socscope.replay.visible import Comparison, Seen

ROWS = 15


@command
def diff(  # noqa: PLR0917 - the options of the command.
    first: Annotated[Path, typer.Argument(metavar="A", help="Folder of a run record.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Folder of another one.")],
    image: Annotated[
        Path | None, typer.Option(help="The image of both, or of A, where the records do not hold it.")
    ] = None,
    other_image: Annotated[
        Path | None, typer.Option(help="The image of B, where it is another and the record does not hold it.")
    ] = None,
    profiles: Annotated[
        bool, typer.Option("--profiles", help="Compare only the profiles, without running again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find the first thing that two runs do not do alike, and compare their profiles.

    Both are run again from their input. Runs of one image go in step, to the first instruction that differs.
    Runs of different images have no instructions in common: what a user can see of them is compared, which is
    their consoles, writes to devices' registers, DMA, marks, and variables at the end. The command ends with
    status 4 when the runs differ.
    """
    from socscope.replay import diverge  # noqa: PLC0415 - needs the compiled module.
    from socscope.replay.visible import visible  # noqa: PLC0415

    one, other = open_run(first), open_run(second)
    same_image = one.manifest.image.sha256 == other.manifest.image.sha256
    walked = same_image and not profiles
    found, seen = None, None
    if walked:
        end = max(one.manifest.stop.cycle, 1)
        with share("looks for the first difference", quiet=as_json) as update:
            found = diverge.diff(one, other, images=(image, image), on_walk=lambda cycle: update(cycle / end))
    if not profiles and found is None and not diverge.built_alike(one, other):
        with share("compares what can be seen", quiet=as_json) as update:
            seen = visible(one, other, images=(image, other_image or image), on_share=update)
    if as_json:
        print_json(_as_json(one, other, walked, found, seen))
    else:
        _say(walked, same_image, found)
        if seen is not None:
            _show_seen(seen)
        _show_profiles(one, other)
    if found is not None or (seen is not None and seen.first is not None) or _changed(one, other):
        raise typer.Exit(Exit.DIFFERENT)


def _say(walked: bool, same_image: bool, found: "Divergence | None") -> None:
    if not walked:
        reason = "not looked for" if same_image else "the images differ: no instructions in common"
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


def _show_seen(seen: "Comparison") -> None:
    """What can be seen, aspect by aspect; the first difference comes first."""
    first = seen.first
    if first is None:
        OUT.print("first difference: none in what was compared")
    else:
        OUT.print(f"first difference: {first.what}{_at(first)}")
        OUT.print(f"  A: {first.first}\n  B: {first.second}")
    table = Table("Compared", "Of both", "Result", box=box.SIMPLE)
    for aspect in seen.aspects:
        difference = aspect.difference
        text = "same" if difference is None else f"A {difference.first}, B {difference.second}"
        table.add_row(aspect.what, aspect.compared, text)
    OUT.print(table)
    OUT.print("not compared: " + "; ".join(seen.left_out))


def _at(seen: "Seen") -> str:
    if seen.time_ps is None:
        return ""
    one, other = (f"{time_ps / 1e9:,.6f} ms" for time_ps in seen.time_ps)
    return f", at {one}" if one == other else f", at {one} of A, {other} of B"


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


def _as_json(
    one: Run, other: Run, walked: bool, found: "Divergence | None", seen: "Comparison | None"
) -> dict[str, Any]:
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
        "visible": None if seen is None else {**asdict(seen), "first": seen.first and asdict(seen.first)},
        "totals": profiles.totals(one, other),
        "layers": [vars(change) for change in profiles.layers(one, other)] if both else None,
        "functions": [vars(change) for change in profiles.functions(one, other)] if both else None,
    }
