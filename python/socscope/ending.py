"""Signals that end a command: SIGTERM and SIGHUP end it as Ctrl-C does, and what was done so far is kept."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)
SHELL_BASE = 128
STREAMS = (1, 2)


class Ended(KeyboardInterrupt):
    """The command was asked to end, by another signal than that of Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")


class _Signals:
    """What has come since the command began."""

    def __init__(self) -> None:
        self.depth = 0
        self.held = 0
        self.first: int | None = None
        self.due = False
        self.terminals: list[int] = []

    def come(self, number: int, _frame: FrameType | None) -> None:
        """Ends the command at the first signal. `timeout` and terminals send theirs twice: later ones change
        nothing, so that the command can write what it has.
        """
        self._leave_dead_terminals()
        if self.first is not None:
            return
        self.first = number
        if self.held:
            self.due = True
        else:
            raise Ended(number)

    def _leave_dead_terminals(self) -> None:
        """What is said goes nowhere when the terminal was closed; it would be an error at each word."""
        dead = [stream for stream in self.terminals if not os.isatty(stream)]
        if dead:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in dead:
                os.dup2(nowhere, stream)
            os.close(nowhere)
            self.terminals = [stream for stream in self.terminals if stream not in dead]


_SIGNALS = _Signals()


@contextmanager
def in_order() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP raise `Ended`, as Ctrl-C raises KeyboardInterrupt.

    Signals that are ignored (nohup) or that the caller handles are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    mine = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if not _SIGNALS.depth:
        _SIGNALS.first, _SIGNALS.due = None, False
        _SIGNALS.terminals = [stream for stream in STREAMS if os.isatty(stream)]
    _SIGNALS.depth += 1
    for number in mine:
        signal.signal(number, _SIGNALS.come)
    try:
        yield
    finally:
        _SIGNALS.depth -= 1
        for number in mine:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def held() -> Iterator[None]:
    """Lets what stands in it be done to its end: a signal that comes meanwhile raises `Ended` after it."""
    _SIGNALS.held += 1
    try:
        yield
    finally:
        _SIGNALS.held -= 1
    if _SIGNALS.due and not _SIGNALS.held:
        _SIGNALS.due = False
        assert _SIGNALS.first is not None
        raise Ended(_SIGNALS.first)


def reason(interrupt: KeyboardInterrupt) -> str:
    """Who wanted the end."""
    return str(interrupt) if isinstance(interrupt, Ended) else "interrupted by the user"


def status() -> int:
    """The exit status of a command that was interrupted, as shells have it: 128 and the signal's number."""
    return SHELL_BASE + (_SIGNALS.first or signal.SIGINT)
