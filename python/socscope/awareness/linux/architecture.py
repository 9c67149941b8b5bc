"""What differs between the kernels of architectures: where tasks, their registers and memory are."""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from elftools.elf.elffile import ELFFile

from socscope.awareness.description import condition
from socscope.awareness.resolve import Condition, Field, View
from socscope.errors import AwarenessError, ImageError
from socscope.image import Image
from socscope.image.types import Type

Variable = tuple[int, int, list[int]]
"""Address of a variable on the bus, distance of the kernel's addresses from those, addresses of the
instructions behind those that write it."""


class Block:
    """The control block of a task, `struct task_struct`."""

    def __init__(self, image: Image, kind: Type) -> None:
        self.image = image
        self._type = kind

    def field(self, *names: str) -> Field:
        """A member by the first of these names that there is."""
        for name in names[:-1]:
            try:
                return self.field(name)
            except AwarenessError:
                continue
        try:
            offset, kind = self._type.member(names[-1])
        except ImageError as error:
            raise AwarenessError(f"{self.image.path}: {error}") from None
        return offset, kind.size

    def behind(self, pointer: str, name: str) -> int:
        """Where a member lies in what a pointer of the control block points to."""
        try:
            return self._type.member(pointer)[1].element.member(name)[0]
        except ImageError as error:
            raise AwarenessError(f"{self.image.path}: {error}") from None

    def address(self, symbol: str) -> int:
        """The address of a symbol of the kernel."""
        try:
            return self.image.address_of(symbol)
        except ImageError as error:
            raise AwarenessError(str(error)) from None

    def when(self, place: Field, text: str) -> list[Condition]:
        """A condition on a member."""
        return [(*place, *condition(text))]


@dataclass(frozen=True)
class Architecture:
    """What is known of the kernels of one."""

    machine: str
    """What their images are built for, as ELF files call it."""
    elf_machine: int
    """The same as a number."""
    vector_bytes: int
    """A fault's number is its vector, of which exceptions have one each."""
    page_offset: Callable[[ELFFile], int]
    """Distance of the kernel's addresses from physical ones."""
    current: Callable[[Block, ELFFile], int | Variable]
    """The pointer to the task: a variable, or where the member lies to which a special register points."""
    special: int
    """Number of that register; 0 for none."""
    views: Callable[[Block], list[View]]
    """Where registers are of tasks that do not run."""
    system_calls: Mapping[int, str] = field(default_factory=dict)
    """Those that are in no table of the kernel."""


def content(elf: ELFFile, start: int, size: int) -> bytes:
    """What the file holds for addresses of the kernel; nothing where it holds nothing."""
    for section in elf.iter_sections():
        low = section["sh_addr"]
        if low and low <= start < low + section["sh_size"] and section["sh_type"] != "SHT_NOBITS":
            return bytes(section.data()[start - low : start - low + size])
    return b""


def words(elf: ELFFile, start: int, size: int) -> tuple[int, ...]:
    """The same as words."""
    found = content(elf, start, size)
    order = "<" if elf.little_endian else ">"
    return struct.unpack(f"{order}{len(found) // 4}I", found[: len(found) // 4 * 4])
