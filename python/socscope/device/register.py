"""Registers and their fields, as a class declares them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, overload

from socscope.errors import DeviceError

if TYPE_CHECKING:
    from socscope.device.device import Device

Access = Literal["read-write", "read-only", "write-only"]
OnWrite = Literal["set", "one-clears", "one-sets", "effect"]

WORD = 0xFFFF_FFFF


@dataclass(frozen=True)
class Field:
    """Bits of a register: from `lsb`, `width` of them. Without fields a register's bits are all alike.

    What a write does: `set` them to what is written, or the ones in it clear or set them, or only the
    register's `effect` changes them.
    """

    name: str
    lsb: int
    width: int = 1
    access: Access | None = None
    on_write: OnWrite = "set"
    read_clears: bool = False
    summary: str = ""

    @property
    def mask(self) -> int:
        """The field's bits in the word."""
        return ((1 << self.width) - 1) << self.lsb


class Word(int):
    """A register's value. Its fields are attributes: `self.STATUS.BUSY`."""

    _fields: Mapping[str, Field]

    def __new__(cls, value: int, fields: Mapping[str, Field]) -> Self:
        """A value with fields."""
        word = super().__new__(cls, value)
        word._fields = fields
        return word

    def __getattr__(self, name: str) -> int:
        """The value of a field."""
        return (int(self) & self._field(name).mask) >> self._field(name).lsb

    def replaced(self, **fields: int) -> "Word":
        """The word with other values in some fields."""
        value = int(self)
        for name, content in fields.items():
            field = self._field(name)
            if not 0 <= content < 1 << field.width:
                raise DeviceError(f"field {name} has {field.width} bits: {content} does not fit")
            value = value & ~field.mask | content << field.lsb
        return Word(value, self._fields)

    def _field(self, name: str) -> Field:
        fields = self.__dict__.get("_fields", {})
        if name not in fields:
            raise AttributeError(f"no field is called {name}; there are: {', '.join(fields) or 'none'}")
        found: Field = fields[name]
        return found


class AnyRegister:
    """What a register and an array of registers have in common."""

    count = 1
    stride = 0

    def __init__(
        self,
        offset: int,
        *,
        access: Access = "read-write",
        reset: int = 0,
        fields: Iterable[Field] = (),
        group: str = "data",
        summary: str = "",
        writable: int | None = None,
    ) -> None:
        self.name = ""
        self.number = -1
        self.offset = offset
        self.access = access
        self.reset = reset
        self.fields = {field.name: field for field in fields}
        self.group = group
        self.summary = summary
        self.writable = WORD if writable is None else writable
        self._check()

    def _check(self) -> None:
        seen = 0
        for name, field in self.fields.items():
            if field.lsb < 0 or field.width < 1 or field.lsb + field.width > 32:
                raise DeviceError(f"field {name}: bits {field.lsb} to {field.lsb + field.width - 1} of 32")
            if field.mask & seen:
                raise DeviceError(f"field {name} shares bits with another one")
            seen |= field.mask
        if not (0 <= self.offset <= WORD and 0 <= self.reset <= WORD):
            raise DeviceError(f"register at {self.offset:#x}: offset and reset value are words of 32 bits")

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name that the class gives."""
        self.name = self.name or name

    def word(self, value: object) -> Word:
        """A value with this register's fields."""
        assert isinstance(value, int)
        return Word(value, self.fields)

    def bits(self, kind: str) -> int:
        """The bits of a kind: readable, writable, one_clears, one_sets or read_clears."""
        if not self.fields:
            whole = {
                "readable": WORD if self.access != "write-only" else 0,
                "writable": self.writable if self.access != "read-only" else 0,
            }
            return whole.get(kind, 0)
        return sum(field.mask for field in self.fields.values() if self._has(field, kind))

    def _has(self, field: Field, kind: str) -> bool:
        access = field.access or self.access
        writable = access != "read-only" and self.access != "read-only"
        match kind:
            case "readable":
                return access != "write-only" and self.access != "write-only"
            case "writable":
                return writable and field.on_write == "set"
            case "one_clears":
                return writable and field.on_write == "one-clears"
            case "one_sets":
                return writable and field.on_write == "one-sets"
            case _:
                return field.read_clears


class Register(AnyRegister):
    """A register of 32 bits at an offset. In an instance it is the register's value."""

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: "Device", owner: type) -> Word: ...
    def __get__(self, instance: "Device | None", owner: type) -> "Self | Word":
        """The register's value; in the class the register itself."""
        if instance is None:
            return self
        return self.word(instance.read_value("register", self.name))

    def __set__(self, instance: "Device", value: int) -> None:
        """Sets the value, without effects."""
        instance.write_value("register", self.name, int(value))


class Words:
    """The values of an array of registers in an instance."""

    def __init__(self, instance: "Device", array: "RegisterArray") -> None:
        self._instance = instance
        self._array = array

    def __len__(self) -> int:
        return self._array.count

    def __getitem__(self, index: int) -> Word:
        if not 0 <= index < len(self):
            raise IndexError(f"{self._array.name} has {len(self)} registers; there is none of index {index}")
        return self._array.word(self._instance.read_value("register", self._array.name, index))

    def __setitem__(self, index: int, value: int) -> None:
        if not 0 <= index < len(self):
            raise IndexError(f"{self._array.name} has {len(self)} registers; there is none of index {index}")
        self._instance.write_value("register", self._array.name, int(value), index)

    def __iter__(self) -> Iterator[Word]:
        return (self[index] for index in range(len(self)))


class RegisterArray(AnyRegister):
    """`count` registers, `stride` bytes apart. In an instance it is indexed."""

    def __init__(
        self,
        offset: int,
        count: int,
        *,
        stride: int = 4,
        access: Access = "read-write",
        reset: int = 0,
        fields: Iterable[Field] = (),
        group: str = "data",
        summary: str = "",
        writable: int | None = None,
    ) -> None:
        super().__init__(
            offset,
            access=access,
            reset=reset,
            fields=fields,
            group=group,
            summary=summary,
            writable=writable,
        )
        if count < 1 or stride < 4:
            raise DeviceError(f"array at {offset:#x}: at least 1 register, at least 4 bytes apart")
        self.count = count
        self.stride = stride

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: "Device", owner: type) -> Words: ...
    def __get__(self, instance: "Device | None", owner: type) -> "Self | Words":
        """The registers' values; in the class the array itself."""
        return self if instance is None else Words(instance, self)

    def __set__(self, instance: "Device", value: object) -> None:
        """Refuses: members are set by index."""
        raise DeviceError(f"{self.name} is an array: set a member, {self.name}[0] = ...")
