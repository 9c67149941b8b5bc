"""The line of a source file that an address stands for, out of the line tables of DWARF."""

from io import BytesIO

from elftools.elf.elffile import ELFFile

from socscope.image.dwarf import source_path
from socscope.image.elf import DAMAGES, Image


def line_at(image: Image, address: int) -> tuple[str, int] | None:
    """Source file and line; `None` where the image does not say, or its debug information is damaged."""
    try:
        return _line_at(ELFFile(BytesIO(image.data)), address)
    except DAMAGES:
        return None


def _line_at(elf: ELFFile, address: int) -> tuple[str, int] | None:
    if not elf.has_dwarf_info():
        return None
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        before = None
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            # A row says where its lines begin; the next one where they end.
            if before is not None and before.address <= address < state.address:
                first = 0 if program.header["version"] >= 5 else 1
                file = program.header["file_entry"][before.file - first]
                return source_path(unit, program.header, file), before.line
            before = None if state.end_sequence else state
    return None
