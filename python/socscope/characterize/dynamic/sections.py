"""Which section of the sheet an address belongs to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Self

import numpy as np
from elftools.elf.elffile import ELFFile

from socscope.characterize.dynamic.trace import Column
from socscope.characterize.services import Kind
from socscope.errors import CharacterizeError
from socscope.image import Image
from socscope.sheet.model import Section as SheetSection

SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
NOWHERE = "unmapped"


@dataclass(frozen=True)
class Range:
    """Addresses of one section. Where ranges overlap the one with the highest rank counts."""

    start: int
    end: int
    name: str
    kind: Kind
    rank: int


@dataclass(frozen=True)
class Sections:
    """Sections by address: those of the linker, groups that a description makes of them, devices, and what is
    left of memories.
    """

    starts: Column
    numbers: Column
    names: tuple[str, ...]
    ranges: tuple[Range, ...]

    @classmethod
    def of(
        cls,
        image: Image,
        regions: Iterable[Mapping[str, Any]],
        members: Mapping[str, Sequence[str]],
        kinds: Mapping[str, Kind],
    ) -> Self:
        """The sections of an image on a machine with these regions; groups are sections or symbols."""
        linked = linker_sections(image)
        # What the first core alone sees lies over what all share, and so comes first.
        seen = [region for region in regions if region.get("core") in {None, 0}]
        ranges = [_of_region(region) for region in sorted(seen, key=lambda one: one.get("core") is None)]
        ranges += linked
        for group, listed in members.items():
            for member in listed:
                ranges += _members(image, linked, group, member)
        for name in kinds:
            if all(one.name != name for one in ranges):
                known = ", ".join(sorted({one.name for one in ranges}))
                raise CharacterizeError(f"sections.kinds: no section is called {name}; there are {known}")
        ranges = [
            Range(one.start, one.end, one.name, kinds.get(one.name, one.kind), one.rank) for one in ranges
        ]
        return cls._flat(ranges)

    @classmethod
    def _flat(cls, ranges: list[Range]) -> Self:
        names = (*dict.fromkeys(one.name for one in ranges), NOWHERE)
        starts = sorted({0} | {one.start for one in ranges} | {one.end for one in ranges})
        numbers = []
        for start in starts:
            holding = [one for one in ranges if one.start <= start < one.end]
            best = max(holding, key=lambda one: one.rank, default=None)
            numbers.append(names.index(best.name if best else NOWHERE))
        return cls(np.array(starts), np.array(numbers), names, tuple(ranges))

    def at(self, addresses: Column) -> Column:
        """Numbers of the sections, as in `names`."""
        return self.numbers[np.searchsorted(self.starts, addresses, side="right") - 1]

    def for_sheet(self, used: Iterable[str]) -> list[SheetSection]:
        """The sections that are used, by address."""
        found = []
        for name in dict.fromkeys(used):
            mine = [one for one in self.ranges if one.name == name]
            if not mine:
                found.append(SheetSection(name=name, kind="data"))
                continue
            start = min(one.start for one in mine)
            size = sum(one.end - one.start for one in mine)
            found.append(SheetSection(name=name, kind=mine[0].kind, start=start, size=size))
        return sorted(found, key=lambda one: (one.start is None, one.start, one.name))


def linker_sections(image: Image) -> list[Range]:
    """What the image's sections occupy when it runs."""
    found = []
    for section in ELFFile(BytesIO(image.data)).iter_sections():
        flags, size, start = (section.header[name] for name in ("sh_flags", "sh_size", "sh_addr"))
        if flags & SHF_ALLOC and size:
            found.append(Range(start, start + size, section.name, _kind(section.name, flags), 2))
    return found


def _kind(name: str, flags: int) -> Kind:
    if flags & SHF_EXECINSTR:
        return "code"
    if not flags & SHF_WRITE:
        return "constants"
    if "stack" in name:
        return "stack"
    return "heap" if "heap" in name else "data"


def _of_region(region: Mapping[str, Any]) -> Range:
    start, end = region["start"], region["start"] + region["size"]
    if region["kind"] in ("ram", "rom"):
        return Range(start, end, f"{region['name']} (outside of sections)", "data", 0)
    return Range(start, end, region["name"], "device", 1)


def _members(image: Image, linked: Sequence[Range], group: str, member: str) -> list[Range]:
    """The ranges of a group's member: a linker section or a variable."""
    found = [one for one in linked if one.name == member]
    if found:
        return [Range(one.start, one.end, group, one.kind, 3) for one in found]
    if member in image.symbols and member in image.sizes:
        start = image.address_of(member)
        around = [one.kind for one in linked if one.start <= start < one.end]
        kind: Kind = around[0] if around else "data"
        return [Range(start, start + image.sizes[member], group, kind, 4)]
    known = ", ".join(one.name for one in linked)
    raise CharacterizeError(
        f"{image.path}: sections.{group}: {member} is neither a section nor a variable of the image; "
        f"its sections are {known}"
    )
