"""`socscope checkpoint`: the complete state of a machine in a file."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from socscope import options
from socscope.cli import exits
from socscope.cli.output import OUT, STATUS, Json, command, print_json
from socscope.cli.run import progress
from socscope.errors import CheckpointError
from socscope.report.words import simulated

app = typer.Typer(
    help="Save the complete state of a machine to a file, and look at such files.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.command()
@command
def save(  # noqa: PLR0917 - the options of the command.
    platform: Annotated[str, typer.Argument(help="A platform's name, or a .dts or .dtb file.")],
    image: Annotated[Path, typer.Argument(help="The ELF image.")],
    out: Annotated[Path, typer.Option(help="The file.")],
    initrd: Annotated[
        Path | None, typer.Option(help="The initial file system that a kernel is given (PowerPC, ARM).")
    ] = None,
    append: Annotated[str, typer.Option(help="The end of the kernel's command line (PowerPC, ARM).")] = "",
    limit: Annotated[str | None, typer.Option("--for", help="Simulated time: 2s, 10ms, 1e6cycles.")] = None,
    until: Annotated[str | None, typer.Option(help="Stop at this symbol or 0x address.")] = None,
    until_output: Annotated[str | None, typer.Option(help="Stop when the console says this.")] = None,
    until_mark: Annotated[
        int | None, typer.Option(min=0, max=14, help="Stop at this magic instruction.")
    ] = None,
    send: Annotated[str | None, typer.Option(help="Text for the console, \\r for Return.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="Change the platform: /path:property=value.")
    ] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Count exactly; the profile is saved too.")
    ] = False,
    window: Annotated[
        str, typer.Option(help="What is counted: all, marks, 'marks 3..4' or 'symbols A..B'.")
    ] = "all",
    as_json: Json = False,
) -> None:
    """Run an image on a platform and save its complete state.

    `socscope run --checkpoint FILE` goes on from there. The file holds all that this takes: the platform, the
    image, the state of everything in the machine, and the profile.
    """
    from socscope.simulation import Simulation  # noqa: PLC0415 - needs the compiled module.

    if out.is_dir():
        raise CheckpointError(f"{out}: a folder; name a file")
    simulation = Simulation(
        platform,
        image,
        overrides=overrides or [],
        profile=profile,
        window=window,
        initrd=initrd,
        append=append,
    )
    if send is not None:
        simulation.send(send.replace("\\r", "\r").encode())
    with progress(quiet=as_json) as on_progress:
        outcome = simulation.run(
            options.duration(limit) if limit else None,
            until_symbol=until,
            until_output=until_output,
            until_mark=until_mark,
            until_panic=True,
            on_progress=on_progress,
        )
    exits.end(outcome, [text for text in (until, until_output, until_mark) if text is not None])
    simulation.checkpoint(out)
    stop = outcome.stop
    if as_json:
        print_json(
            {"checkpoint": str(out), "bytes": out.stat().st_size, "stop": stop.model_dump()}
            | {"state_hash": simulation.machine.state_hash()}
        )
        return
    STATUS.print(
        f"{stop.detail} after {simulated(stop.time_ps)} simulated ({stop.cycle:,} cycles)", markup=False
    )
    OUT.print(f"checkpoint: {out}, {out.stat().st_size:,} bytes", markup=False)


@app.command()
@command
def info(
    file: Annotated[Path, typer.Argument(help="A checkpoint.")],
    as_json: Json = False,
) -> None:
    """Check a checkpoint and say what is in it."""
    from socscope.checkpoint import Checkpoint  # noqa: PLC0415 - needs the compiled module.

    found = Checkpoint.read(file)
    if as_json:
        print_json(found.facts)
        return
    for number, machine in enumerate(found.machines):
        OUT.print(_machine(number, machine, found), markup=False)
    for (first, first_port), (second, second_port) in found.facts["wires"]:
        OUT.print(
            f"wire: machine {first}, port {first_port} - machine {second}, port {second_port}", markup=False
        )
    table = Table("Section", "Bytes", "Stored", box=box.SIMPLE)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, length, stored in found.facts["sections"]:
        table.add_row(name, f"{length:,}", f"{stored:,}")
    OUT.print(table)
    OUT.print(
        f"format {found.facts['format']}, made by Socscope {found.facts['socscope']}; undamaged", markup=False
    )


def _machine(number: int, machine: dict[str, Any], found: Any) -> str:  # noqa: ANN401 - a checkpoint.
    kept = found.core.image(number)
    lines = [
        f"machine {number}: {machine['platform']}, {kept[0] if kept else 'no image'}",
        f"  at {simulated(machine['time_ps'])}, cycle {machine['cycle']:,}",
        f"  state {machine['state_hash']}",
    ]
    lines += [f"  --set {text}" for text in machine["overrides"]]
    lines += [
        f"  added device {name} ({title}): give it to restore" for name, title in machine["added_devices"]
    ]
    if machine["profiled"]:
        lines.append(f"  profile of {machine['notes'].get('window', 'all')}")
    return "\n".join(lines)
