"""What a simulation shows of its Linux kernel, whenever it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from socscope import _core
from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.linux.memory import Memory
from socscope.awareness.linux.modules import Module, modules
from socscope.awareness.linux.table import table
from socscope.image import Image

NO_IMAGES: Mapping[str, Image] = {}


@dataclass(frozen=True)
class LinuxTask:
    """A thread of a process; the kernel's own have no memory of their own."""

    address: int
    """Of its `struct task_struct`."""
    pid: int
    tgid: int
    name: str
    state: str
    """`running`, `ready`, `sleeping`, `uninterruptible`, `idle` (a kernel's worker), `stopped`, `traced`,
    `parked`, `zombie` or `dead`."""
    core: int | None
    """The core that it has, or on which it was interrupted."""


class Linux:
    """Reads the lists of a machine's kernel, from its memory."""

    def __init__(self, machine: _core.Machine, kernel: Kernel) -> None:
        self.kernel = kernel
        self._machine = machine

    @cached_property
    def _table(self) -> _core.TaskTable:
        return _core.TaskTable(table(self.kernel))

    def tasks(self) -> list[LinuxTask]:
        """All threads that there are now, those of a process behind each other.

        The idle task of the first core comes first; those of other cores are there while they run.
        """
        return [
            LinuxTask(
                address=row["address"],
                pid=row["numbers"]["pid"],
                tgid=row["numbers"]["process"],
                name=row["name"],
                state=row["state"],
                core=row["core"],
            )
            for row in self._table.tasks(self._machine)
        ]

    def modules(self) -> list[Module]:
        """The modules that are loaded now."""
        order: Literal["little", "big"] = "big" if self.kernel.image.big_endian else "little"
        return modules(self.kernel, Memory(self._machine, self._table, order))

    def describe(self, address: int, images: Mapping[str, Image] = NO_IMAGES) -> str:
        """`function+offset` for an address in the kernel, or in a module whose file is given by its name."""
        for module in self.modules():
            if module.name in images:
                found = module.describe(address, images[module.name])
                if found is not None:
                    return found
        return self.kernel.image.describe(address)
