"""Time travel: a machine goes back to any time of its history, and forward again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from socscope.clear import clear_errors
from socscope.errors import OptionError
from socscope.options import duration

if TYPE_CHECKING:
    from socscope.simulation import Simulation

INTERVAL_MS = 10
BUDGET_MB = 256

# Called now and then with the simulated time in ps that is being searched.
Searched = Callable[[int], None]
Access = Literal["read", "write", "access"]


@dataclass(frozen=True)
class Place:
    """Where a machine stands: the instruction at `pc` is next."""

    time_ps: int
    cycle: int
    pc: int
    function: str
    source: str | None


@dataclass(frozen=True)
class Found(Place):
    """The last access to something, or the last call of something.

    The machine stands before the instruction; an access by DMA comes within it. `by` is `core` or the name of
    a device. `old` and `new` are what stood at the address before and after: none for a call.
    """

    address: int
    by: str
    direction: Literal["read", "write", "call"]
    old: int | None
    new: int | None


class History:
    """The history of a simulation, from the moment at which it was asked for.

    Everything that is said to the machine while it stands in the past, and every change of its memory,
    discards the recorded future: from there it takes another course.
    """

    def __init__(self, simulation: Simulation, interval: str, budget_mb: int) -> None:
        length = duration(interval)
        if length.unit != "ps" or length.count == 0:
            raise OptionError(
                f"{interval!r}: the states of a history lie a time apart; write for instance 10ms"
            )
        if budget_mb < 0:
            raise OptionError(f"a budget of {budget_mb} MB: give 0 or more")
        self._simulation = simulation
        self._machine = simulation.machine
        self._machine.history_start(length.count, budget_mb << 20)

    @property
    def begin_ps(self) -> int:
        """When the history begins."""
        return self._machine.history_span()[0]

    @property
    def present_ps(self) -> int:
        """The present: the latest time that the machine has been to."""
        return self._machine.history_span()[1]

    @property
    def in_past(self) -> bool:
        """Whether the machine stands in the past."""
        return self._machine.history_span()[2]

    @property
    def changes(self) -> int:
        """How often the past was changed."""
        return self._machine.history_span()[3]

    @property
    def states(self) -> tuple[int, int]:
        """How many states are kept, and roughly the bytes that they take."""
        return self._machine.history_size()

    def here(self) -> Place:
        """Where the machine stands."""
        return Place(*self._here())

    def goto(self, time: str | int) -> Place:
        """Goes to a time since power-on: `12.5ms`, `1e6cycles`, or a number of ps."""
        with clear_errors():
            if isinstance(time, int):
                self._machine.history_goto(time)
            elif (at := duration(time)).unit == "ps":
                self._machine.history_goto(at.count)
            else:
                self._machine.history_goto_cycle(at.count)
        return self.here()

    def present(self) -> Place:
        """Goes back to the present."""
        with clear_errors():
            self._machine.history_present()
        return self.here()

    def back(self, steps: int = 1) -> Place:
        """Goes instructions back, at most to the beginning; the entry of an exception counts as one."""
        with clear_errors():
            for _ in range(steps):
                if not self._machine.history_back():
                    break
        return self.here()

    def step(self, steps: int = 1) -> Place:
        """Goes instructions forward; beyond the present too."""
        with clear_errors():
            for _ in range(steps):
                self._machine.step()
        return self.here()

    def last_write(
        self, what: str | int, size: int | None = None, *, on_progress: Searched | None = None
    ) -> Found | None:
        """Goes back to the last write to a variable, an address or a device register.

        Without one the machine goes to the beginning of the history and the answer is none.
        """
        return self._last_access(what, size, "write", on_progress)

    def last_read(
        self, what: str | int, size: int | None = None, *, on_progress: Searched | None = None
    ) -> Found | None:
        """The same with reads."""
        return self._last_access(what, size, "read", on_progress)

    def last_access(
        self, what: str | int, size: int | None = None, *, on_progress: Searched | None = None
    ) -> Found | None:
        """The same with both."""
        return self._last_access(what, size, "access", on_progress)

    def last_call(self, what: str | int, *, on_progress: Searched | None = None) -> Found | None:
        """Goes back to the last time that the instruction at a symbol or an address was executed."""
        with clear_errors():
            address, cores = self._place(what)
            found = self._machine.history_back_to([address], [], on_progress, cores)
        if found.kind == "begin":
            return None
        return Found(*self._here(), found.address or 0, "core", "call", None, None)

    def _last_access(
        self, what: str | int, size: int | None, access: Access, on_progress: Searched | None
    ) -> Found | None:
        address, _ = self._place(what)
        if size is None:
            size = self._size(what)
        if size <= 0:
            raise OptionError(f"{size} bytes from {address:#x} on: give at least one")
        with clear_errors():
            found = self._machine.history_back_to([], [(address, size, access)], on_progress)
        if found.kind == "begin" or found.direction is None:
            return None
        # The machine stands before the access of the core whose turn it is. DMA has the first one's order.
        core = 0 if found.device else self._machine.turn
        image = self._simulation.images.of(core)
        order: Literal["little", "big"] = "big" if image.big_endian else "little"
        old, new = (int.from_bytes(data, order) if data else None for data in (found.old, found.new))
        by = found.device or "core"
        return Found(*self._here(), found.address or 0, by, found.direction, old, new)

    def _place(self, what: str | int) -> tuple[int, tuple[int, ...]]:
        """An address, and the cores whose code is meant; none is all."""
        if isinstance(what, str):
            named = self._simulation.images.named(what)
            return named.address, named.cores
        if not 0 <= what < 1 << 32:
            raise OptionError(f"{what:#x}: not an address of 32 bits")
        return what, ()

    def _size(self, what: str | int) -> int:
        if not isinstance(what, str):
            return 4
        image = self._simulation.images.named(what).image
        return image.sizes.get(what.rpartition(":")[2], image.sizes.get(what, 4))

    def _here(self) -> tuple[int, int, int, str, str | None]:
        machine = self._machine
        image = self._simulation.images.of(machine.turn)
        pc = machine.pc
        nominal = machine.nominal_address(pc)
        function = image.function_at(nominal)
        origin = function.origin if function else None
        source = f"{origin.source}:{origin.line}" if origin and origin.line else None
        return machine.time_ps, machine.cycle, pc, image.describe(nominal), source
