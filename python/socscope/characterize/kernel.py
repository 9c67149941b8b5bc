"""What an image says of the build of the kernel in it."""

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from typing import Literal

from elftools.elf.elffile import ELFFile

from socscope.image import Function, Image

ASSEMBLERS = ("GNU AS",)


def compiler(image: Image) -> str:
    """The compiler and its options that made most of the image's units; empty without debug information."""
    elf = ELFFile(BytesIO(image.data))
    if not elf.has_dwarf_info():
        return ""
    found: Counter[str] = Counter()
    for unit in elf.get_dwarf_info().iter_CUs():
        producer = unit.get_top_DIE().attributes.get("DW_AT_producer")
        if producer is not None and isinstance(producer.value, bytes):
            found[producer.value.decode("utf-8", "replace")] += 1
    of_languages = [name for name, _ in found.most_common() if not name.startswith(ASSEMBLERS)]
    return of_languages[0] if of_languages else next(iter(found), "")


def instruction_set(
    image: Image, functions: Sequence[Function]
) -> Literal["arm", "thumb", "mixed", "powerpc"]:
    """What nine tenths of the functions' code are."""
    if image.machine == "EM_PPC":
        return "powerpc"
    thumb = sum(one.size for one in functions if one.thumb)
    total = sum(one.size for one in functions)
    if thumb * 10 <= total:
        return "arm"
    return "thumb" if thumb * 10 >= total * 9 else "mixed"
