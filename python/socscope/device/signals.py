"""Ctrl-C must not strike in the middle of a device's function: the machine could not go on."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from socscope import _core
from socscope.options import Progress


@contextmanager
def between_instructions(on_progress: Progress | None, *, devices: bool) -> Iterator[Progress | None]:
    """Holds Ctrl-C back until a place between two instructions; gives the progress function that sees it.

    A second one strikes at once: a function that never ends can be left, but its machine is of no use then.
    """
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not (devices and own and threading.current_thread() is threading.main_thread()):
        yield on_progress
        return
    waiting = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal waiting
        if waiting or not _core.in_device_call():
            signal.default_int_handler(number, frame)
        waiting = True

    def progress(cycle: int, time_ps: int) -> None:
        if waiting:
            raise KeyboardInterrupt
        if on_progress is not None:
            on_progress(cycle, time_ps)

    signal.signal(signal.SIGINT, note)
    try:
        yield progress
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
