"""Kernels of Linux for ARM that are no ELF files: zImage, which unpacks itself, and Image, plain memory.

They are made into ELF files that say where they lie and where they begin, so that others deal with one kind
of file. Positions follow the kernel's `Documentation/arm/booting.rst`, as offsets behind the start of memory.
Addresses have 0xc0000000 before them, where kernels are linked for; the boot loader knows such addresses.
"""

import struct

LINKED_FOR = 0xC000_0000
# Where the kernel itself begins, and where a zImage need not move before it unpacks the kernel.
IMAGE_OFFSET = 0x8000
ZIMAGE_OFFSET = 0x200_0000
# What a zImage uses behind its end: variables, stack, heap.
ZIMAGE_WORK_BYTES = 0x2_0000

ZIMAGE_MAGIC = struct.pack("<I", 0x016F_2818)
ZIMAGE_MAGIC_AT = 0x24
BANNER = b"Linux version "
# What is none of these kernels though it names Linux: a wrapper of U-Boot, a kernel of 64 bits.
FOREIGN = [(0, b"\x27\x05\x19\x56"), (0x38, b"ARM\x64")]

# Names that the same things have in the kernel's own ELF files.
ZIMAGE_SYMBOL = "_magic_sig"
IMAGE_SYMBOL = "linux_banner"

_FILE_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_PROGRAM_HEADER = struct.Struct("<8I")
_SECTION_HEADER = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")


def as_elf(data: bytes) -> bytes:
    """The content of an ELF file for a kernel that is none; any other content as it is."""
    if data[:4] == b"\x7fELF":
        return data
    if data[ZIMAGE_MAGIC_AT : ZIMAGE_MAGIC_AT + 4] == ZIMAGE_MAGIC:
        address = LINKED_FOR + ZIMAGE_OFFSET
        return _elf(data, address, len(data) + ZIMAGE_WORK_BYTES, (ZIMAGE_SYMBOL, address + ZIMAGE_MAGIC_AT))
    foreign = any(data[at : at + len(magic)] == magic for at, magic in FOREIGN)
    banner = -1 if foreign else data.find(BANNER)
    if banner >= 0:
        address = LINKED_FOR + IMAGE_OFFSET
        # How much it needs behind its end only its ELF file says: what is handed over comes behind all of it.
        size = max(len(data), ZIMAGE_OFFSET - IMAGE_OFFSET)
        return _elf(data, address, size, (IMAGE_SYMBOL, address + banner))
    return data


def _elf(content: bytes, address: int, memory_bytes: int, symbol: tuple[str, int]) -> bytes:
    """One segment that is entered at its beginning, and one symbol."""
    name, value = symbol
    names = b"\0" + name.encode() + b"\0"
    symbols = _SYMBOL.pack(0, 0, 0, 0, 0, 0) + _SYMBOL.pack(1, value, 0, 0x11, 0, 0xFFF1)
    content_at = _FILE_HEADER.size + _PROGRAM_HEADER.size
    symbols_at = content_at + len(content)
    names_at = symbols_at + len(symbols)
    sections_at = names_at + len(names)
    identification = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    header = _FILE_HEADER.pack(
        identification, 2, 40, 1, address, _FILE_HEADER.size, sections_at, 0x0500_0200,
        _FILE_HEADER.size, _PROGRAM_HEADER.size, 1, _SECTION_HEADER.size, 3, 2,
    )  # fmt: skip
    segment = _PROGRAM_HEADER.pack(1, content_at, address, address, len(content), memory_bytes, 7, 4)
    sections = (
        _SECTION_HEADER.pack(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        + _SECTION_HEADER.pack(0, 2, 0, 0, symbols_at, len(symbols), 2, 1, 4, _SYMBOL.size)
        + _SECTION_HEADER.pack(0, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    )
    return header + segment + content + symbols + names + sections
