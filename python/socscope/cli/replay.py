"""`socscope replay`: a recorded run once more, without the world around it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from socscope.cli.output import OUT, STATUS, Exit, Json, command, print_json
from socscope.cli.progress import share
from socscope.cli.records import Record
from socscope.cli.run import EngineName
from socscope.record import open_run
from socscope.record.write import check_free

if TYPE_CHECKING:
    from socscope.replay import Difference

ImageFile = Annotated[
    Path | None, typer.Option(help="The image that ran, where the record does not hold it.")
]


@command
def replay(
    run: Record,
    image: ImageFile = None,
    engine: Annotated[EngineName, typer.Option(help="Which engine executes it.")] = EngineName.TRANSLATED,
    out: Annotated[
        Path | None, typer.Option(help="Write a record of the repeated run to this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a record again from its input alone, and compare the end with it: state, counts, console.

    All that reached the machine from outside is in the record with its exact moment, so no peer is needed.
    The command ends with status 4 when something differs.
    """
    from socscope.replay import replay as repeat  # noqa: PLC0415 - needs the compiled module.

    record = open_run(run)
    if out is not None:
        check_free(out)
    with share("replays", quiet=as_json) as update:
        end = max(record.manifest.stop.cycle, 1)
        again = repeat(
            record, image=image, engine=engine.value, on_progress=lambda cycle, _: update(cycle / end)
        )
        found = again.differences()
    if out is not None:
        facts = record.manifest
        again.simulation.record(out, command=facts.command, parameters=facts.parameters)
    if as_json:
        print_json({"run": str(run), "identical": not found, "differences": [vars(one) for one in found]})
    else:
        _say(found, record.manifest.state_hash)
    if found:
        raise typer.Exit(Exit.DIFFERENT)


def _say(found: "list[Difference]", state_hash: str) -> None:
    if not found:
        OUT.print(f"identical: state {state_hash[:16]}, counts and console are as recorded", markup=False)
        return
    STATUS.print("the run does not repeat:", style="red")
    for one in found:
        OUT.print(f"  {one}", markup=False)
