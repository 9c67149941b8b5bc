"""What all commands share: where text goes, how errors end them."""

import functools
import json
import sys
from collections.abc import Callable
from enum import IntEnum
from typing import Annotated, Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from socscope import ending, shown
from socscope.errors import OptionError, SocscopeError

WIDTH_OF_PIPES = 200


class _Console(Console):
    """Shows text as it is: no markup, no names of emoji, nothing that acts on the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 - passed on.
        """Text that is printed, or stands in a table."""
        return super().render_str(shown.text(text.replace("\r\n", "\n")), **options)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    # A pipe has no width; tables are not folded for it.
    width = None if stream.isatty() else WIDTH_OF_PIPES
    return _Console(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False, width=width)


OUT = _console(stderr=False)
STATUS = _console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

P = ParamSpec("P")
R = TypeVar("R")


class Exit(IntEnum):
    """Exit statuses of all commands, each with its meaning."""

    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> "Exit":
        """A status with its meaning."""
        status = int.__new__(cls, value)
        status._value_ = value
        status.meaning = meaning
        return status

    DONE = 0, "the command did what it was asked to"
    ERROR = 1, "a file, a name or what it says is wrong; the message says which"
    USAGE = 2, "the command line does not fit"
    GUEST_CRASHED = 3, "the guest crashed: it can never go on"
    DIFFERENT = 4, "what was compared is different"
    DEADLINE_MISSED = 5, "a deadline can be missed"
    NOT_REACHED = 6, "the run ended before what --until, --until-output or --until-mark awaits"
    GUEST_PANICKED = 7, "the guest's kernel panicked: its console says so"
    MEMORY_LIMIT = 8, "the memory limit was reached; what was counted up to there is kept"
    HANGUP = 129, "the terminal went away (SIGHUP)"
    INTERRUPTED = 130, "Ctrl-C (SIGINT)"
    TERMINATED = 143, "ended from outside (SIGTERM)"


def command(function: Callable[P, R]) -> Callable[P, R]:
    """Ends a command with a clear message and its exit code instead of a traceback."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with ending.in_order():
                return function(*args, **kwargs)
        except SocscopeError as error:
            STATUS.print(f"socscope: {error}", markup=False, style="red")
            is_usage = isinstance(error, OptionError)
            raise typer.Exit(Exit.USAGE if is_usage else Exit.ERROR) from None
        except KeyboardInterrupt as interrupt:
            STATUS.print(f"socscope: {ending.reason(interrupt)}", markup=False, style="red")
            raise typer.Exit(ending.status()) from None
        except MemoryError:
            text = "no memory is left for the result; allow the process more, or run for a shorter time"
            STATUS.print(f"socscope: {text}", markup=False, style="red")
            raise typer.Exit(Exit.MEMORY_LIMIT) from None
        except BrokenPipeError:
            # The reader of our output has gone; that is no error of ours. Python would complain at exit.
            sys.stderr.close()
            raise typer.Exit(Exit.ERROR) from None
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            STATUS.print(f"socscope: {place}{error.strerror or error}", markup=False, style="red")
            raise typer.Exit(Exit.ERROR) from None

    return guarded


def print_json(value: object) -> None:
    """Prints a value as JSON; bytes as text where they are text."""
    print(json.dumps(value, indent=2, default=_plain))  # noqa: T201 - the command's result.


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a table can hold.
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)
