"""Bounds of loops in routines that compilers bring along: arithmetic of libgcc, memory and strings of newlib.

They stand in `library.toml`, by symbol and by a hash of the routine's instructions, so that another version
of a routine is not bounded by what was found for this one.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from socscope.image import Image
from socscope.sheet.formula import Formula

ARM_BRANCH, ARM_BRANCHES = 0x0A000000, 0x0E000000
THUMB_CALL, THUMB_SECOND, THUMB_HALF = 0xF000, 0x0800, 0xF800
ARGUMENTS = ("r0", "r1", "r2", "r3")


@dataclass(frozen=True)
class Runs:
    """How often the head of a loop runs at most: a number, or one for each so many bytes and some more."""

    each: int
    """Bytes that one run handles; 0 where their number does not matter."""
    more: int

    def formula(self, length: Formula) -> Formula:
        """The number of runs for a number of bytes."""
        return Formula.parse(f"({length})//{self.each}") + self.more if self.each else Formula(self.more)


@dataclass(frozen=True)
class Routine:
    """A routine as it stands in one library."""

    names: tuple[str, ...]
    thumb: bool
    size_bytes: int
    shape: str
    size: int | None
    """The argument register that has the number of bytes; None where no register has it."""
    loops: Mapping[int, Runs]
    """By the offset of the head."""

    @property
    def by_length(self) -> bool:
        """Whether its time depends on how many bytes it handles."""
        return any(runs.each for runs in self.loops.values())


@dataclass(frozen=True)
class Found:
    """A routine in an image."""

    name: str
    start: int
    routine: Routine

    def holds(self, address: int) -> bool:
        """Whether an address is in it."""
        return self.start <= address < self.start + self.routine.size_bytes


@cache
def routines() -> tuple[Routine, ...]:
    """All routines that are known."""
    content = tomllib.loads(Path(__file__).with_name("library.toml").read_text(encoding="utf-8"))
    return tuple(_routine(one) for one in content["routine"])


def _routine(given: Mapping[str, Any]) -> Routine:
    loops = {
        int(offset, 16): Runs(runs.get("each", 0), runs.get("more", 0))
        if isinstance(runs, dict)
        else Runs(0, runs)
        for offset, runs in given["loops"].items()
    }
    size = ARGUMENTS.index(given["size"]) if "size" in given else None
    return Routine(tuple(given["names"]), given["thumb"], given["bytes"], given["shape"], size, loops)


def found(image: Image, constants: Sequence[tuple[int, bytes]]) -> list[Found]:
    """The routines that are in an image, as they are known; `constants` is its code, by address."""
    all_found: dict[int, Found] = {}
    for one in routines():
        for name in one.names:
            for start in {symbol & ~1 for symbol in image.symbols.get(name, ())}:
                if start not in all_found and shape(constants, start, one) == one.shape:
                    all_found[start] = Found(name, start, one)
    return list(all_found.values())


def shape(constants: Sequence[tuple[int, bytes]], start: int, routine: Routine) -> str:
    """A hash of the instructions from an address on, without what linking changes; empty where none are."""
    for address, content in constants:
        if address <= start < address + len(content):
            code = content[start - address :][: routine.size_bytes]
            return hashlib.sha256(b"".join(_steady(code, routine.thumb))).hexdigest()[:32]
    return ""


def _steady(code: bytes, thumb: bool) -> Iterator[bytes]:
    """Instructions, without the distance to other routines."""
    size = 2 if thumb else 4
    words = [int.from_bytes(code[at : at + size], "little") for at in range(0, len(code), size)]
    for at, word in enumerate(words):
        steady = word
        if not thumb and word & ARM_BRANCHES == ARM_BRANCH:
            distance = (word & 0xFFFFFF ^ 0x800000) - 0x800000
            if not 0 <= at + 2 + distance < len(words):
                steady = word & ~0xFFFFFF
        elif thumb and (word & THUMB_HALF in (THUMB_CALL, THUMB_CALL | THUMB_SECOND)):
            steady = word & THUMB_HALF
        yield steady.to_bytes(size, "little")
