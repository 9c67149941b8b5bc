"""Marks that the guest does not set itself: at addresses of its code, and at what devices do."""

import re
from typing import TYPE_CHECKING

from socscope import _core
from socscope.clear import clear_errors
from socscope.errors import OptionError
from socscope.record.manifest import Begin, MarkPoint

if TYPE_CHECKING:
    from socscope.images import Images

# Those of magic instructions lie below.
FIRST_NUMBER = 256
NUMBER_MAX = (1 << 32) - 1


class Marking:
    """The part of a simulation that sets marks; it changes nothing of what the guest does."""

    machine: _core.Machine
    mark_points: tuple[MarkPoint, ...]
    """Where marks are set, and since when; forks go on with them, checkpoint files do not hold them."""

    if TYPE_CHECKING:

        @property
        def images(self) -> Images:
            """The images of all cores."""

        def _here(self) -> Begin: ...

    def mark_at(self, place: str | int, number: int | None = None) -> int:
        """Sets a mark whenever a core executes the instruction at a symbol or address, from here on.

        Its argument is that of a function which begins there: r0 on ARM, r3 on PowerPC, before it executes.
        Gives the marks' number, by default the first one from 256 on that is free. An address is one that
        programs use, in whatever process.
        """
        text = f"{place:#x}" if isinstance(place, int) else place
        address, cores = self.images.place_of(text)
        point = self._point("address", text, number)
        self.machine.mark_address(point.number, text, address, cores)
        return self._marked(point)

    def mark_on(self, event: str, number: int | None = None) -> int:
        """Sets a mark whenever a device does something, from here on.

        `DEVICE:REGISTER` is an access of a core, `DEVICE:REGISTER:read` and `:write` one way only; the mark's
        argument is the value. `CONTROLLER:interrupt` is an interrupt that becomes pending at a controller,
        `CONTROLLER:interrupt:SOURCE` that of one source, by its number or the name of the input; the mark's
        argument is the source. Gives the marks' number.
        """
        device, *rest = event.split(":")
        if not device or len(rest) not in (1, 2) or not all(rest):
            raise OptionError(
                f"{event}: no event: write DEVICE:REGISTER, DEVICE:REGISTER:read, DEVICE:REGISTER:write, "
                "CONTROLLER:interrupt or CONTROLLER:interrupt:SOURCE"
            )
        point = self._point("device", event, number)
        with clear_errors():
            self.machine.mark_device(point.number, event, device, *rest)
        return self._marked(point)

    def mark_again(self, point: MarkPoint) -> None:
        """Sets the marks of a record's point."""
        (self.mark_at if point.source == "address" else self.mark_on)(point.place, point.number)

    def _point(self, source: str, place: str, number: int | None) -> MarkPoint:
        taken = {point.number for point in self.mark_points}
        if number is None:
            number = next(free for free in range(FIRST_NUMBER, NUMBER_MAX) if free not in taken)
        if not 0 <= number <= NUMBER_MAX:
            raise OptionError(f"{place}: marks have numbers from 0 to {NUMBER_MAX}, not {number}")
        return MarkPoint(source=source, place=place, number=number, since=self._here())

    def _marked(self, point: MarkPoint) -> int:
        self.mark_points = (*self.mark_points, point)
        return point.number


def numbered(text: str) -> tuple[int | None, str]:
    """Number and place of `7=main` or `main`, as they stand in a command."""
    found = re.fullmatch(r"(\d+)=(.*)", text)
    return (int(found[1]), found[2]) if found else (None, text)
