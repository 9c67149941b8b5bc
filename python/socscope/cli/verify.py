"""`socscope verify`: records run again in all ways that must not make a difference."""

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from socscope.cli.output import OUT, STATUS, Exit, Json, command, print_json
from socscope.cli.progress import share
from socscope.cli.replay import ImageFile
from socscope.record import open_run

if TYPE_CHECKING:
    from socscope.replay import Check, Verified


@command
def verify(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run records, or folders of them as a study's.")
    ],
    image: ImageFile = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at a time; all cores by default.")] = None,
    from_power_on: Annotated[
        bool,
        typer.Option("--from-power-on", help="Begin all at power-on, also runs that begin at a checkpoint."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Run records again with and without probes, by both engines, straight and over a checkpoint.

    Runs of a study that begin at a checkpoint in its folder are run again from there, and the way from
    power-on to the checkpoint is checked once. State, time and console must be as recorded in all of these,
    counts wherever they are counted. The command ends with status 4 when something differs, and with 1 when a
    record cannot be run again.
    """
    from socscope.replay import records  # noqa: PLC0415 - needs the compiled module.

    folders = records(runs)
    found = (
        [_one(folders[0], image, from_power_on, quiet=as_json)]
        if folders == runs[:1]
        else _several(folders, image, jobs or os.cpu_count() or 1, from_power_on, quiet=as_json)
    )
    if as_json:
        print_json(_plain(found[0]) if folders == runs[:1] else _summary(found))
    else:
        _show(found)
    if any(not check.same for one in found for check in one.checks):
        raise typer.Exit(Exit.DIFFERENT)
    if not all(one.same for one in found):
        raise typer.Exit(Exit.ERROR)


def _one(folder: Path, image: Path | None, from_power_on: bool, *, quiet: bool) -> "Verified":
    from socscope.replay import Verified, verify  # noqa: PLC0415

    with share("verifies", quiet=quiet) as update:
        checks = verify(
            open_run(folder),
            image=image,
            on_check=lambda number, total, done: update((number - 1 + done) / total),
            from_power_on=from_power_on,
        )
    return Verified(folder, checks)


def _several(
    folders: Sequence[Path], image: Path | None, jobs: int, from_power_on: bool, *, quiet: bool
) -> "list[Verified]":
    from socscope.replay import verify_all  # noqa: PLC0415

    done = count(1)
    with share("verifies", quiet=quiet) as update:

        def on_record(one: "Verified") -> None:
            where = "the begin" if one.is_begin else f"{(number := next(done))} of {len(folders)} runs"
            if not one.is_begin:
                update(number / len(folders))
            if not quiet and not STATUS.is_terminal:
                said = "same" if one.same else one.failure or "differs"
                STATUS.print(f"{where}  {one.folder}: {said}", markup=False)

        return verify_all(folders, image=image, jobs=jobs, on_record=on_record, from_power_on=from_power_on)


def _plain(one: "Verified") -> dict[str, object]:
    rows = [
        {
            "probes": check.probes,
            "engine": check.engine,
            "way": check.way,
            "counts_compared": check.counted,
            "same": check.same,
            "differences": [vars(difference) for difference in check.differences],
        }
        for check in one.checks
    ]
    name = "checkpoint" if one.is_begin else "run"
    plain: dict[str, object] = {name: str(one.folder), "same": one.same}
    if one.failure is not None:
        return plain | {"failure": one.failure}
    if one.is_begin:
        return plain | {"checks": rows}
    return plain | {"state_hash": open_run(one.folder).manifest.state_hash, "checks": rows}


def _summary(found: "list[Verified]") -> dict[str, object]:
    runs = [one for one in found if not one.is_begin]
    return {
        "same": all(one.same for one in found),
        "runs_count": len(runs),
        "runs_same": sum(one.same for one in runs),
        "checks_count": sum(len(one.checks) for one in found),
        "checks_same": sum(check.same for one in found for check in one.checks),
        "begins": [_plain(one) for one in found if one.is_begin],
        "runs": [_plain(one) for one in runs],
    }


def _show(found: "list[Verified]") -> None:
    """Shows one table for all records: a row for each way, then all that differs."""
    table = Table("Probes", "Engine", "Way", "State and console", "Counts", box=box.SIMPLE)
    runs = [one for one in found if not one.is_begin]
    for part in ([one for one in found if one.is_begin], runs):
        for ways in zip(*(one.checks for one in part if one.failure is None), strict=True):
            table.add_row(*_row(ways))
    if table.rows:
        OUT.print(table)
    for one in found:
        where = f"{one.folder}: " if len(found) > 1 else ""
        for check in one.checks:
            for difference in check.differences:
                OUT.print(f"{where}{check.name}: {difference}", markup=False)
        if one.failure is not None:
            OUT.print(f"{where}not verified: {one.failure}", markup=False)
    if len(runs) > 1:
        same, checks = sum(one.same for one in runs), sum(len(one.checks) for one in found)
        OUT.print(f"{same} of {len(runs)} runs as recorded in all ways, {checks} checks", markup=False)
    elif all(one.same for one in found):
        state_hash = open_run(runs[0].folder).manifest.state_hash
        STATUS.print(f"all as recorded: state {state_hash[:16]}", markup=False)


def _row(ways: "Sequence[Check]") -> tuple[str, ...]:
    """What one way made of the records."""
    first = ways[0]
    state = _verdict([all(one.of_counts for one in check.differences) for check in ways])
    counts = [not any(one.of_counts for one in check.differences) for check in ways if check.counted]
    return ("on" if first.probes else "off", first.engine, first.way, state, _verdict(counts))


def _verdict(same: list[bool]) -> str:
    """What a cell says of the records that were compared."""
    if not same:
        return "-"
    if all(same):
        return "same"
    return "differ" if len(same) == 1 else f"{len(same) - sum(same)} of {len(same)} differ"
