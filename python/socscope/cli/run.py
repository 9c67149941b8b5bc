"""`socscope run`: an image on a platform."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich import box
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from socscope import ending, options, shown
from socscope.cli import exits, unmodelled
from socscope.cli.debugger import Teller
from socscope.cli.output import OUT, STATUS, Json, command, print_json
from socscope.errors import OptionError, SocscopeError
from socscope.marks import numbered
from socscope.record import Run
from socscope.record.write import check_free
from socscope.report.summary import cores
from socscope.report.words import fixed, percent, simulated
from socscope.share import DEVICE

if TYPE_CHECKING:
    from socscope.share import Share
    from socscope.simulation import Outcome, Simulation

RUNS = Path("runs")
# Files of a share that are named in one message.
UNFINISHED_SHOWN = 10


class EngineName(StrEnum):
    """The engines."""

    TRANSLATED = "translated"
    INTERPRETED = "interpreted"


@command
def run(  # noqa: PLR0917 - the options of the command.
    platform: Annotated[
        str | None, typer.Argument(help="A platform's name, or a .dts or .dtb file.", show_default=False)
    ] = None,
    image: Annotated[Path | None, typer.Argument(help="The ELF image.", show_default=False)] = None,
    images: Annotated[
        list[str] | None,
        typer.Option("--image", help="The image of one core: cpu1=second.elf; several times."),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Go on from this checkpoint; it says platform and image.")
    ] = None,
    serial: Annotated[
        list[str] | None, typer.Option(help="A port and its peer: usart1=tcp::5001; several times.")
    ] = None,
    bit_errors: Annotated[
        list[str] | None, typer.Option(help="A port and how often a bit flips, with a seed: usart1=1e-4,7.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(help="A folder for the guest: FOLDER, FOLDER:rw, DEVICE=FOLDER; several times."),
    ] = None,
    initrd: Annotated[
        Path | None, typer.Option(help="The initial file system that a kernel is given (PowerPC, ARM).")
    ] = None,
    append: Annotated[str, typer.Option(help="The end of the kernel's command line (PowerPC, ARM).")] = "",
    add_device: Annotated[
        list[Path] | None,
        typer.Option(help="Put the device of this device tree (.dts, .dtb) into the machine; several times."),
    ] = None,
    limit: Annotated[str | None, typer.Option("--for", help="Simulated time: 2s, 10ms, 1e6cycles.")] = None,
    until: Annotated[str | None, typer.Option(help="Stop at this symbol or 0x address.")] = None,
    until_output: Annotated[str | None, typer.Option(help="Stop when the console says this.")] = None,
    until_mark: Annotated[
        int | None, typer.Option(min=0, max=14, help="Stop at this magic instruction.")
    ] = None,
    ignore_panic: Annotated[
        bool, typer.Option("--ignore-panic", help="Go on when the console says that the kernel panicked.")
    ] = False,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="Change the platform: /path:property=value.")
    ] = None,
    tasks: Annotated[
        bool, typer.Option("--tasks", help="Watch the tasks of a Linux kernel and write a run record.")
    ] = False,
    mark_at: Annotated[
        list[str] | None,
        typer.Option(help="Mark when a core reaches this symbol or 0x address: main, 7=main; several times."),
    ] = None,
    mark_on: Annotated[
        list[str] | None,
        typer.Option(help="Mark what a device does: uart:DATA, 8=uart:DATA:write, aic:interrupt:tc0."),
    ] = None,
    profile: Annotated[bool, typer.Option("--profile", help="Count exactly and write a run record.")] = False,
    window: Annotated[
        str, typer.Option(help="What is counted: all, marks, 'marks 3..4' or 'symbols A..B'.")
    ] = "all",
    layers: Annotated[Path | None, typer.Option(help="Layer rules (TOML).")] = None,
    engine: Annotated[
        EngineName, typer.Option(help="How instructions are executed; both give the same results.")
    ] = EngineName.TRANSLATED,
    gdb: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Wait for GDB on this port of this host; 0 is any free one."),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(help="End the run when it takes more memory: 512M, 2G; half of the host's by default."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run record; runs/<name> by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run an image on a platform, or go on from a checkpoint.

    The console is the terminal unless --serial says otherwise (Ctrl-A x leaves). Ctrl-C, SIGTERM and SIGHUP
    end the run between two instructions; what the guest wrote and a record are still written, and the record
    says that the run was interrupted. With --profile, --tasks or marks and without --out the record goes to a
    new folder in runs/.
    """
    _check_counting(profile, window, layers, checkpoint)
    if gdb is not None and (until or until_output or until_mark is not None):
        raise OptionError("--gdb: where to stop is for GDB to say; --for can end the run")
    peers = dict(options.serial(text) for text in serial or [])
    length = options.duration(limit) if limit else None
    _limit_memory(memory_limit)
    others = options.core_images(images or [])
    image = _first_image(image, others, checkpoint)
    name = _name(platform, image, checkpoint, overrides)
    folder = out or (_free_folder(name) if profile or tasks or mark_at or mark_on else None)
    if folder is not None:
        check_free(folder)
    simulation = _simulation(
        platform,
        image,
        checkpoint,
        overrides or [],
        profile,
        window,
        layers,
        engine.value,
        initrd,
        append,
        others,
    )
    _note(simulation)
    for tree in add_device or []:
        simulation.add_tree(tree)
    for port, rate, seed in (options.bit_errors(text) for text in bit_errors or []):
        simulation.disturb(port, rate, seed)
    if tasks:
        simulation.watch_tasks()
    _mark(simulation, mark_at or [], mark_on or [])
    shares = share_folders(simulation, share or [])
    console_peer = attach(simulation, peers, as_json)
    started = time.perf_counter()
    if gdb is not None:
        outcome = simulation.debug(gdb, limit=length, on_event=Teller(simulation, as_json=as_json))
    else:
        with progress(quiet=as_json or console_peer == "terminal") as on_progress:
            outcome = simulation.run(
                length,
                until_symbol=until,
                until_output=until_output,
                until_mark=until_mark,
                until_panic=not ignore_panic,
                on_progress=on_progress,
            )
    seconds = time.perf_counter() - started
    with ending.held():
        # Neither the loss of a peer nor of a folder loses the record.
        say_peers(simulation)
        failed = _failures(simulation.close, *(partial(write_back, share) for share in shares))
        record = None
        if folder is not None:
            record = simulation.record(folder, command=_command(sys.argv[1:]))
    if as_json:
        _print(simulation, outcome, record, seconds)
    else:
        _say(outcome, record, seconds, simulation.image.damage if record is not None and profile else "")
        unmodelled.tell(simulation, record)
        for text in simulation.machine.not_told_apart():
            STATUS.print(f"warning: {text}", markup=False, style="yellow")
    awaited = [text for text in (until, until_output, until_mark) if text is not None]
    if failed:
        raise failed[0]
    exits.end(outcome, awaited)


def _check_counting(profile: bool, window: str, layers: Path | None, checkpoint: Path | None) -> None:
    """What says how to count is refused where nothing is counted."""
    if window == "commands":
        raise OptionError(
            "--window commands: only a program can switch counting; use socscope.Simulation.count"
        )
    if window != "all" and not profile:
        raise OptionError(f"--window {window}: a window is counted with --profile; give that too")
    # The profile of a checkpoint goes on by itself.
    if layers is not None and not profile and checkpoint is None:
        raise OptionError(f"--layers {layers}: layers are of what --profile counts; give that too")


def _failures(*steps: Callable[[], None]) -> list[SocscopeError]:
    """Takes all steps, and gives what went wrong."""
    failed = []
    for step in steps:
        try:
            step()
        except SocscopeError as error:
            failed.append(error)
    return failed


def _first_image(image: Path | None, others: dict[int, Path], checkpoint: Path | None) -> Path | None:
    """The first core's image, which may be given as that of cpu0 too."""
    if checkpoint is not None and others:
        raise OptionError("--checkpoint: the checkpoint says platform, image and --set; leave --image out")
    first = others.pop(0, None)
    if image is not None and first is not None:
        raise OptionError(
            f"--image cpu0={first}: {image} is the first core's image already; leave one of them out"
        )
    if others and image is None and first is None:
        raise OptionError("--image: the first core has none; give it one: --image cpu0=first.elf")
    return image or first


def _name(
    platform: str | None, image: Path | None, checkpoint: Path | None, overrides: list[str] | None
) -> str:
    """What the record's folder is called after."""
    if checkpoint is not None:
        if platform is not None or overrides:
            raise OptionError("--checkpoint: the checkpoint says platform, image and --set; leave them out")
        return checkpoint.stem
    if platform is None or image is None:
        raise OptionError("name a platform and an image, or a --checkpoint")
    return f"{Path(platform).stem}-{image.stem}"


def _simulation(  # noqa: PLR0917 - the options of the command.
    platform: str | None,
    image: Path | None,
    checkpoint: Path | None,
    overrides: list[str],
    profile: bool,
    window: str,
    layers: Path | None,
    engine: Literal["translated", "interpreted"],
    initrd: Path | None,
    append: str,
    images: dict[int, Path],
) -> "Simulation":
    from socscope.simulation import Simulation  # noqa: PLC0415 - needs the compiled module.

    if checkpoint is not None:
        if initrd is not None or append:
            raise OptionError("--checkpoint: the machine runs already; leave --initrd and --append out")
        return Simulation.restore(checkpoint, profile=profile, window=window, layers=layers, engine=engine)
    assert platform is not None
    assert image is not None
    return Simulation(
        platform,
        image,
        overrides=overrides,
        profile=profile,
        window=window,
        layers=layers,
        engine=engine,
        initrd=initrd,
        append=append,
        images=images,
    )


def _note(simulation: "Simulation") -> None:
    """Says how the image was loaded where that was not clear."""
    if (note := simulation.machine.image_note()) is not None:
        STATUS.print(f"note: {note}", markup=False, style="yellow")


def _limit_memory(text: str | None) -> None:
    from socscope import memory  # noqa: PLC0415 - needs the compiled module.

    memory.limit(text)


def _mark(simulation: "Simulation", places: list[str], events: list[str]) -> None:
    """Sets marks besides the magic ones."""
    for number, place in map(numbered, places):
        simulation.mark_at(place, number)
    for number, event in map(numbered, events):
        simulation.mark_on(event, number)


def attach(simulation: "Simulation", peers: dict[str, str], as_json: bool) -> str | None:
    """Attaches all peers; gives that of the console."""
    ports = simulation.machine.ports()
    if ports and ports[0] not in peers:
        interactive = sys.stdin.isatty() and sys.stdout.isatty()
        peers = {**peers, ports[0]: "null" if as_json else "terminal" if interactive else "stdout"}
    for port, peer in peers.items():
        address = simulation.attach(port, peer)
        if peer.startswith("tcp"):
            STATUS.print(f"{port}: {address}", markup=False)
    return peers.get(ports[0]) if ports else None


def say_peers(simulation: "Simulation") -> None:
    """Says what a user should know about programs that have connected."""
    for peer in simulation.peers():
        if peer.refused:
            STATUS.print(
                f"{peer.port}: {peer.refused} connections were closed: they began with an HTTP request, as a "
                "page in a browser sends it; nothing of them reached the guest",
                style="red",
            )
        if peer.connections and peer.reason:
            STATUS.print(f"{peer.port}: the run may not repeat: {peer.reason}")


def share_folders(simulation: "Simulation", texts: list[str]) -> "list[Share]":
    """Gives the guest its folders."""
    shares = []
    for folder, read_only, device in (options.share(text) for text in texts):
        shares.append(simulation.share(folder, read_only=read_only, device=device or DEVICE))
        one = shares[-1]
        place = shown.name(str(one.folder))
        STATUS.print(f"{one.device}: {place}, {one.files} files, blake3 {one.blake3}", markup=False)
        for path, reason in one.left_out:
            STATUS.print(f"{one.device}: {shown.name(path)} left out: {reason}", markup=False)
    return shares


def write_back(share: "Share") -> None:
    """Writes back what the guest has changed in a folder that it may change."""
    if share.read_only:
        return
    done, place = share.write_back(), shown.name(str(share.folder))
    STATUS.print(f"{share.device}: {place}: {done}", markup=False)
    if done.unfinished:
        files = ", ".join(map(shown.name, done.unfinished[:UNFINISHED_SHOWN]))
        more = len(done.unfinished) - UNFINISHED_SHOWN
        files += f" and {more} more" if more > 0 else ""
        STATUS.print(
            f"{share.device}: {place}: open for writing when the run ended: {files}: data that the guest had "
            "not written yet is missing; let it unmount the share before the run ends",
            markup=False,
            style="red",
        )


def _free_folder(base: str) -> Path:
    number = 1
    while (RUNS / f"{base}-{number}").exists():
        number += 1
    return RUNS / f"{base}-{number}"


def _command(arguments: list[str]) -> list[str]:
    """The command without its output folder: equal runs give equal records wherever they are written."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument == "--out" or argument.startswith("--out="):
            skip = argument == "--out"
            continue
        kept.append(argument)
    return kept


@contextmanager
def progress(*, quiet: bool) -> Iterator[options.Progress | None]:
    """Shows on a terminal how far a run is."""
    if quiet or not STATUS.is_terminal:
        yield None
        return
    started = time.perf_counter()
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}", markup=False), console=STATUS, transient=True
    ) as bar:
        task = bar.add_task("starts")

        def update(cycle: int, time_ps: int) -> None:
            seconds = time.perf_counter() - started
            text = f"{time_ps / 1e12:.3f} s simulated, {cycle:,} cycles, {seconds:.0f} s"
            bar.update(task, description=text)

        yield update


def _print(simulation: "Simulation", outcome: "Outcome", record: Run | None, seconds: float) -> None:
    nodes = unmodelled.counted(simulation.machine.unmodelled())
    result: dict[str, object] = {
        "stop": outcome.stop.model_dump(),
        "wall_seconds": round(seconds, 3),
        "unmodelled": [
            {"node": node, "accesses": sum(kinds.values()), "by_kind": kinds} for node, kinds in nodes.items()
        ],
        "note": simulation.machine.image_note(),
    }
    if record is not None:
        result |= {"record": str(record.folder), "sha256": record.sha256}
        result["manifest"] = record.manifest.model_dump()
    print_json(result)


def _say(outcome: "Outcome", record: Run | None, seconds: float, damage: str) -> None:
    stop = outcome.stop
    detail = f"{stop.detail} after {simulated(stop.time_ps)} simulated ({stop.cycle:,} cycles)"
    STATUS.print(f"{detail}; took {seconds:.1f} s", markup=False)
    if record is None:
        return
    if record.manifest.profiled:
        if damage in record.manifest.warnings:
            STATUS.print(f"warning: {damage}", style="yellow")
        _summary(record)
    _caches(record)
    OUT.print(f"record: {record.folder}", markup=False)


def _summary(record: Run) -> None:
    totals = record.manifest.totals
    table = Table("Layer", "Instructions", "%", "Cycles", "Reads", "Writes", box=box.SIMPLE)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in record.rows("layers"):
        if row["instructions"]:
            share = 100 * row["instructions"] / totals.instructions
            numbers = [f"{row[name]:,}" for name in ("instructions", "cycles", "reads", "writes")]
            table.add_row(row["layer"], numbers[0], fixed(share, 1), *numbers[1:])
    STATUS.print(table)
    for core in cores(record):
        STATUS.print(
            f"core {core.core}: {core.instructions:,} instructions, {core.exceptions:,} exceptions, "
            f"stopped {percent(core.stopped)} of the time",
            markup=False,
        )
    STATUS.print(
        f"{totals.instructions:,} instructions, {totals.executing_cycles:,} executing cycles, "
        f"CPI {fixed(totals.cpi, 3)}"
    )
    counted = "window, all cores" if cores(record) else "window"
    STATUS.print(
        f"{counted}: {totals.cycles:,} cycles, {totals.stopped_cycles:,} of them with the clock stopped and "
        f"{totals.bus_held_cycles:,} with DMA on the bus; {simulated(totals.time_ps)}"
    )


def _caches(record: Run) -> None:
    for row in record.rows("caches"):
        accesses = row["read_hits"] + row["read_misses"] + row["write_hits"] + row["write_misses"]
        misses = row["read_misses"] + row["write_misses"]
        share = 100 * misses / accesses if accesses else 0.0
        what = f"{row['cache']} cache of core {row['core']}: {accesses:,} accesses"
        text = f"{what}, {misses:,} misses ({fixed(share, 2)} %), {row['write_backs']:,} write-backs"
        STATUS.print(text, markup=False)
