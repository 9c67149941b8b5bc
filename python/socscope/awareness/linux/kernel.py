"""What the image of a kernel says: where a task's facts are, and what system calls are called."""

from dataclasses import dataclass, field
from io import BytesIO
from typing import Self, TypedDict

from elftools.elf.elffile import ELFFile

from socscope import _core
from socscope.awareness.linux.architecture import Architecture, Block, Variable, words
from socscope.awareness.linux.arm import ARM
from socscope.awareness.linux.powerpc import POWERPC
from socscope.errors import AwarenessError, ImageError
from socscope.image import Image
from socscope.image.types import Types

SYMBOLS = ("init_task", "linux_banner", "sys_call_table", "swapper_pg_dir")
ARCHITECTURES = {one.machine: one for one in (ARM, POWERPC)}


class Layout(TypedDict):
    """Where the pointer to the task is, and offsets within `struct task_struct`, as the core wants them."""

    current: int | Variable
    pid: int
    tgid: int
    name: int
    name_bytes: int


@dataclass(frozen=True)
class Kernel:
    """A Linux kernel's image."""

    image: Image
    architecture: Architecture
    block: Block
    types: Types
    layout: Layout
    system_calls: list[str] = field(repr=False)
    """Names by number."""
    page_offset: int
    """Where the kernel sees the first byte of memory."""

    @classmethod
    def is_one(cls, image: Image) -> bool:
        """Whether the image is a Linux kernel."""
        return all(symbol in image.symbols for symbol in SYMBOLS)

    @classmethod
    def of(cls, image: Image) -> Self:
        """Reads the kernel's facts.

        Raises AwarenessError where the image is no kernel, has no debug information, or is for a core whose
        kernel is not understood.
        """
        if not cls.is_one(image):
            missing = [symbol for symbol in SYMBOLS if symbol not in image.symbols]
            kind = "a Linux kernel whose tasks are not understood" if is_linux(image) else "no Linux kernel"
            raise AwarenessError(f"{image.path}: {kind}: it has no {', '.join(missing)}")
        elf = ELFFile(BytesIO(image.data))
        architecture = ARCHITECTURES.get(elf.header["e_machine"])
        if architecture is None:
            raise AwarenessError(
                f"{image.path}: a Linux kernel for {elf.header['e_machine']}; "
                "its tasks are understood on 32-bit ARM and PowerPC only"
            )
        types = Types(image)
        try:
            task = types.structure("task_struct", "init/init_task.c")
            name, name_type = task.member("comm")
            block = Block(image, task)
            layout = Layout(
                current=architecture.current(block, elf),
                pid=task.member("pid")[0],
                tgid=task.member("tgid")[0],
                name=name,
                name_bytes=name_type.size,
            )
        except ImageError as error:
            raise AwarenessError(f"{error}; build the kernel with CONFIG_DEBUG_INFO") from None
        calls, page_offset = _system_calls(elf, image), architecture.page_offset(elf)
        return cls(image, architecture, block, types, layout, calls, page_offset)

    def system_call(self, number: int) -> str:
        """The name of a system call."""
        if 0 <= number < len(self.system_calls):
            return self.system_calls[number]
        return self.architecture.system_calls.get(number, f"call {number}")

    def fault(self, vector: int) -> str:
        """The name of the exception with this vector."""
        known = self.architecture
        return _core.exception_name(known.elf_machine, vector // known.vector_bytes)


def is_linux(image: Image) -> bool:
    """Whether the image is a Linux kernel, also one whose tasks are not understood."""
    return "linux_banner" in image.symbols


def offset_of(image: Image) -> int | None:
    """Distance of a kernel's addresses from physical ones; None for what is no kernel known here."""
    if not Kernel.is_one(image):
        return None
    elf = ELFFile(BytesIO(image.data))
    architecture = ARCHITECTURES.get(elf.header["e_machine"])
    return architecture.page_offset(elf) if architecture else None


def _system_calls(elf: ELFFile, image: Image) -> list[str]:
    """The names of the functions in the kernel's own table."""
    start, size = image.address_of("sys_call_table"), image.sizes.get("sys_call_table", 0)
    names: dict[int, str] = {}
    for name, addresses in sorted(image.symbols.items()):
        if name.startswith("sys_") or name.startswith("compat_sys_"):
            call = name.removeprefix("compat_").removeprefix("sys_").removesuffix("_wrapper")
            names |= dict.fromkeys(addresses, call)
    return [names.get(word, f"call {number}") for number, word in enumerate(words(elf, start, size))]
