"""The call stack of a stopped core, from the image's DWARF call frame information."""

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from io import BytesIO

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile

from socscope.image.elf import Image

SP, LR, PC = 13, 14, 15
DEPTH_MAX = 64

Peek = Callable[[int, int], bytes]
Nominal = Callable[[int], int]


@lru_cache(maxsize=4)
def _frames(data: bytes) -> list[FDE]:
    try:
        elf = ELFFile(BytesIO(data))
        if not elf.has_dwarf_info():
            return []
        dwarf = elf.get_dwarf_info()
        entries = dwarf.CFI_entries() if dwarf.has_CFI() else []
    except Exception:  # Whatever is damaged there: the calls are then told as far as they are known.
        return []
    return [entry for entry in entries if isinstance(entry, FDE)]


def call_stack(
    image: Image,
    registers: Mapping[str, int],
    peek: Peek,
    nominal: Nominal = lambda address: address,
) -> list[int]:
    """Addresses from the innermost frame outwards: where each function is, or will go on.

    `nominal` gives the linked address of code that is elsewhere before or after a remap.
    """
    values = [registers.get(f"r{number}", 0) for number in range(16)]
    stack = [values[PC]]
    while len(stack) < DEPTH_MAX:
        # A return address lies behind its call, which may be the function's last instruction.
        inside = values[PC] if len(stack) == 1 else values[PC] - 2
        try:
            caller = _caller(image, values, nominal(inside & 0xFFFFFFFF), peek)
        except Exception:  # Damaged frames say nothing.
            caller = None
        if caller is None and len(stack) == 1:
            caller = [*values[:PC], values[LR]]
        if caller is None:
            break
        caller[PC] &= ~1
        stuck = caller[PC] == values[PC] and caller[SP] == values[SP]
        if stuck or image.function_at(nominal((caller[PC] - 2) & 0xFFFFFFFF)) is None:
            break
        values = caller
        stack.append(values[PC])
    return stack


def _caller(image: Image, values: list[int], address: int, peek: Peek) -> list[int] | None:
    for entry in _frames(image.data):
        start = entry.header["initial_location"]
        if start <= address < start + entry.header["address_range"]:
            break
    else:
        return None
    rows = [row for row in entry.get_decoded().table if row["pc"] <= address]
    if not rows or rows[-1]["cfa"].reg is None:
        return None
    row = rows[-1]
    frame = (values[row["cfa"].reg] + row["cfa"].offset) & 0xFFFFFFFF
    caller = [*values]
    for register, rule in row.items():
        if isinstance(register, int) and register < PC and rule.type == "OFFSET":
            word = peek((frame + rule.arg) & 0xFFFFFFFF, 4)
            if len(word) < 4:
                return None
            caller[register] = struct.unpack("<I", word)[0]
    caller[SP], caller[PC] = frame, caller[LR]
    return caller
