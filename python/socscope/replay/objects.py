"""What two images left in the variables that both name."""

import bisect
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

from elftools.elf.elffile import ELFFile

from socscope import _core
from socscope.image import Image

SHF_WRITE, SHF_ALLOC = 1, 2
WORD_BYTES = 4
BYTES_SHOWN = 16
TEXT_BYTES_MAX = 64

Place = tuple[str, int | bytes]
Meaning = bytes | Place


@dataclass(frozen=True)
class Left:
    """Variables that were compared, and those that differ: name, byte, and what each run left there."""

    compared: int
    bytes_compared: int
    changed: list[tuple[str, int, str, str]]
    only_first: int
    only_second: int


@dataclass(frozen=True)
class _Section:
    name: str
    start: int
    end: int
    writable: bool


@dataclass(frozen=True)
class Memory:
    """The memory of a machine as its image names it."""

    image: Image
    machine: _core.Machine

    @cached_property
    def _elf(self) -> ELFFile:
        return ELFFile(BytesIO(self.image.data))

    @cached_property
    def _sections(self) -> list[_Section]:
        return [
            _Section(
                section.name,
                section["sh_addr"],
                section["sh_addr"] + section["sh_size"],
                bool(section["sh_flags"] & SHF_WRITE),
            )
            for section in self._elf.iter_sections()
            if section["sh_flags"] & SHF_ALLOC and section["sh_size"]
        ]

    def _section_of(self, address: int) -> _Section | None:
        return next((one for one in self._sections if one.start <= address < one.end), None)

    @cached_property
    def _objects(self) -> list[tuple[int, int, str]]:
        """Start, end and name of all variables and constants that have a name of their own."""
        found = []
        for name, size in self.image.sizes.items():
            places = set(self.image.symbols.get(name, []))
            if len(places) == 1:
                start = places.pop()
                found.append((start, start + size, name))
        return sorted(found)

    @cached_property
    def variables(self) -> dict[str, tuple[int, int]]:
        """Address and size of each variable that the program can write, and whose name is its alone."""
        return {
            name: (start, end - start)
            for start, end, name in self._objects
            if (section := self._section_of(start)) and section.writable
        }

    def meaning(self, word: bytes) -> Meaning:
        """What a word says: the place in the program that it points to, or its value."""
        if len(word) < WORD_BYTES:
            return word
        value = int.from_bytes(word, "little" if self._elf.little_endian else "big")
        return self.place(value) or word

    def place(self, value: int) -> Place | None:
        """The place in the program that an address is, as another image would have it elsewhere."""
        section = self._section_of(value)
        if section is None:
            return None
        if function := self.image.function_at(value):
            return (function.name, value - function.start)
        number = bisect.bisect_right(self._objects, (value, 1 << 64, "")) - 1
        if number >= 0 and value < self._objects[number][1]:
            return (self._objects[number][2], value - self._objects[number][0])
        if section.writable:
            return (section.name, value - section.start)
        # A constant without a name, mostly a text: what it says counts, not where it is.
        return (section.name, self.machine.peek(value, TEXT_BYTES_MAX, 0).partition(b"\0")[0])


def compare_variables(first: Memory, second: Memory) -> Left:
    """Compares variables by name, where both images have one of that name and size.

    A word that is an address within an image counts as what it points to: code and variables lie elsewhere in
    another image.
    """
    one, other = first.variables, second.variables
    shared = sorted(name for name in one if name in other and one[name][1] == other[name][1])
    changed = []
    for name in shared:
        size = one[name][1]
        contents = first.machine.peek(one[name][0], size, 0), second.machine.peek(other[name][0], size, 0)
        at = _first_difference(first, second, *contents)
        if at is not None:
            changed.append((name, at, _shown(contents[0], at), _shown(contents[1], at)))
    total = sum(one[name][1] for name in shared)
    return Left(len(shared), total, changed, len(one) - len(shared), len(other) - len(shared))


def _first_difference(first: Memory, second: Memory, one: bytes, other: bytes) -> int | None:
    if one == other:
        return None
    for at in range(0, max(len(one), len(other)), WORD_BYTES):
        word, counterpart = one[at : at + WORD_BYTES], other[at : at + WORD_BYTES]
        if word != counterpart and first.meaning(word) != second.meaning(counterpart):
            return next(at + n for n in range(WORD_BYTES) if word[n : n + 1] != counterpart[n : n + 1])
    return None


def _shown(content: bytes, at: int) -> str:
    piece = content[at : at + BYTES_SHOWN]
    more = " ..." if len(content) > at + BYTES_SHOWN else ""
    return f"{piece.hex(' ')}{more}" if piece else "not mapped"
