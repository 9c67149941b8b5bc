"""Register tables from SystemRDL 2.0."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socscope.device.register import Access, AnyRegister, Field, OnWrite, Register, RegisterArray
from socscope.device.systemrdl_text import ARRAY, GROUP
from socscope.errors import DeviceError

if TYPE_CHECKING:
    from systemrdl.node import AddressableNode, FieldNode, RegNode

ON_WRITE: dict[str | None, OnWrite] = {None: "set", "woclr": "one-clears", "woset": "one-sets"}


def from_systemrdl(path: str | Path, addrmap: str | None = None) -> dict[str, AnyRegister]:
    """The registers of an address map, by default the last one of the file.

    `registers = from_systemrdl("block.rdl")` in a class declares them. Register files are flattened, their
    names joined by `_`. Bits that writes change in another way than to what is written, or by ones, are left
    to the effect that the class has to have for them.
    """
    try:
        from systemrdl import messages  # noqa: PLC0415
        from systemrdl.compiler import RDLCompiler  # noqa: PLC0415
    except ImportError:
        raise DeviceError("systemrdl-compiler is missing: pip install 'socscope[registers]'") from None
    path = Path(path)
    if not path.is_file():
        raise DeviceError(f"{path}: no such file")
    errors: list[str] = []

    class Collected(messages.MessagePrinter):
        """Keeps the errors."""

        def print_message(self, severity: messages.Severity, text: str, src_ref: object) -> None:
            """Takes one message."""
            line = getattr(src_ref, "line", None)
            if severity.name in ("ERROR", "FATAL"):
                errors.append(f"{path}:{line}: {text}" if line else f"{path}: {text}")

    compiler = RDLCompiler(message_printer=Collected())
    try:
        compiler.compile_file(str(path))
        top = compiler.elaborate(top_def_name=addrmap).top
    except messages.RDLCompileError as error:
        raise DeviceError("\n".join(errors) or f"{path}: {error}") from None
    registers = dict(_joined(_registers(path, top, 0, "")))
    if not registers:
        raise DeviceError(f"{path}: {top.inst_name} has no registers")
    return registers


def _joined(
    registers: Iterator[tuple[str, AnyRegister, str]],
) -> Iterator[tuple[str, AnyRegister]]:
    """The registers, members of arrays that alternate with others joined again."""
    arrays: dict[str, list[AnyRegister]] = {}
    for name, register, array in registers:
        if array:
            arrays.setdefault(array, []).append(register)
        else:
            yield name, register
    for name, members in arrays.items():
        first = members[0]
        stride = members[1].offset - first.offset if len(members) > 1 else 4
        yield (
            name,
            RegisterArray(
                first.offset,
                len(members),
                stride=stride,
                access=first.access,
                reset=first.reset,
                fields=first.fields.values(),
                group=first.group,
                summary=first.summary,
            ),
        )


def _registers(
    path: Path, node: "AddressableNode", base: int, prefix: str
) -> Iterator[tuple[str, AnyRegister, str]]:
    """Name, register, and the array that it is a member of."""
    from systemrdl import node as nodes  # noqa: PLC0415

    for child in node.children(unroll=False):
        name = prefix + child.inst_name
        if isinstance(child, nodes.RegNode):
            yield *_register(path, child, base, name), _own(child, ARRAY, "")
        elif isinstance(child, nodes.RegfileNode | nodes.AddrmapNode):
            for index, one in enumerate(child.unrolled()):
                assert isinstance(one, nodes.AddressableNode)
                number = str(index) if child.is_array else ""
                yield from _registers(path, one, base + one.address_offset, f"{name}{number}_")
        elif isinstance(child, nodes.MemNode):
            raise DeviceError(f"{path}: {name} is a memory; memories are nodes of the platform")


def _register(path: Path, node: "RegNode", base: int, name: str) -> tuple[str, AnyRegister]:
    width = int(node.get_property("regwidth"))
    if width > 32:
        raise DeviceError(f"{path}: {name} has {width} bits; registers have at most 32")
    fields = [_field(field) for field in node.fields()]
    readable = any(field.access != "write-only" for field in fields)
    writable = any(field.access != "read-only" for field in fields)
    reset = 0
    for field in node.fields():
        value = field.get_property("reset")
        reset |= (value if isinstance(value, int) else 0) << field.low
    access: Access = "read-write" if readable and writable else "read-only" if readable else "write-only"
    facts: dict[str, Any] = {
        "access": access,
        "reset": reset,
        "fields": fields,
        "group": _own(node, GROUP, "data"),
        "summary": _sentence(node.get_property("desc") or _title(node)),
    }
    offset = base + node.raw_address_offset
    if not node.is_array:
        return name, Register(offset, **facts)
    return name, RegisterArray(offset, node.n_elements, stride=node.array_stride or 4, **facts)


def _own(node: "RegNode", name: str, otherwise: str) -> str:
    """A property of ours, in files that `systemrdl` has written."""
    return str(node.get_property(name)) if name in node.list_properties() else otherwise


def _title(node: "RegNode") -> str | None:
    """The name that the file gives it beside that of the instance, which it has without one."""
    name = node.get_property("name")
    return None if name == node.inst_name else name


def _field(field: "FieldNode") -> Field:
    readable, writable = field.is_sw_readable, field.is_sw_writable
    access: Access = "read-write" if readable and writable else "write-only" if writable else "read-only"
    on_write = field.get_property("onwrite")
    on_read = field.get_property("onread")
    return Field(
        field.inst_name,
        field.low,
        field.width,
        access=access,
        on_write=ON_WRITE.get(None if on_write is None else on_write.name, "effect"),
        read_clears=on_read is not None and on_read.name == "rclr",
        summary=_sentence(field.get_property("desc")),
    )


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())
