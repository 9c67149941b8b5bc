"""How far a command is, where the total is known."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from socscope.cli.output import STATUS

# Called with the share that is done, 0 to 1.
Update = Callable[[float], None]


@contextmanager
def share(what: str, *, quiet: bool) -> Iterator[Update]:
    """Shows a bar on a terminal, nothing elsewhere."""
    if quiet or not STATUS.is_terminal:
        yield lambda _share: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=STATUS, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda done: bar.update(task, completed=min(done, 1.0))
