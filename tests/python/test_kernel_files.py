"""Kernels that are no ELF files, made into ones."""

import struct
from io import BytesIO
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from socscope.errors import ImageError
from socscope.image import Image
from socscope.image.kernel import as_elf


def segment(elf: bytes) -> tuple[int, ...]:
    """Entry, then file offset, addresses and sizes of the only segment."""
    (entry,) = struct.unpack_from("<I", elf, 24)
    kind, *place = struct.unpack_from("<6I", elf, 52)
    assert kind == 1
    return (entry, *place)


def symbol(elf: bytes) -> tuple[str, int]:
    """The only symbol, as another reader finds it."""
    (table,) = ELFFile(BytesIO(elf)).iter_sections("SHT_SYMTAB")
    assert isinstance(table, SymbolTableSection)
    (found,) = [one for one in table.iter_symbols() if one.name]
    return found.name, found["st_value"]


def test_a_zimage_lies_32_mb_behind_the_beginning_and_has_room_to_work() -> None:
    data = bytes(0x24) + struct.pack("<I", 0x016F_2818) + bytes(100)
    elf = as_elf(data)
    size = len(data)
    assert segment(elf) == (0xC200_0000, 84, 0xC200_0000, 0xC200_0000, size, size + 0x2_0000)
    assert elf[84 : 84 + size] == data
    assert symbol(elf) == ("_magic_sig", 0xC200_0024)


def test_an_image_lies_at_0x8000_and_ends_where_a_zimage_begins() -> None:
    data = b"\x00\x00\xa0\xe1" * 8 + b"Linux version 6.1"
    elf = as_elf(data)
    assert segment(elf) == (0xC000_8000, 84, 0xC000_8000, 0xC000_8000, len(data), 0x1FF_8000)
    assert symbol(elf) == ("linux_banner", 0xC000_8020)


def test_other_files_stay_what_they_are(tmp_path: Path) -> None:
    wrapped = b"\x27\x05\x19\x56 Linux version "
    of_64_bits = bytes(0x38) + b"ARM\x64 Linux version "
    for data in (b"\x7fELF Linux version ", wrapped, of_64_bits, b"text", b""):
        assert as_elf(data) == data
    path = tmp_path / "text"
    path.write_bytes(b"hello")
    with pytest.raises(ImageError, match="not an ELF file"):
        Image.read(path)
