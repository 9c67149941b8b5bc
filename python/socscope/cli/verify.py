"""`socscope verify`: a record run again in all ways that must not make a difference."""

from typing import TYPE_CHECKING

import typer
from rich import box
from rich.table import Table

from socscope.cli.output import OUT, STATUS, Exit, Json, command, print_json
from socscope.cli.progress import share
from socscope.cli.records import Record
from socscope.cli.replay import ImageFile
from socscope.record import open_run

if TYPE_CHECKING:
    from socscope.replay import Check


@command
def verify(run: Record, image: ImageFile = None, as_json: Json = False) -> None:
    """Run a record again with and without probes, by both engines, straight and over a checkpoint.

    State, time and console must be as recorded in all of these, counts wherever they are counted. The
    command ends with status 4 when something differs.
    """
    from socscope.replay import verify as check  # noqa: PLC0415 - needs the compiled module.

    record = open_run(run)
    with share("verifies", quiet=as_json) as update:
        checks = check(
            record, image=image, on_check=lambda number, total, done: update((number - 1 + done) / total)
        )
    same = all(one.same for one in checks)
    if as_json:
        rows = [
            {
                "probes": one.probes,
                "engine": one.engine,
                "way": one.way,
                "counts_compared": one.counted,
                "same": one.same,
                "differences": [vars(difference) for difference in one.differences],
            }
            for one in checks
        ]
        print_json({"run": str(run), "same": same, "state_hash": record.manifest.state_hash, "checks": rows})
    else:
        _show(checks, record.manifest.state_hash)
    if not same:
        raise typer.Exit(Exit.DIFFERENT)


def _show(checks: "list[Check]", state_hash: str) -> None:
    table = Table("Probes", "Engine", "Way", "State and console", "Counts", box=box.SIMPLE)
    for one in checks:
        of_counts = [difference for difference in one.differences if difference.what.startswith("table")]
        counts = ("differ" if of_counts else "same") if one.counted else "-"
        state = "differ" if len(one.differences) > len(of_counts) else "same"
        table.add_row("on" if one.probes else "off", one.engine, one.way, state, counts)
    OUT.print(table)
    for one in checks:
        for difference in one.differences:
            OUT.print(f"{one.name}: {difference}", markup=False)
    if all(one.same for one in checks):
        STATUS.print(f"all as recorded: state {state_hash[:16]}", markup=False)
