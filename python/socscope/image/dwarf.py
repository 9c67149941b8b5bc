"""Where functions come from: source file and line out of DWARF."""

import bisect
import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry, RangeEntry
from elftools.elf.elffile import ELFFile

PROJECT = f"{Path(__file__).parents[3]}/"
LANGUAGE_ASSEMBLER = 0x8001
T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Origin:
    """Source file and line; empty and 0 where the image does not say."""

    source: str = ""
    line: int = 0


@dataclass
class Sources:
    """Origins by function, and ranges of the assembler's units, whose functions have no entries."""

    functions: dict[tuple[int, str], Origin] = field(default_factory=dict)
    ranges: list[tuple[int, int, str]] = field(default_factory=list)
    damage: str = ""
    """What is wrong with the debug information, where not all of it could be read."""

    @classmethod
    def read(cls, elf: ELFFile) -> Self:
        """Collects the origins of an image; one without debug information has none.

        Where it is damaged, what stands before the damage, and in sound units behind it, is kept: an image
        runs without it.
        """
        found = cls()
        try:
            if not elf.has_dwarf_info():
                return found
            dwarf = elf.get_dwarf_info()
            for unit in ascending(dwarf.iter_CUs(), lambda unit: unit.cu_offset):
                try:
                    found._read_unit(dwarf, unit)
                except Exception as error:  # The reader raises anything on damage, and none of it matters.
                    found.damage = found.damage or f"unit at {unit.cu_offset:#x}: {error or repr(error)}"
        except Exception as error:
            found.damage = found.damage or f"{error or repr(error)}"
        found.ranges.sort()
        return found

    def at(self, address: int, name: str) -> Origin:
        """The origin of the function that starts at the address.

        The name must fit: functions that the linker threw away keep their entries, at addresses near 0.
        """
        # The compiler's variants of a function, such as main.cold, carry its name in the debug information.
        for known in (name, name.partition(".")[0]):
            if (address, known) in self.functions:
                return self.functions[address, known]
        place = bisect.bisect_right(self.ranges, (address, 1 << 64, "")) - 1
        if place >= 0:
            start, end, source = self.ranges[place]
            if start <= address < end:
                return Origin(source)
        return Origin()

    def _read_unit(self, dwarf: DWARFInfo, unit: CompileUnit) -> None:
        top = unit.get_top_DIE()
        folder, name = _text(top, "DW_AT_comp_dir"), _text(top, "DW_AT_name")
        source = _join(folder, name)
        language = top.attributes.get("DW_AT_language")
        if language is not None and language.value == LANGUAGE_ASSEMBLER:
            self.ranges += [(start, end, source) for start, end in _spans(dwarf, unit, top)]
            return
        files = _own_files(dwarf, unit, posixpath.basename(name))
        for die in ascending(top.iter_children(), lambda die: die.offset):
            span = _span(die) if die.tag == "DW_TAG_subprogram" else None
            if span is None:
                continue
            described = die
            for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
                if attribute in die.attributes and "DW_AT_decl_file" not in described.attributes:
                    described = die.get_DIE_from_attribute(attribute)
            number, line = (described.attributes.get(f"DW_AT_decl_{what}") for what in ("file", "line"))
            # A line counts within the unit's own file; the declaration may stand in a header.
            own = bool(number and line and number.value in files)
            origin = Origin(source, line.value if own and line else 0)
            self.functions[span[0], _text(described, "DW_AT_name")] = origin


def ascending(entries: Iterable[T], offset: Callable[[T], int]) -> Iterator[T]:
    """The entries, which must come in their order: damaged ones can lead back, and would never end."""
    last = -1
    for entry in entries:
        if offset(entry) <= last:
            raise ValueError(f"the entry at {last:#x} leads back to {offset(entry):#x}")
        last = offset(entry)
        yield entry


def _text(die: DIE, attribute: str) -> str:
    found = die.attributes.get(attribute)
    return found.value.decode("utf-8", "replace") if found else ""


def _join(folder: str, name: str) -> str:
    """A path without `.` and `..`, relative to the project when it lies in it.

    Builds that map the project's folder to `.` write all paths relative to it, not to the unit's folder.
    """
    if not name:
        return ""
    mapped = not folder.startswith("/") and name.startswith("./")
    path = posixpath.normpath(name if mapped else posixpath.join(folder, name))
    return path.removeprefix(PROJECT)


def source_path(unit: CompileUnit, header: Any, file: Any) -> str:  # noqa: ANN401 - pyelftools' containers.
    """The path of an entry of a unit's line table."""
    top = unit.get_top_DIE()
    folders = [folder.decode("utf-8", "replace") for folder in header["include_directory"]]
    if header["version"] < 5:
        # Folder 0 is that of the unit.
        folders.insert(0, "")
    folder = folders[file.dir_index] if file.dir_index < len(folders) else ""
    name = posixpath.join(folder, file.name.decode("utf-8", "replace"))
    return _join(_text(top, "DW_AT_comp_dir"), name)


def _span(die: DIE) -> tuple[int, int] | None:
    low, high = die.attributes.get("DW_AT_low_pc"), die.attributes.get("DW_AT_high_pc")
    if low is None or high is None:
        return None
    # From DWARF 4 on the upper end may be a length.
    end = high.value if high.form == "DW_FORM_addr" else low.value + high.value
    start = low.value & ~1
    return (start, end) if end > start else None


def _spans(dwarf: DWARFInfo, unit: CompileUnit, die: DIE) -> Iterator[tuple[int, int]]:
    if span := _span(die):
        yield span
    ranges, lists = die.attributes.get("DW_AT_ranges"), dwarf.range_lists()
    if ranges is None or lists is None:
        return
    # Ranges are relative to the unit, or to what the list last named.
    low = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    base = low.value if low else 0
    for entry in lists.get_range_list_at_offset(ranges.value, unit):
        if isinstance(entry, BaseAddressEntry):
            base = entry.base_address
        elif isinstance(entry, RangeEntry):
            offset = 0 if entry.is_absolute else base
            yield entry.begin_offset + offset, entry.end_offset + offset


def _own_files(dwarf: DWARFInfo, unit: CompileUnit, name: str) -> set[int]:
    """The numbers under which the unit's own file stands in its line table."""
    program = dwarf.line_program_for_CU(unit)
    if program is None:
        return set()
    # They begin with 0 from DWARF 5 on.
    first = 0 if program.header["version"] >= 5 else 1
    entries = enumerate(program.header["file_entry"], start=first)
    return {number for number, entry in entries if entry.name.decode("utf-8", "replace") == name}
