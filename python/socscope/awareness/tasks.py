"""The tasks of a running guest."""

from dataclasses import dataclass

from socscope import _core
from socscope.awareness.resolve import Table


@dataclass(frozen=True)
class Task:
    """A task as it is now."""

    address: int
    """Of its control block."""
    name: str
    state: str
    priority: int | None
    core: int | None
    """The core that it has, or on which it was interrupted."""
    numbers: dict[str, int]
    """What else is known of it: `pid` and `process`."""
    registers: dict[str, int]
    """As far as they are known."""

    @property
    def running(self) -> bool:
        """Whether it has a core, or was interrupted."""
        return self.core is not None


class Tasks:
    """Reads the tasks of a machine's operating system, whenever it is asked."""

    def __init__(self, machine: _core.Machine, table: Table) -> None:
        self._machine = machine
        self._table = _core.TaskTable(table)

    def list(self, view: str | None = None) -> list[Task]:
        """All tasks; none before the system has made them. A view says how those that do not run are seen."""
        return [Task(**row) for row in self._table.tasks(self._machine, view)]

    def running(self) -> Task | None:
        """The task that has the core, or was interrupted; of several cores, the first one that has any."""
        return next((task for task in self.list() if task.running), None)
