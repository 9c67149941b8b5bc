"""The report on a guest that cannot go on: registers, the code around it, the calls that led there."""

from collections.abc import Callable, Mapping

import capstone

from socscope.image import Image
from socscope.image.unwind import Peek, call_stack

THUMB = 0x20
MODES = {
    0x10: "user",
    0x11: "fast interrupt",
    0x12: "interrupt",
    0x13: "supervisor",
    0x17: "abort",
    0x1B: "undefined",
    0x1F: "system",
}


BANKS = {"usr": 0x10, "fiq": 0x11, "irq": 0x12, "svc": 0x13}


Nominal = Callable[[int], int]


def report(
    reason: str,
    image: Image,
    registers: Mapping[str, int],
    peek: Peek,
    nominal: Nominal = lambda address: address,
) -> str:
    """The report as text. `nominal` gives the linked address of code that is elsewhere before a remap."""
    stack = call_stack(image, registers, peek)
    parts = [f"The guest crashed: {reason}", _registers(registers), _code(image, registers, peek, nominal)]
    parts.append(
        "\n".join(["Calls, innermost first:", *_frames(image, [nominal(address) for address in stack])])
    )
    for name, mode in BANKS.items():
        # The call that led to an exception is remembered by the mode that was left.
        banked = {**registers, "r13": registers[f"r13_{name}"], "r15": registers[f"r14_{name}"]}
        if mode != registers["cpsr"] & 0x1F and image.function_at(banked["r15"] - 2) is not None:
            heading = f"Calls by what {MODES[mode]} mode remembers:"
            parts.append("\n".join([heading, *_frames(image, call_stack(image, banked, peek))]))
    return "\n\n".join(parts)


def _frames(image: Image, stack: list[int]) -> list[str]:
    return [f"  #{depth} {address:#010x} {_place(image, address)}" for depth, address in enumerate(stack)]


def _registers(registers: Mapping[str, int]) -> str:
    general = [f"{name:>4} {registers[name]:08x}" for name in (f"r{number}" for number in range(16))]
    lines = ["  ".join(general[row : row + 4]) for row in range(0, 16, 4)]
    status = registers["cpsr"]
    flags = "".join(
        letter if status >> bit & 1 else "-"
        for letter, bit in (("N", 31), ("Z", 30), ("C", 29), ("V", 28), ("I", 7), ("F", 6), ("T", 5))
    )
    mode = MODES.get(status & 0x1F, f"invalid mode {status & 0x1F:#x}")
    return "\n".join([*lines, f"cpsr {status:08x}  {flags}  {mode}"])


def _code(image: Image, registers: Mapping[str, int], peek: Peek, nominal: Nominal) -> str:
    thumb, here = bool(registers["cpsr"] & THUMB), registers["r15"]
    width = 2 if thumb else 4
    before = max(here - 4 * width, 0)
    function = image.function_at(here)
    if function is not None:
        before = max(before, function.start)
    code = peek(before, here + 4 * width - before)
    if len(code) <= here - before:
        return f"No memory at {here:#010x}: there is no code to show."
    engine = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB if thumb else capstone.CS_MODE_ARM)
    engine.skipdata = True
    lines = [f"Code at {_place(image, nominal(here))}:"]
    for one in engine.disasm(code, before):
        pointer = "=>" if one.address == here else "  "
        lines.append(f"{pointer} {one.address:#010x}  {one.mnemonic} {one.op_str}".rstrip())
    return "\n".join(lines)


def _place(image: Image, address: int) -> str:
    function = image.function_at(address)
    if function is None:
        return "outside all functions"
    origin = function.origin
    source = f" ({origin.source}:{origin.line})" if origin.line else ""
    return f"{image.describe(address)}{source}"
