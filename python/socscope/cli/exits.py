"""How commands that run an image end."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import typer

from socscope import ending
from socscope.cli.output import STATUS, Exit

if TYPE_CHECKING:
    from socscope.simulation import Outcome

OF_RUNS = [
    Exit.DONE,
    Exit.ERROR,
    Exit.USAGE,
    Exit.GUEST_CRASHED,
    Exit.NOT_REACHED,
    Exit.GUEST_PANICKED,
    Exit.MEMORY_LIMIT,
    Exit.HANGUP,
    Exit.INTERRUPTED,
    Exit.TERMINATED,
]
"""The statuses of commands that run an image."""

AWAITED = ("address", "output", "mark")


def told(statuses: Collection[Exit]) -> str:
    """The statuses as the end of a command's help."""
    return "Exit status: " + "; ".join(f"{one.value} {one.meaning}" for one in statuses) + "."


def of_run(outcome: "Outcome", awaited: Collection[str | int]) -> Exit:
    """The status of a run that was told to stop at these things other than a time."""
    kind = outcome.stop.kind
    if outcome.crash is not None:
        return Exit.GUEST_CRASHED
    if kind == "panic":
        return Exit.GUEST_PANICKED
    if kind == "interrupted":
        return Exit(ending.status())
    if kind == "memory":
        return Exit.MEMORY_LIMIT
    return Exit.NOT_REACHED if awaited and kind not in AWAITED else Exit.DONE


def end(outcome: "Outcome", awaited: Collection[str | int] = ()) -> None:
    """Ends a command whose run did not end as it was meant to, and says why."""
    status = of_run(outcome, awaited)
    if status is Exit.DONE:
        return
    if outcome.crash is not None:
        STATUS.print(outcome.crash, markup=False, style="red")
    elif status is Exit.GUEST_PANICKED:
        STATUS.print(f"The guest panicked: {outcome.stop.detail}", markup=False, style="red")
    elif status is Exit.NOT_REACHED:
        what = " or ".join(repr(one) for one in awaited)
        STATUS.print(f"{what} was awaited and did not come: {outcome.stop.detail}", markup=False, style="red")
    raise typer.Exit(status)
