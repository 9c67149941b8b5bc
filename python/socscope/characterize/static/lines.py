"""Source lines of addresses, and what was compiled into other functions, out of DWARF."""

import bisect
import posixpath
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.elffile import ELFFile

from socscope.image import Image
from socscope.image.dwarf import _join as joined
from socscope.image.dwarf import _spans as spans
from socscope.image.dwarf import _text as text

BODIES = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine")


@dataclass
class Lines:
    """Lines by address, and the ranges of functions, those that were compiled into others included."""

    starts: list[int] = field(default_factory=list)
    rows: list[tuple[str, int] | None] = field(default_factory=list)
    bodies: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, image: Image) -> "Lines":
        """The lines of an image; empty without debug information."""
        return _lines(_Key(image))

    def at(self, address: int) -> str:
        """`file:line` of an address; empty where nothing is known."""
        place = bisect.bisect_right(self.starts, address) - 1
        row = self.rows[place] if place >= 0 else None
        return f"{row[0]}:{row[1]}" if row else ""

    def code(self, file: str, line: int) -> list[tuple[int, int]]:
        """All code of a line, as first addresses and those behind the last; the file is a path's end."""
        wanted = f"/{file}"
        rows = zip(self.starts, self.rows, [*self.starts[1:], None], strict=True)
        return [
            (start, end)
            for start, row, end in rows
            if end is not None and row and row[1] == line and f"/{row[0]}".endswith(wanted)
        ]

    def _unit(self, dwarf: DWARFInfo, unit: CompileUnit) -> dict[int, tuple[str, int] | None]:
        folder = text(unit.get_top_DIE(), "DW_AT_comp_dir")
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            return {}
        files, folders = program.header["file_entry"], program.header["include_directory"]
        first = 0 if program.header["version"] >= 5 else 1
        found: dict[int, tuple[str, int] | None] = {}
        names: dict[int, str] = {}
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if state.file not in names:
                one = files[state.file - first]
                inside = one.dir_index - (0 if first == 0 else 1)
                where = folders[inside].decode("utf-8", "replace") if 0 <= inside < len(folders) else ""
                path = posixpath.join(where, one.name.decode("utf-8", "replace"))
                names[state.file] = joined(folder, path)
            # Only the end of a sequence may not replace what begins there.
            if state.end_sequence:
                found.setdefault(state.address, None)
            elif state.line:
                found[state.address] = (names[state.file], state.line)
        return found

    def _bodies(self, dwarf: DWARFInfo, unit: CompileUnit, die: DIE) -> None:
        for child in die.iter_children():
            if child.tag in BODIES:
                named = child
                for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
                    if attribute in named.attributes and "DW_AT_name" not in named.attributes:
                        named = named.get_DIE_from_attribute(attribute)
                if name := text(named, "DW_AT_name"):
                    self.bodies.setdefault(name, []).extend(spans(dwarf, unit, child))
            if child.has_children:
                self._bodies(dwarf, unit, child)


class _Key:
    """An image, told from others by its hash."""

    def __init__(self, image: Image) -> None:
        self.image = image

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.image.sha256 == self.image.sha256

    def __hash__(self) -> int:
        return hash(self.image.sha256)


@lru_cache(maxsize=4)
def _lines(key: _Key) -> Lines:
    elf = ELFFile(BytesIO(key.image.data))
    found = Lines()
    if not elf.has_dwarf_info():
        return found
    dwarf = elf.get_dwarf_info()
    rows: dict[int, tuple[str, int] | None] = {}
    for unit in dwarf.iter_CUs():
        for address, row in found._unit(dwarf, unit).items():
            # What the linker threw away keeps its lines, at addresses near 0.
            if row or address not in rows:
                rows[address] = row
        found._bodies(dwarf, unit, unit.get_top_DIE())
    found.starts = sorted(rows)
    found.rows = [rows[start] for start in found.starts]
    return found
