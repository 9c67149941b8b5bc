"""A register table as a C header, for drivers: offsets and bits as macros that assemblers take too."""

import re
from collections.abc import Iterator

from socscope.device.models import Table
from socscope.device.register import AnyRegister, RegisterArray
from socscope.errors import DeviceError


def header(table: Table, prefix: str | None = None) -> str:
    """The header's text; the same table gives the same text.

    A register is an offset, an array a function of the index; a field of one bit is a mask, a wider one
    a mask and a shift. All names begin with `prefix`, by default the block's name.
    """
    prefix = _macro(prefix or table.name)
    lines = [line for register in table.registers.values() for line in _register(prefix, register)]
    seen: set[str] = set()
    for line in lines:
        if match := re.match(r"#define (\w+)", line):
            if match[1] in seen:
                raise DeviceError(f"{table.title}: two things would be called {match[1]}; rename one of them")
            seen.add(match[1])
    guard = f"{prefix}_REGISTERS_H"
    return "\n".join(
        [
            f"/* Registers of: {_comment(table.title)}. Made by `socscope device header`; do not edit. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            *lines,
            "",
            f"#endif /* {guard} */",
            "",
        ]
    )


def _register(prefix: str, register: AnyRegister) -> Iterator[str]:
    name = f"{prefix}_{_macro(register.name)}"
    said = f": {_comment(register.summary)}" if register.summary else ""
    yield ""
    yield f"/* {register.access}, {register.reset:#x} at reset{said} */"
    if isinstance(register, RegisterArray):
        yield f"#define {name}(n) ({register.offset:#05x} + {register.stride} * (n))"
        yield f"#define {name}_COUNT {register.count}"
    else:
        yield f"#define {name} {register.offset:#05x}"
    for field in register.fields.values():
        bits = f"{name}_{_macro(field.name)}"
        said = f" /* {_comment(field.summary)} */" if field.summary else ""
        yield f"#define {bits} {field.mask:#x}{said}"
        if field.width > 1:
            yield f"#define {bits}_SHIFT {field.lsb}"


def _macro(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()


def _comment(text: str) -> str:
    return text.replace("*/", "* /")
