"""The modules that a kernel has loaded, by its own list."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.linux.memory import Memory
from socscope.errors import AwarenessError, ImageError
from socscope.image import Image

# More than this is a list that is being changed, or none yet.
ENTRIES_MAX = 100_000
NAME_BYTES = 64


@dataclass(frozen=True)
class Module:
    """A module that the kernel has loaded."""

    name: str
    sections: dict[str, int] = field(default_factory=dict)
    """Addresses of its sections; empty where the kernel does not keep them."""

    def describe(self, address: int, image: Image) -> str | None:
        """`function+offset [module]` for an address in it, by the module's file; None for any other."""
        for section, start, size, name in functions(image):
            offset = address - self.sections.get(section, address + 1) - start
            if 0 <= offset < size:
                return f"{name}+{offset:#x} [{self.name}]" if offset else f"{name} [{self.name}]"
        return None


def functions(image: Image) -> list[tuple[str, int, int, str]]:
    """Section, offset in it, size and name of each function in a module's file, which has no addresses."""
    elf = ELFFile(BytesIO(image.data))
    table = elf.get_section_by_name(".symtab")
    found = []
    for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
        if symbol["st_info"]["type"] == "STT_FUNC" and isinstance(symbol["st_shndx"], int):
            section = elf.get_section(symbol["st_shndx"]).name
            found.append((section, symbol["st_value"], symbol["st_size"], symbol.name))
    return found


def modules(kernel: Kernel, memory: Memory) -> list[Module]:
    """The modules, the one loaded last first."""
    try:
        module = kernel.types.structure("module", "init/init_task.c")
        node, name = module.member("list")[0], module.member("name")[0]
    except ImageError:
        return []
    head = kernel.image.address_of("modules")
    return [
        Module(memory.text(block + name, NAME_BYTES), _sections(kernel, memory, block))
        for block in _list(memory, head, node)
    ]


def _sections(kernel: Kernel, memory: Memory, module: int) -> dict[str, int]:
    """The sections of a module, as the kernel shows them in /sys/module/NAME/sections."""
    try:
        place = kernel.types.structure("module", "init/init_task.c").member("sect_attrs")[0]
        table = kernel.types.structure("module_sect_attrs", "kernel/module/sysfs.c")
        entry = kernel.types.structure("module_sect_attr", "kernel/module/sysfs.c")
        count, first = table.member("nsections")[0], table.member("attrs")[0]
        name, address = entry.member("battr.attr.name")[0], entry.member("address")[0]
    except ImageError:
        return {}
    start = memory.word(module + place)
    if not start:
        return {}
    rows = range(min(memory.word(start + count), ENTRIES_MAX))
    blocks = [start + first + row * entry.size for row in rows]
    return {memory.text(memory.word(at + name), NAME_BYTES): memory.word(at + address) for at in blocks}


def _list(memory: Memory, head: int, node: int) -> Iterator[int]:
    """The structures of a list, by the place of the node in them."""
    at = memory.word(head)
    for _ in range(ENTRIES_MAX):
        if at in (head, 0):
            return
        yield at - node
        at = memory.word(at)
    raise AwarenessError(
        f"the list at {head:#x} does not end: the kernel is changing it; run a little further"
    )
