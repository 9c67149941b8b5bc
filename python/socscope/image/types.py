"""Where the members of C structures lie, out of DWARF."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from io import BytesIO
from itertools import chain
from typing import ParamSpec, Self, TypeVar

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.elf.elffile import ELFFile

from socscope.errors import ImageError, SocscopeError
from socscope.image.dwarf import ascending
from socscope.image.elf import Image

TRANSPARENT = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")
STRUCTURES = ("DW_TAG_structure_type", "DW_TAG_union_type")
P = ParamSpec("P")
R = TypeVar("R")


def _readable(read: Callable[P, R]) -> Callable[P, R]:
    """Says of damaged debug information that it is that."""

    @wraps(read)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(*args, **kwargs)
        except SocscopeError:
            raise
        except Exception as error:  # The reader raises anything on damage.
            raise ImageError(
                f"damaged debug information: {error or repr(error)}; build the image again"
            ) from None

    return guarded


@dataclass(frozen=True)
class Type:
    """A type in the debug information."""

    die: DIE

    @classmethod
    def of(cls, die: DIE) -> Self:
        """The type of a variable or member, names and qualifiers taken off."""
        found = die.get_DIE_from_attribute("DW_AT_type")
        met: set[int] = set()
        while found.tag in TRANSPARENT and found.offset not in met:
            met.add(found.offset)
            found = found.get_DIE_from_attribute("DW_AT_type")
        return cls(found)

    @property
    def name(self) -> str:
        """What the source calls it."""
        attribute = self.die.attributes.get("DW_AT_name")
        kind = str(self.die.tag).removeprefix("DW_TAG_").removesuffix("_type").removesuffix("ure")
        return f"{kind} {attribute.value.decode()}" if attribute else kind

    @property
    @_readable
    def size(self) -> int:
        """Bytes."""
        if self.die.tag == "DW_TAG_pointer_type":
            return int(self.die.attributes["DW_AT_byte_size"].value)
        if self.die.tag == "DW_TAG_array_type":
            return self.element.size * self.count
        return int(self.die.attributes["DW_AT_byte_size"].value)

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return self.die.tag == "DW_TAG_array_type"

    @property
    def is_pointer(self) -> bool:
        """Whether it is a pointer."""
        return self.die.tag == "DW_TAG_pointer_type"

    @property
    @_readable
    def element(self) -> "Type":
        """What an array is of, or a pointer points to."""
        return Type.of(self.die)

    @property
    @_readable
    def count(self) -> int:
        """How many elements an array has."""
        total = 1
        for child in self.die.iter_children():
            if child.tag != "DW_TAG_subrange_type":
                continue
            if "DW_AT_count" in child.attributes:
                total *= int(child.attributes["DW_AT_count"].value)
            else:
                bound = child.attributes.get("DW_AT_upper_bound")
                total *= int(bound.value) + 1 if bound else 0
        return total

    @_readable
    def member(self, path: str) -> tuple[int, "Type"]:
        """Offset and type of a member such as `object.id`; of a union too."""
        name, _, rest = path.partition(".")
        if self.die.tag not in STRUCTURES:
            raise ImageError(f"{self.name} has no members: {name} was asked for")
        for found_name, offset, found in self._members():
            if found_name != name:
                continue
            if not rest:
                return offset, found
            inner, last = found.member(rest)
            return offset + inner, last
        known = [known for known, _, _ in self._members()]
        raise ImageError(f"{self.name} has no member {name}: it has {', '.join(known)}")

    def _members(self) -> "Iterator[tuple[str, int, Type]]":
        """Name, offset and type of all members; those of a structure without a name are the outer one's."""
        for child in self.die.iter_children():
            if child.tag != "DW_TAG_member":
                continue
            attribute = child.attributes.get("DW_AT_name")
            place = child.attributes.get("DW_AT_data_member_location")
            offset = int(place.value) if place else 0
            kind = Type.of(child)
            if attribute is not None:
                yield attribute.value.decode(), offset, kind
            elif kind.die.tag in STRUCTURES:
                for name, inner, last in kind._members():
                    yield name, offset + inner, last


def _structure(unit: CompileUnit, name: str) -> Type | None:
    """A structure that the unit defines; those that it only names have no size."""
    for die in ascending(unit.get_top_DIE().iter_children(), lambda die: die.offset):
        attribute = die.attributes.get("DW_AT_name")
        named = die.tag in STRUCTURES and attribute is not None and attribute.value.decode() == name
        if named and "DW_AT_byte_size" in die.attributes:
            return Type(die)
    return None


class Types:
    """The types of an image's variables."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._elf = ELFFile(BytesIO(image.data))
        self._variables: dict[str, Type] | None = None
        self._structures: dict[str, Type] = {}

    @_readable
    def variable(self, name: str) -> Type:
        """The type of a variable with an address of its own."""
        if self._variables is None:
            self._variables = self._read()
        if name not in self._variables:
            raise ImageError(f"{self._image.path}: no debug information on {name}: compile the image with -g")
        return self._variables[name]

    @_readable
    def structure(self, name: str, source: str = "") -> Type:
        """A structure by its tag; looked for first in the unit of a source file, for speed."""
        if name not in self._structures:
            units = chain(self._units(source) if source else (), self._units(""))
            found = next(filter(None, (_structure(unit, name) for unit in units)), None)
            if found is None:
                raise ImageError(f"{self._image.path}: no debug information on struct {name}")
            self._structures[name] = found
        return self._structures[name]

    def _units(self, source: str) -> Iterator[CompileUnit]:
        """The compilation units of a source file, or all."""
        if not self._elf.has_dwarf_info():
            return
        for unit in self._elf.get_dwarf_info().iter_CUs():
            name = unit.get_top_DIE().attributes.get("DW_AT_name")
            if not source or (name and name.value.decode("utf-8", "replace").endswith(source)):
                yield unit

    def _read(self) -> dict[str, Type]:
        found: dict[str, Type] = {}
        if not self._elf.has_dwarf_info():
            return found
        dwarf = self._elf.get_dwarf_info()
        wanted = self._image.symbols
        parser = None
        for unit in dwarf.iter_CUs():
            parser = parser or DWARFExprParser(unit.structs)
            for die in ascending(unit.get_top_DIE().iter_children(), lambda die: die.offset):
                if die.tag != "DW_TAG_variable" or "DW_AT_location" not in die.attributes:
                    continue
                described = die
                if "DW_AT_specification" in die.attributes:
                    described = die.get_DIE_from_attribute("DW_AT_specification")
                name = described.attributes.get("DW_AT_name")
                place = die.attributes["DW_AT_location"]
                if name is None or place.form != "DW_FORM_exprloc":
                    continue
                text = name.value.decode()
                expression = parser.parse_expr(place.value)
                fixed = expression and expression[0].op_name == "DW_OP_addr"
                # Variables that the linker threw away keep their entries.
                if fixed and expression[0].args[0] in wanted.get(text, []):
                    found.setdefault(text, Type.of(described))
        return found
