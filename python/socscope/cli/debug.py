"""`socscope debug`: an image on a platform, under GDB."""

from pathlib import Path
from typing import Annotated

import typer

from socscope import options
from socscope.cli import exits
from socscope.cli.debugger import Teller
from socscope.cli.output import STATUS, Json, command, print_json
from socscope.cli.run import EngineName, attach


@command
def debug(  # noqa: PLR0917 - the options of the command.
    platform: Annotated[str, typer.Argument(help="A platform's name, or a .dts or .dtb file.")],
    image: Annotated[Path, typer.Argument(help="The ELF image.")],
    images: Annotated[
        list[str] | None,
        typer.Option("--image", help="Another core's image: cpu1=second.elf; several times."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port for GDB; 0 is any free one.")] = 0,
    host: Annotated[
        str | None,
        typer.Option(
            help="Address to listen on. Without it only this host can connect; GDB may do everything."
        ),
    ] = None,
    serial: Annotated[
        list[str] | None, typer.Option(help="A port and its peer: usart1=tcp::5001; several times.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Run to this symbol or 0x address first; the history begins there.")
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option("--for", help="Simulated time after which the run ends: 2s, 10ms, 1e6cycles."),
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="Change the platform: /path:property=value.")
    ] = None,
    system: Annotated[
        Path | None, typer.Option(help="Description (TOML) of the operating system whose tasks are threads.")
    ] = None,
    engine: Annotated[
        EngineName, typer.Option(help="How instructions are executed; both give the same results.")
    ] = EngineName.TRANSLATED,
    as_json: Json = False,
) -> None:
    """Debug an image on a platform with GDB, forwards and backwards.

    The machine waits for `target remote HOST:PORT` of gdb-multiarch. After `detach` the guest goes on without
    a debugger, until the next one connects; `kill` and Ctrl-C end it. `monitor help` in GDB lists what else
    there is.
    """
    from socscope.simulation import Simulation  # noqa: PLC0415 - needs the compiled module.

    peers = dict(options.serial(text) for text in serial or [])
    length = options.duration(limit) if limit else None
    others = options.core_images(images or [])
    simulation = Simulation(platform, image, overrides=overrides or [], engine=engine.value, images=others)
    attach(simulation, peers, as_json)
    if until is not None:
        simulation.run(length, until_symbol=until)
    outcome = simulation.debug(
        port, host=host, limit=length, system=system, on_event=Teller(simulation, as_json=as_json)
    )
    if as_json:
        print_json({"event": "ended", "stop": outcome.stop.model_dump()})
    else:
        STATUS.print(f"{outcome.stop.detail} at {outcome.stop.time_ps / 1e9:.6f} ms", markup=False)
    exits.end(outcome)
