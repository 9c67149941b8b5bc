"""A register table as SystemRDL 2.0; `from_systemrdl` reads it back."""

import re
from collections.abc import Iterator

from socscope.device.models import Table
from socscope.device.register import WORD, AnyRegister, Field, RegisterArray
from socscope.errors import DeviceError

# Properties that carry what SystemRDL has no words for; other tools may ignore them: a register's group, and
# the array of a register, where the members of several arrays alternate.
GROUP = "socscope_group"
ARRAY = "socscope_array"

SOFTWARE = {"read-write": "rw", "read-only": "r", "write-only": "w"}
ON_WRITE = {
    "set": "",
    "one-clears": " onwrite = woclr;",
    "one-sets": " onwrite = woset;",
    "effect": " onwrite = wuser;",
}


def systemrdl(table: Table) -> str:
    """The address map's text; the same table gives the same text.

    A register without fields has one of 32 bits, called VALUE. Bits of a reset value that no field has are
    fields that are read only. Arrays whose members alternate with others are written member by member.
    """
    name = re.sub(r"\W", "_", table.name)
    everything = list(table.registers.values())
    narrow = [register.name for register in everything if register.offset % 4 or register.stride % 4]
    if narrow:
        raise DeviceError(
            f"{table.title}: {narrow[0]} is not at a word; "
            "only tables of 32-bit registers are written as SystemRDL"
        )
    registers = (line for register in everything for line in _register(register, everything))
    return "\n".join(
        [
            *(f"property {name} {{ component = reg; type = string; }};" for name in (GROUP, ARRAY)),
            "",
            f"addrmap {_name(name)} {{",
            f"    name = {_text(table.title)};",
            *registers,
            "};",
            "",
        ]
    )


def _register(register: AnyRegister, everything: list[AnyRegister]) -> Iterator[str]:
    low, high = _span(register)
    spans = [_span(other) for other in everything if other is not register]
    if not isinstance(register, RegisterArray):
        yield from _instance(register, register.name, f" @ {register.offset:#x}")
    elif any(start < high and low < end for start, end in spans):
        for index in range(register.count):
            place = f" @ {register.offset + index * register.stride:#x}"
            yield from _instance(
                register, f"{register.name}{index}", place, f"{ARRAY} = {_text(register.name)};"
            )
    else:
        place = f"[{register.count}] @ {register.offset:#x} += {register.stride:#x}"
        yield from _instance(register, register.name, place)


def _span(register: AnyRegister) -> tuple[int, int]:
    """Where a register begins and ends; the end of an array is that of its last stride."""
    return register.offset, register.offset + register.count * (register.stride or 4)


def _instance(register: AnyRegister, name: str, place: str, *properties: str) -> Iterator[str]:
    yield ""
    yield "    reg {"
    if register.summary:
        yield f"        desc = {_text(register.summary)};"
    for said in (f"{GROUP} = {_text(register.group)};", *properties):
        yield f"        {said}"
    for field in sorted(_fields(register), key=lambda field: field.lsb):
        yield f"        {_field(register, field)}"
    yield f"    }} {_name(name)}{place};"


def _fields(register: AnyRegister) -> Iterator[Field]:
    """The fields, and those that the table does not name."""
    if not register.fields:
        yield from _runs("VALUE", register.writable if register.access != "read-only" else WORD, register)
        return
    yield from register.fields.values()
    named = sum(field.mask for field in register.fields.values())
    yield from _runs("CONSTANT", register.reset & ~named, register, access="read-only")


def _runs(name: str, mask: int, register: AnyRegister, access: str | None = None) -> Iterator[Field]:
    """A field for each run of ones in a mask."""
    runs = [match.span() for match in re.finditer("1+", f"{mask:032b}"[::-1])]
    for start, end in runs:
        number = "" if len(runs) == 1 else str(start)
        yield Field(name + number, start, end - start, access=access or register.access)  # type: ignore[arg-type]


def _field(register: AnyRegister, field: Field) -> str:
    access = field.access or register.access
    reset = (register.reset >> field.lsb) & (field.mask >> field.lsb)
    desc = f" desc = {_text(field.summary)};" if field.summary else ""
    read = " onread = rclr;" if field.read_clears else ""
    write = ON_WRITE[field.on_write] if access != "read-only" else ""
    # What software cannot write, or writes cannot set, the hardware sets.
    hardware = "w" if access == "read-only" or write or read else "r"
    place = f"{_name(field.name)}[{field.lsb + field.width - 1}:{field.lsb}]"
    return f"field {{ sw = {SOFTWARE[access]}; hw = {hardware};{read}{write}{desc} }} {place} = {reset:#x};"


def _name(name: str) -> str:
    """A name that is no keyword; all keywords are in small letters."""
    return name if name.isupper() else f"\\{name}"


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
