"""Marks for the functions of a device."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# Where a mark is kept in its function: kind and register.
MARK = "_socscope_effect"


def on_read(register: str) -> Callable[[F], F]:
    """The function gives what the core reads: `def f(self, context)`; None stands for the register's value.

    For an array it is `def f(self, index, context)`.
    """
    return _mark("read", register)


def on_write(register: str) -> Callable[[F], F]:
    """The function acts after a write: `def f(self, value, context)`.

    For an array it is `def f(self, index, value, context)`.
    """
    return _mark("write", register)


def event(function: F) -> F:
    """The function can be scheduled.

    It is `def f(self, argument, context)`, and somewhere else `context.schedule(self.f, cycles=5)`.
    """
    setattr(function, MARK, ("event", ""))
    return function


def _mark(kind: str, register: str) -> Callable[[F], F]:
    def mark(function: F) -> F:
        setattr(function, MARK, (kind, register))
        return function

    return mark
