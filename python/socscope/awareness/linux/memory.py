"""Memory as a kernel sees it, read from outside without moving anything."""

from typing import Literal

from socscope import _core
from socscope.errors import AwarenessError


class Memory:
    """Reads kernel addresses: those of all memory directly, the others by the kernel's page table."""

    def __init__(
        self, machine: _core.Machine, table: _core.TaskTable, byteorder: Literal["little", "big"]
    ) -> None:
        self._machine = machine
        self._table = table
        self._order = byteorder

    def word(self, address: int) -> int:
        """A word of the kernel's memory."""
        return int.from_bytes(self.bytes(address, 4), self._order)

    def bytes(self, address: int, size: int) -> bytes:
        """Bytes of the kernel's memory.

        Raises AwarenessError where the kernel has no memory.
        """
        found = self._table.peek(self._machine, address, size)
        if len(found) != size:
            at = address + len(found)
            raise AwarenessError(f"the kernel points to {at:#x}, where no memory is")
        return found

    def text(self, address: int, size: int) -> str:
        """A text that ends with a zero or after so many bytes."""
        return self.bytes(address, size).split(b"\0")[0].decode("utf-8", "replace")
