"""Simulations under GDB."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from socscope import _core, awareness, ending
from socscope.clear import clear_errors
from socscope.errors import AwarenessError, OptionError
from socscope.profiled import Numbered

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
) -> tuple[list[Numbered], dict[int, list[Numbered]], _core.TaskTable | None]:
    """Functions that all cores find, those that one finds alone, and tasks."""
    image = simulation.image
    known = simulation.functions_by_owner(simulation.functions_of_others())
    shared = known.pop(None)
    own = {core: functions for core, functions in known.items() if core is not None}
    if system is not None:
        return shared, own, _core.TaskTable(awareness.resolve(awareness.Description.read(system), image))
    try:
        found = awareness.find(image)
    except AwarenessError as error:
        # A kernel without debug information can be debugged; its tasks stay unseen.
        tell("blind", str(error))
        found = None
    return shared, own, None if found is None else _core.TaskTable(found)
