"""Memory as a 32-bit PowerPC kernel sees it, read from outside without moving anything."""

from collections.abc import Callable
from typing import Literal

from socscope.awareness.linux.kernel import Kernel
from socscope.errors import AwarenessError

PAGE_BYTES = 4096
# A page directory's entry stands for so many bytes: 1024 pages.
REACH_BYTES = 1 << 22
PRESENT = 1


class Memory:
    """Reads kernel addresses: those of all memory directly, the others by the kernel's page table."""

    def __init__(
        self, kernel: Kernel, peek: Callable[[int, int], bytes], byteorder: Literal["little", "big"]
    ) -> None:
        """`peek` reads physical memory, as `Machine.peek` does, and gives less where nothing is."""
        self._offset = kernel.page_offset
        self._directory = kernel.image.address_of("swapper_pg_dir") - self._offset
        self._peek = peek
        self._order = byteorder

    def word(self, address: int) -> int:
        """A word of the kernel's memory."""
        return int.from_bytes(self.bytes(address, 4), self._order)

    def bytes(self, address: int, size: int) -> bytes:
        """Bytes of the kernel's memory.

        Raises AwarenessError where the kernel has no memory.
        """
        found = b""
        while len(found) < size:
            at = address + len(found)
            part = min(size - len(found), PAGE_BYTES - at % PAGE_BYTES)
            read = self._peek(self._physical(at), part)
            if len(read) != part:
                raise AwarenessError(f"the kernel points to {at:#x}, where no memory is")
            found += read
        return found

    def text(self, address: int, size: int) -> str:
        """A text that ends with a zero or after so many bytes."""
        return self.bytes(address, size).split(b"\0")[0].decode("utf-8", "replace")

    def _physical(self, address: int) -> int:
        """By the page table, which has modules and the like, or directly, as blocks translate the rest."""
        entry = self._entry(address)
        if entry & PRESENT:
            return (entry & -PAGE_BYTES) + address % PAGE_BYTES
        if address < self._offset:
            raise AwarenessError(f"the kernel points to {address:#x}, which is not its own")
        return address - self._offset

    def _entry(self, address: int) -> int:
        directory = int.from_bytes(self._peek(self._directory + address // REACH_BYTES * 4, 4), self._order)
        table = directory & -PAGE_BYTES
        if not table:
            return 0
        return int.from_bytes(self._peek(table + address // PAGE_BYTES % 1024 * 4, 4), self._order)
