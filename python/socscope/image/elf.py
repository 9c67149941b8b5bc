"""Functions of an ELF image, by the addresses at which they run."""

import bisect
import hashlib
import struct
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Self

from elftools.common.exceptions import ELFError, ELFParseError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from socscope.errors import ImageError
from socscope.image.dwarf import Origin, Sources
from socscope.image.kernel import as_elf

SHF_EXECINSTR = 0x4
ADDRESS_MAX = (1 << 32) - 1
SHN_UNDEF = 0
STB_LOCAL = 0
STT_NOTYPE, STT_OBJECT, STT_FUNC = 0, 1, 2
# Name, value, size, info, other, section; the larger class has them in another order.
SYMBOL_FORMATS = {32: "IIIBBH", 64: "IBBHQQ"}
DAMAGES = (
    ELFError,
    ELFParseError,
    LookupError,
    ValueError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    TypeError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True)
class Section:
    """An executable section."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Origins:
    """Where an image's functions come from; read when first asked for, as nothing takes longer."""

    path: Path
    data: bytes = field(repr=False)
    of_all: Origin | None = None
    """The origin of all functions, where it is known without looking."""

    @cached_property
    def sources(self) -> Sources:
        """The origins that the debug information gives."""
        try:
            elf = ELFFile(BytesIO(self.data))
        except DAMAGES as error:
            return Sources(damage=str(error) or repr(error))
        return Sources.read(elf)


@dataclass(frozen=True)
class Function:
    """A function: a range of addresses with one name. `id` is its place in the order of addresses."""

    id: int
    name: str
    start: int
    end: int
    section: str
    thumb: bool
    origins: Origins = field(repr=False, compare=False)

    @property
    def origin(self) -> Origin:
        """Source file and line."""
        return self.origins.of_all or self.origins.sources.at(self.start, self.name)

    @classmethod
    def outside(
        cls, number: int, name: str, source: str, *, start: int = 0, size: int = 0, section: str = ""
    ) -> Self:
        """Code that is not the image's own."""
        origins = Origins(Path(), b"", Origin(source))
        return cls(number, name, start, start + size, section, False, origins)

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
    is_object: bool
    is_global: bool
    thumb: bool

    @property
    def code_size(self) -> int:
        """Bytes that it says to have, as code: a variable has none."""
        return 0 if self.is_object else self.size

    def rank(self) -> tuple[bool, bool, bool, int, str]:
        """Order of symbols at one address: the first one names the function."""
        underscores = len(self.name) - len(self.name.lstrip("_"))
        return (not self.is_function, self.code_size == 0, not self.is_global, underscores, self.name)


@dataclass(frozen=True, repr=False)
class Image:
    """An ELF image with its functions, disjoint and sorted by address."""

    path: Path
    data: bytes
    functions: list[Function]
    symbols: dict[str, list[int]]
    sections: list[Section]
    # Bytes of variables, by their symbols; the largest where several have the same name.
    sizes: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Image({str(self.path)!r}, {len(self.data)} bytes, {len(self.functions)} functions)"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads an ELF file, or a kernel of Linux for ARM that is none."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ImageError(f"{path}: cannot be read: {error.strerror}") from None
        return cls.parse(path, as_elf(data))

    @classmethod
    def parse(cls, path: Path, data: bytes) -> Self:
        """Reads the content of an ELF file; `path` is what errors call it."""
        if data[:4] != b"\x7fELF":
            raise ImageError(f"{path}: not an ELF file (it begins with {data[:4].hex(' ') or 'nothing'})")
        try:
            elf = ELFFile(BytesIO(data))
            sections = _sections(elf)
            symbols = _symbols(elf)
        except DAMAGES as error:
            raise _damaged(path, error) from None
        named: dict[str, list[int]] = {}
        for symbol in symbols:
            named.setdefault(symbol.name, []).append(symbol.start)
        functions = _functions(symbols, sections, Origins(path, data))
        return cls(path, data, functions, named, sections, _sizes(symbols))

    @cached_property
    def machine(self) -> str:
        """The architecture, as ELF calls it: EM_ARM, EM_PPC; a number where ELF has no name."""
        return str(ELFFile(BytesIO(self.data)).header["e_machine"])

    @cached_property
    def big_endian(self) -> bool:
        """Whether words are stored with the most significant byte first."""
        return not ELFFile(BytesIO(self.data)).little_endian

    @cached_property
    def sha256(self) -> str:
        """Hash of the file."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def _starts(self) -> list[int]:
        return [function.start for function in self.functions]

    @property
    def damage(self) -> str:
        """What is wrong with the debug information, so that functions lack sources; empty if nothing is."""
        origins = self.functions[0].origins if self.functions else None
        if origins is None or not origins.sources.damage:
            return ""
        return (
            f"{self.path.name}: damaged debug information ({origins.sources.damage}): functions have no "
            "source files, and rules for layers that name sources do not find them; build the image again"
        )

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


def _damaged(path: Path, error: Exception) -> ImageError:
    return ImageError(f"{path}: damaged or truncated ELF file: {error or type(error).__name__}")


def _sections(elf: ELFFile) -> list[Section]:
    found = []
    for section in elf.iter_sections():
        header = section.header
        if header["sh_flags"] & SHF_EXECINSTR and header["sh_size"]:
            start = header["sh_addr"]
            found.append(Section(section.name, start, start + header["sh_size"]))
    return sorted(found, key=lambda section: section.start)


def _symbols(elf: ELFFile) -> list[_Symbol]:
    """All symbols that name something; unpacked at once, as there are thousands."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return []
    is_arm = elf.header["e_machine"] == "EM_ARM"
    names = table.stringtable.data()
    order = "<" if elf.little_endian else ">"
    found = []
    for entry in struct.iter_unpack(order + SYMBOL_FORMATS[elf.elfclass], table.data()):
        if elf.elfclass == 32:
            place, value, size, info, _, section = entry
        else:
            place, info, _, section, value, size = entry
        kind, is_global = info & 0xF, info >> 4 != STB_LOCAL
        if kind not in (STT_NOTYPE, STT_OBJECT, STT_FUNC) or section == SHN_UNDEF:
            continue
        name = names[place : names.index(0, place)].decode("utf-8", "replace")
        # $a, $t and $d say what follows them; they name nothing.
        if not name or name.startswith("$"):
            continue
        thumb = is_arm and kind == STT_FUNC and bool(value & 1)
        start = value & ~1 if thumb else value
        found.append(_Symbol(name, start, size, kind == STT_FUNC, kind == STT_OBJECT, is_global, thumb))
    return found


def _sizes(symbols: list[_Symbol]) -> dict[str, int]:
    found: dict[str, int] = {}
    for symbol in symbols:
        if symbol.is_object and symbol.size:
            found[symbol.name] = max(symbol.size, found.get(symbol.name, 0))
    return found


def _functions(symbols: list[_Symbol], sections: list[Section], origins: Origins) -> list[Function]:
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
            if start < sized_end and not symbol.code_size:
                continue
            kept.append(symbol)
            if symbol.code_size:
                sized_end = start + symbol.code_size
        for place, symbol in enumerate(kept):
            limit = kept[place + 1].start if place + 1 < len(kept) else section.end
            end = min(symbol.start + symbol.code_size, limit) if symbol.code_size else limit
            found.append(Function(0, symbol.name, symbol.start, end, section.name, symbol.thumb, origins))
    found.sort(key=lambda function: function.start)
    # Sections of a damaged image may overlap, or lie where no core of 32 bits gets.
    nexts = [*(function.start for function in found[1:]), ADDRESS_MAX]
    disjoint = [
        replace(function, end=min(function.end, end, ADDRESS_MAX))
        for function, end in zip(found, nexts, strict=False)
    ]
    placed = [function for function in disjoint if function.start < function.end]
    return [replace(function, id=place) for place, function in enumerate(placed)]
