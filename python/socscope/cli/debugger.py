"""What a user is told while a debugger is served."""

from typing import TYPE_CHECKING

from socscope.cli.output import OUT, STATUS, print_json

if TYPE_CHECKING:
    from socscope.simulation import Simulation


class Teller:
    """Tells the user what happens at the debugger's port."""

    def __init__(self, simulation: "Simulation", *, as_json: bool) -> None:
        self._simulation = simulation
        self._as_json = as_json

    def __call__(self, kind: str, detail: str) -> None:
        """Prints one event."""
        if self._as_json:
            print_json({"event": kind, "detail": detail})
        elif kind == "listening":
            OUT.print(f"gdb: {detail}", markup=False)
            STATUS.print(call(self._simulation, detail), markup=False)
        else:
            STATUS.print(f"gdb: {kind}: {detail}", markup=False)


def call(simulation: "Simulation", address: str) -> str:
    """How GDB is called: each architecture is a process, and all but the first are attached to."""
    first, *others = processes(simulation)
    if not others:
        return f"gdb-multiarch {first} -ex 'target remote {address}'"
    commands = [f"target extended-remote {address}"]
    for number, image in enumerate(others, start=2):
        commands += [f"add-inferior{image and f' -exec {image}'}", f"inferior {number}", f"attach {number}"]
    commands += ["inferior 1", "set schedule-multiple on"]
    return " ".join([f"gdb-multiarch {first}", *(f"-ex '{command}'" for command in commands)])


def processes(simulation: "Simulation") -> list[str]:
    """The image of each process in GDB's order; empty where no core of it has one."""
    images = simulation.images
    cores = simulation.machine.cores
    found: dict[tuple[int, bool], str] = {}
    # What GDB does not know comes last, and it cannot attach to it.
    unknown = simulation.machine.unknown_to_gdb()
    known = [core for core in range(len(cores)) if core not in unknown] or [0]
    for core in known:
        machine = cores[core][1]
        image = images.of(core)
        own = core in images.owners or machine == cores[0][1]
        found.setdefault((machine, image.big_endian), str(image.path) if own else "")
    return list(found.values())
