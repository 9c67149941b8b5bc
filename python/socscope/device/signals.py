"""Signals must not strike in the middle of a device's function: the machine could not go on."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from socscope import _core
from socscope.ending import ENDING
from socscope.options import Progress

Handler = Callable[[int, FrameType | None], object]


@contextmanager
def between_instructions(on_progress: Progress | None, *, devices: bool) -> Iterator[Progress | None]:
    """Holds Ctrl-C, and signals that end a command, back until a place between two instructions; gives the
    progress function that sees them.

    A second Ctrl-C strikes at once: a function that never ends can be left, but its machine is of no use.
    """
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not (devices and own and threading.current_thread() is threading.main_thread()):
        yield on_progress
        return
    handlers: dict[int, Handler] = {}
    for one in (signal.SIGINT, *ENDING):
        handler = signal.getsignal(one)
        if callable(handler):
            handlers[one] = handler
    waiting: int | None = None

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal waiting
        again = waiting is not None and number == signal.SIGINT
        if again or not _core.in_device_call():
            handlers[number](number, frame)
        waiting = waiting or number

    def progress(cycle: int, time_ps: int) -> None:
        nonlocal waiting
        if waiting is not None:
            number, waiting = waiting, None
            handlers[number](number, None)
        if on_progress is not None:
            on_progress(cycle, time_ps)

    for number in handlers:
        signal.signal(number, note)
    try:
        yield progress
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
