"""Where functions come from: source file and line out of DWARF."""

import bisect
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.elffile import ELFFile


@dataclass(frozen=True, order=True)
class Origin:
    """Source file and line; empty and 0 where the image does not say."""

    source: str = ""
    line: int = 0


@dataclass
class Sources:
    """Origins by address: exact starts of functions first, ranges of compilation units for the rest."""

    functions: dict[int, Origin] = field(default_factory=dict)
    ranges: list[tuple[int, int, str]] = field(default_factory=list)

    @classmethod
    def read(cls, elf: ELFFile) -> Self:
        """Collects the origins of an image; one without debug information has none."""
        found = cls()
        if not elf.has_dwarf_info():
            return found
        dwarf = elf.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            found._read_unit(dwarf, unit)
        found.ranges.sort()
        return found

    def at(self, address: int) -> Origin:
        """The origin of the function that starts at the address."""
        if address in self.functions:
            return self.functions[address]
        place = bisect.bisect_right(self.ranges, (address, 1 << 64, "")) - 1
        if place >= 0:
            start, end, source = self.ranges[place]
            if start <= address < end:
                return Origin(source)
        return Origin()

    def _read_unit(self, dwarf: DWARFInfo, unit: CompileUnit) -> None:
        top = unit.get_top_DIE()
        folder, name = _text(top, "DW_AT_comp_dir"), _text(top, "DW_AT_name")
        unit_source = _join(folder, name)
        files = _files(dwarf, unit, folder, name)
        if span := _span(top):
            self.ranges.append((*span, unit_source))
        for die in _subprograms(top):
            span = _span(die)
            if span is None:
                continue
            described = die
            for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
                if attribute in die.attributes and "DW_AT_decl_file" not in described.attributes:
                    described = die.get_DIE_from_attribute(attribute)
            number = described.attributes.get("DW_AT_decl_file")
            line = described.attributes.get("DW_AT_decl_line")
            source = files.get(number.value, unit_source) if number else unit_source
            self.functions[span[0]] = Origin(source, line.value if line else 0)
            self.ranges.append((*span, source))


def _subprograms(top: DIE) -> Iterator[DIE]:
    return (die for die in top.iter_children() if die.tag == "DW_TAG_subprogram")


def _text(die: DIE, attribute: str) -> str:
    found = die.attributes.get(attribute)
    return found.value.decode("utf-8", "replace") if found else ""


def _join(folder: str, name: str) -> str:
    """A path with `.` and `..` taken out; relative to the project when the build mapped its prefix away."""
    return posixpath.normpath(posixpath.join(folder, name)) if name else ""


def _span(die: DIE) -> tuple[int, int] | None:
    low, high = die.attributes.get("DW_AT_low_pc"), die.attributes.get("DW_AT_high_pc")
    if low is None or high is None:
        return None
    # From DWARF 4 on the upper end may be a length.
    end = high.value if high.form == "DW_FORM_addr" else low.value + high.value
    start = low.value & ~1
    return (start, end) if end > start else None


def _files(dwarf: DWARFInfo, unit: CompileUnit, folder: str, name: str) -> dict[int, str]:
    program = dwarf.line_program_for_CU(unit)
    if program is None:
        return {}
    header = program.header
    version = header["version"]
    folders = [_decode(entry) for entry in header["include_directory"]]
    if version < 5:
        folders = [folder, *folders]
    paths = {}
    for place, entry in enumerate(header["file_entry"]):
        number = place if version >= 5 else place + 1
        directory = folders[entry.dir_index] if entry.dir_index < len(folders) else ""
        paths[number] = _join(posixpath.join(folder, directory), _decode(entry.name))
    if version >= 5 and not paths:
        paths[0] = _join(folder, name)
    return paths


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")
