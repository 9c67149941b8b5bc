"""Functions of an ELF image, by the addresses at which they run."""

import bisect
import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from elftools.common.exceptions import DWARFError, ELFError, ELFParseError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from socscope.errors import ImageError
from socscope.image.dwarf import Origin, Sources

SHF_EXECINSTR = 0x4


@dataclass(frozen=True)
class Section:
    """An executable section."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Function:
    """A function: a range of addresses with one name. `id` is its place in the order of addresses."""

    id: int
    name: str
    start: int
    end: int
    section: str
    thumb: bool
    origin: Origin

    @property
    def size(self) -> int:
        """Bytes from the first address to the last."""
        return self.end - self.start


@dataclass(frozen=True)
class _Symbol:
    name: str
    start: int
    size: int
    is_function: bool
    is_global: bool
    thumb: bool

    def rank(self) -> tuple[bool, bool, bool, int, str]:
        """Order of symbols at one address: the first one names the function."""
        underscores = len(self.name) - len(self.name.lstrip("_"))
        return (not self.is_function, self.size == 0, not self.is_global, underscores, self.name)


@dataclass(frozen=True)
class Image:
    """An ELF image with its functions, disjoint and sorted by address."""

    path: Path
    data: bytes
    functions: list[Function]
    symbols: dict[str, list[int]]
    sections: list[Section] = field(repr=False)
    # Bytes of variables, by their symbols; the largest where several have the same name.
    sizes: dict[str, int] = field(repr=False, default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads an ELF file."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ImageError(f"{path}: cannot be read: {error.strerror}") from None
        return cls.parse(path, data)

    @classmethod
    def parse(cls, path: Path, data: bytes) -> Self:
        """Reads the content of an ELF file; `path` is what errors call it."""
        if data[:4] != b"\x7fELF":
            raise ImageError(f"{path}: not an ELF file (it begins with {data[:4].hex(' ') or 'nothing'})")
        try:
            elf = ELFFile(BytesIO(data))
            sections = _sections(elf)
            symbols = _symbols(elf)
            sizes = _sizes(elf)
            sources = Sources.read(elf)
        except (
            ELFError,
            ELFParseError,
            DWARFError,
            KeyError,
            ValueError,
            IndexError,
            AttributeError,
            TypeError,
        ) as error:
            raise ImageError(
                f"{path}: damaged or truncated ELF file: {error or type(error).__name__}"
            ) from None
        named: dict[str, list[int]] = {}
        for symbol in symbols:
            named.setdefault(symbol.name, []).append(symbol.start)
        return cls(path, data, _functions(symbols, sections, sources), named, sections, sizes)

    @cached_property
    def sha256(self) -> str:
        """Hash of the file."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def _starts(self) -> list[int]:
        return [function.start for function in self.functions]

    def function_at(self, address: int) -> Function | None:
        """The function that holds the address."""
        place = bisect.bisect_right(self._starts, address) - 1
        if place >= 0 and address < self.functions[place].end:
            return self.functions[place]
        return None

    def describe(self, address: int) -> str:
        """`function+offset` for the address, or the address alone."""
        function = self.function_at(address)
        if function is None:
            return f"{address:#010x}"
        offset = address - function.start
        return f"{function.name}+{offset:#x}" if offset else function.name

    def address_of(self, name: str) -> int:
        """The address of a symbol, the Thumb bit removed; `0x...` is taken as it is."""
        if name.lower().startswith("0x"):
            try:
                address = int(name, 16)
            except ValueError:
                address = -1
            if not 0 <= address < 1 << 32:
                raise ImageError(f"{name}: not a hexadecimal address of 32 bits")
            return address
        found = sorted(set(self.symbols.get(name, [])))
        if len(found) == 1:
            return found[0]
        if found:
            places = ", ".join(f"{address:#x}" for address in found)
            raise ImageError(f"{self.path}: symbol {name} has several addresses ({places}); give one of them")
        near = [known for known in self.symbols if name.lower() in known.lower()][:3]
        hint = f"; it has {', '.join(near)}" if near else ""
        raise ImageError(f"{self.path}: no symbol {name}{hint}")


def _sections(elf: ELFFile) -> list[Section]:
    found = []
    for section in elf.iter_sections():
        header = section.header
        if header["sh_flags"] & SHF_EXECINSTR and header["sh_size"]:
            start = header["sh_addr"]
            found.append(Section(section.name, start, start + header["sh_size"]))
    return sorted(found, key=lambda section: section.start)


def _sizes(elf: ELFFile) -> dict[str, int]:
    table = elf.get_section_by_name(".symtab")
    found: dict[str, int] = {}
    if isinstance(table, SymbolTableSection):
        for symbol in table.iter_symbols():
            entry: Any = symbol.entry
            if entry["st_info"]["type"] == "STT_OBJECT" and entry["st_size"]:
                found[symbol.name] = max(entry["st_size"], found.get(symbol.name, 0))
    return found


def _symbols(elf: ELFFile) -> list[_Symbol]:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return []
    is_arm = elf.header["e_machine"] == "EM_ARM"
    found = []
    for symbol in table.iter_symbols():
        entry: Any = symbol.entry
        kind, section = entry["st_info"]["type"], entry["st_shndx"]
        # $a, $t and $d say what follows them; they name nothing.
        if kind not in ("STT_FUNC", "STT_NOTYPE", "STT_OBJECT") or section == "SHN_UNDEF":
            continue
        if not symbol.name or symbol.name.startswith("$"):
            continue
        is_function = kind == "STT_FUNC"
        value = entry["st_value"]
        thumb = is_arm and is_function and bool(value & 1)
        found.append(
            _Symbol(
                symbol.name,
                value & ~1 if thumb else value,
                entry["st_size"] if kind != "STT_OBJECT" else 0,
                is_function,
                entry["st_info"]["bind"] != "STB_LOCAL",
                thumb,
            )
        )
    return found


def _functions(symbols: list[_Symbol], sections: list[Section], sources: Sources) -> list[Function]:
    found: list[Function] = []
    for section in sections:
        inside = [s for s in symbols if section.start <= s.start < section.end and s.name != ""]
        best: dict[int, _Symbol] = {}
        for symbol in sorted(inside, key=_Symbol.rank):
            best.setdefault(symbol.start, symbol)
        starts = sorted(best)
        sized_end = 0
        kept: list[_Symbol] = []
        for start in starts:
            symbol = best[start]
            # A label is part of the function before it; a global one only where that states its size.
            if not symbol.is_function and kept and (start < sized_end or not symbol.is_global):
                continue
            if start < sized_end and not symbol.size:
                continue
            kept.append(symbol)
            if symbol.size:
                sized_end = start + symbol.size
        for place, symbol in enumerate(kept):
            limit = kept[place + 1].start if place + 1 < len(kept) else section.end
            end = min(symbol.start + symbol.size, limit) if symbol.size else limit
            origin = sources.at(symbol.start, symbol.name)
            found.append(Function(0, symbol.name, symbol.start, end, section.name, symbol.thumb, origin))
    found.sort(key=lambda function: function.start)
    return [replace(function, id=place) for place, function in enumerate(found)]
