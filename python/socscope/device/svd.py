"""Register tables from CMSIS-SVD, the chip makers' format."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socscope import reading
from socscope.device.register import WORD, Access, AnyRegister, Field, OnWrite, Register, RegisterArray
from socscope.errors import DeviceError

if TYPE_CHECKING:
    from cmsis_svd.model import SVDField, SVDPeripheral, SVDRegister

ACCESS: dict[str, Access] = {
    "read-only": "read-only",
    "write-only": "write-only",
    "writeOnce": "write-only",
    "read-write": "read-write",
    "read-writeOnce": "read-write",
}
ON_WRITE: dict[str, OnWrite] = {"oneToClear": "one-clears", "oneToSet": "one-sets", "modify": "set"}


def from_svd(path: str | Path, peripheral: str) -> dict[str, AnyRegister]:
    """The registers of a peripheral; `registers = from_svd("chip.svd", "UART1")` in a class declares them.

    What SVD says of values (enumerations, constraints) is left out. Bits that writes change in another way
    than to what is written, or by ones, are left to the effect that the class has to have for them.
    """
    try:
        from cmsis_svd.parser import SVDParser  # noqa: PLC0415
    except ImportError:
        raise DeviceError("cmsis-svd is missing: pip install 'socscope[registers]'") from None
    path = Path(path)
    if not path.is_file():
        raise DeviceError(f"{path}: no such file")
    reading.tell(path)
    try:
        device = SVDParser.for_xml_file(str(path)).get_device()
    except Exception as error:  # The parser lets errors of all kinds through.
        raise DeviceError(f"{path}: not a CMSIS-SVD file: {error}") from None
    found = {one.name: one for one in device.get_peripherals()}
    if peripheral not in found:
        names = ", ".join(sorted(str(name) for name in found))
        raise DeviceError(f"{path}: no peripheral is called {peripheral}; there are: {names}")
    group = found[peripheral]
    registers = dict(_Table(path, group).registers(group.registers or [], 0, ""))
    if not registers:
        raise DeviceError(f"{path}: {peripheral} has no registers")
    return registers


@dataclass(frozen=True)
class _Table:
    """The registers of one peripheral; what they leave out is its default."""

    path: Path
    defaults: "SVDPeripheral"

    def registers(
        self, members: Iterable[object], base: int, prefix: str
    ) -> Iterator[tuple[str, AnyRegister]]:
        """All of them, with those of clusters, whose names are joined by `_`."""
        from cmsis_svd import model  # noqa: PLC0415

        for member in members:
            match member:
                case model.SVDRegister():
                    yield self.register(member, base, prefix + str(member.name), 1)
                case model.SVDRegisterArray(meta_register=model.SVDRegister() as one):
                    yield from self.array(one, base, prefix)
                case model.SVDRegisterCluster():
                    # The parser has moved and renamed the cluster's own registers already, but nothing else.
                    for inner in (*member.registers, *member.clusters):
                        if isinstance(inner, model.SVDRegister):
                            yield from self.registers([inner], base, prefix)
                        else:
                            offset = base + (member.address_offset or 0)
                            name = f"{prefix}{_plain(str(member.name))}_"
                            yield from self.registers([inner], offset, name)
                case model.SVDRegisterClusterArray():
                    yield from self.registers(member.clusters, base, prefix)

    def array(self, one: "SVDRegister", base: int, prefix: str) -> Iterator[tuple[str, AnyRegister]]:
        """An array, or single registers when its indices are no numbers from 0 on."""
        count = one.dim or 1
        numbers = [str(index) for index in range(count)]
        name = prefix + str(one.name)
        indices = [str(index) for index in one.dim_index or numbers]
        if indices == numbers:
            yield self.register(one, base, name.replace("[%s]", "").replace("%s", ""), count)
            return
        for number, index in enumerate(indices):
            offset = base + number * int(one.dim_increment or 4)
            yield self.register(one, offset, name.replace("%s", index), 1)

    def register(self, one: "SVDRegister", base: int, name: str, count: int) -> tuple[str, AnyRegister]:
        """One register, or an array."""
        name = _plain(name)
        access = ACCESS.get(_text(one.access) or _text(self.defaults.access), "read-write")
        size = one.size or self.defaults.size or 32
        if size > 32:
            raise DeviceError(f"{self.path}: {name} has {size} bits; registers have at most 32")
        facts: dict[str, Any] = {
            "access": access,
            "reset": (one.reset_value or 0) & WORD,
            "fields": [self.field(name, field, access) for field in one.get_fields()],
            "summary": _sentence(one.description),
            "writable": (1 << size) - 1,
        }
        offset = base + int(one.address_offset or 0)
        if count == 1:
            return name, Register(offset, **facts)
        return name, RegisterArray(offset, count, stride=int(one.dim_increment or 4), **facts)

    def field(self, register: str, field: "SVDField", access: Access) -> Field:
        """One field."""
        if field.bit_offset is None:
            raise DeviceError(f"{self.path}: field {register}.{field.name} does not say where its bits are")
        modified = _text(field.modified_write_values)
        return Field(
            str(field.name),
            field.bit_offset,
            field.bit_width or 1,
            access=ACCESS.get(_text(field.access), access),
            on_write=ON_WRITE.get(modified, "effect") if modified else "set",
            read_clears=_text(field.read_action) == "clear",
            summary=_sentence(field.description),
        )


def _plain(name: str) -> str:
    return name.replace("[", "").replace("]", "")


def _text(value: object) -> str:
    return str(getattr(value, "value", value or ""))


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())
