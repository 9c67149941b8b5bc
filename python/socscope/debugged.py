"""Simulations under GDB."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from socscope import _core, awareness, ending
from socscope.clear import clear_errors
from socscope.errors import AwarenessError, OptionError
from socscope.profiled import functions_of

if TYPE_CHECKING:
    from socscope.simulation import Simulation

# Told of what happens, with a detail: see `Simulation.debug`.
Tell = Callable[[str, str], None]


def serve(
    simulation: "Simulation",
    address: tuple[str | None, int],
    until_ps: int | None,
    system: Path | None,
    on_event: Tell | None,
) -> tuple[str, str]:
    """Serves debuggers of a simulation and of those linked to it, on a host and port; gives why it ended."""
    machines = sorted(simulation.linked, key=lambda one: one.machine.place)
    if any(one.mark_points for one in machines):
        raise OptionError(
            "a debugger can go back in time, and marks are those of one course: set breakpoints instead, or "
            "leave mark_at and mark_on out"
        )
    tell = on_event or (lambda _kind, _detail: None)
    host, port = address
    with clear_errors():
        server = _core.GdbServer(port, host)
        tell("listening", "{}:{}".format(*server.address))
        for one in machines:
            for core in one.machine.unknown_to_gdb():
                model = one.machine.cores[core][0]
                tell("blind", f"cpu{core} ({model}): GDB does not know its architecture and cannot show it")
        images = [_image(one, system, tell) for one in machines]
        try:
            kind, detail = server.serve(simulation.machine, images, until_ps=until_ps, on_event=tell)
        except KeyboardInterrupt as interrupt:
            kind, detail = "interrupted", ending.reason(interrupt)
    if not server.counts_hold:
        for one in machines:
            one.count_again()
    return kind, detail


def _image(
    simulation: "Simulation", system: Path | None, tell: Tell
) -> tuple[list[tuple[int, int, int, str]], _core.TaskTable | None]:
    """Functions and tasks."""
    image = simulation.image
    functions = [(one.start, one.end, one.id, one.name) for one in image.functions]
    others = [one for other in simulation.other_images for one in functions_of(other)]
    behind = enumerate(others, start=len(functions))
    functions += [(one.start, one.start + one.size, number, one.name) for number, one in behind]
    functions.sort()
    if system is not None:
        return functions, _core.TaskTable(awareness.resolve(awareness.Description.read(system), image))
    try:
        found = awareness.find(image)
    except AwarenessError as error:
        # A kernel without debug information can be debugged; its tasks stay unseen.
        tell("blind", str(error))
        found = None
    return functions, None if found is None else _core.TaskTable(found)
