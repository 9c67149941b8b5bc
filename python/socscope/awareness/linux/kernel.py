"""What the image of a kernel says: where a task's facts are, and what system calls are called."""

import struct
from dataclasses import dataclass, field
from io import BytesIO
from typing import Self, TypedDict

from elftools.elf.elffile import ELFFile

from socscope.errors import AwarenessError, ImageError
from socscope.image import Image
from socscope.image.types import Type, Types

SYMBOLS = ("init_task", "linux_banner", "sys_call_table", "swapper_pg_dir")
MACHINES = ("EM_PPC",)


class Layout(TypedDict):
    """Offsets within `struct task_struct`, as the core wants them."""

    thread: int
    pid: int
    tgid: int
    name: int
    name_bytes: int


@dataclass(frozen=True)
class Kernel:
    """A Linux kernel's image."""

    image: Image
    task: Type
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
        if elf.header["e_machine"] not in MACHINES:
            raise AwarenessError(
                f"{image.path}: a Linux kernel for {elf.header['e_machine']}; "
                "its tasks are understood on 32-bit PowerPC only"
            )
        types = Types(image)
        try:
            task = types.structure("task_struct", "init/init_task.c")
            name, kind = task.member("comm")
            layout = Layout(
                thread=task.member("thread")[0],
                pid=task.member("pid")[0],
                tgid=task.member("tgid")[0],
                name=name,
                name_bytes=kind.size,
            )
        except ImageError as error:
            raise AwarenessError(f"{error}; build the kernel with CONFIG_DEBUG_INFO") from None
        return cls(image, task, types, layout, _system_calls(elf, image), _page_offset(elf))

    def system_call(self, number: int) -> str:
        """The name of a system call."""
        return self.system_calls[number] if 0 <= number < len(self.system_calls) else f"call {number}"


def is_linux(image: Image) -> bool:
    """Whether the image is a Linux kernel, also one whose tasks are not understood."""
    return "linux_banner" in image.symbols


def offset_of(image: Image) -> int | None:
    """Distance of a kernel's addresses from physical ones; None for what is no kernel known here."""
    if not Kernel.is_one(image):
        return None
    elf = ELFFile(BytesIO(image.data))
    return _page_offset(elf) if elf.header["e_machine"] in MACHINES else None


def _page_offset(elf: ELFFile) -> int:
    """Distance of the kernel's addresses from physical ones."""
    first = next(segment for segment in elf.iter_segments("PT_LOAD"))
    return int(first["p_vaddr"] - first["p_paddr"])


def _system_calls(elf: ELFFile, image: Image) -> list[str]:
    """The names of the functions in the kernel's own table."""
    start, size = image.address_of("sys_call_table"), image.sizes.get("sys_call_table", 0)
    names: dict[int, str] = {}
    for name, addresses in sorted(image.symbols.items()):
        if name.startswith("sys_") or name.startswith("compat_sys_"):
            names |= dict.fromkeys(addresses, name.removeprefix("compat_").removeprefix("sys_"))
    for section in elf.iter_sections():
        low = section["sh_addr"]
        if low and low <= start < low + section["sh_size"]:
            content = section.data()[start - low : start - low + size]
            order = "<" if elf.little_endian else ">"
            words = struct.unpack(f"{order}{len(content) // 4}I", content[: len(content) // 4 * 4])
            return [names.get(word, f"call {number}") for number, word in enumerate(words)]
    return []
