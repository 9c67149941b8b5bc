"""The report on a guest that cannot go on: registers, the code around it, the calls that led there."""

from collections.abc import Iterator, Mapping

import capstone

from socscope.image import Image
from socscope.image.lines import line_at
from socscope.image.unwind import Nominal, Peek, call_stack

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


def report(
    reason: str,
    image: Image,
    registers: Mapping[str, int],
    peek: Peek,
    nominal: Nominal = lambda address: address,
) -> str:
    """The report as text. `nominal` gives the linked address of code that is elsewhere before a remap."""
    if "cpsr" not in registers:
        told = _of_powerpc if "msr" in registers else _of_any
        return "\n\n".join([f"The guest crashed: {reason}", *told(image, registers, peek, nominal)])
    stack = call_stack(image, registers, peek, nominal)
    parts = [f"The guest crashed: {reason}", _registers(registers), _code(image, registers, peek, nominal)]
    parts.append(
        "\n".join(["Calls, innermost first:", *_frames(image, [nominal(address) for address in stack])])
    )
    for name, mode in BANKS.items():
        # The call that led to an exception is remembered by the mode that was left.
        banked = {**registers, "r13": registers[f"r13_{name}"], "r15": registers[f"r14_{name}"]}
        called_from = nominal((banked["r15"] - 2) & 0xFFFFFFFF)
        if mode != registers["cpsr"] & 0x1F and image.function_at(called_from) is not None:
            heading = f"Calls by what {MODES[mode]} mode remembers:"
            calls = [nominal(address) for address in call_stack(image, banked, peek, nominal)]
            parts.append("\n".join([heading, *_frames(image, calls)]))
    return "\n\n".join(parts)


def endless_loop(image: Image, registers: Mapping[str, int], nominal: Nominal) -> str:
    """Where a program has stopped that can never leave the instruction at which it is."""
    here = nominal(registers["pc"] if "pc" in registers else registers["r15"])
    line = line_at(image, here)
    place = f" ({line[0]}:{line[1]})" if line else ""
    return f"the program has stopped in an endless loop at {image.describe(here)}{place}"


def _of_powerpc(image: Image, registers: Mapping[str, int], peek: Peek, nominal: Nominal) -> Iterator[str]:
    names = [f"r{number}" for number in range(32)] + ["pc", "msr", "lr", "ctr", "cr", "xer", "srr0", "srr1"]
    shown = [f"{name:>4} {registers[name]:08x}" for name in names]
    yield "\n".join("  ".join(shown[row : row + 4]) for row in range(0, len(shown), 4))
    here = registers["pc"]
    function = image.function_at(nominal(here))
    first = max(here - 16, 0 if function is None else here - (nominal(here) - function.start))
    engine = capstone.Cs(capstone.CS_ARCH_PPC, capstone.CS_MODE_32 | capstone.CS_MODE_BIG_ENDIAN)
    yield _listing(engine, peek(first, here + 16 - first), first, here, _place(image, nominal(here)))
    yield "\n".join(["Calls, innermost first:", *_frames(image, [nominal(here), nominal(registers["lr"])])])


def _of_any(image: Image, registers: Mapping[str, int], peek: Peek, nominal: Nominal) -> Iterator[str]:
    """For a core that no disassembler knows: its registers, and the bytes of code."""
    shown = [f"{name:>8} {value:08x}" for name, value in registers.items()]
    yield "\n".join("  ".join(shown[row : row + 4]) for row in range(0, len(shown), 4))
    here = registers["pc"]
    code = peek(here, 16)
    yield (
        f"Code at {_place(image, nominal(here))}:\n=> {here:#010x}  {code.hex(' ', 2)}"
        if code
        else f"No memory at {here:#010x}: there is no code to show."
    )
    stack = [nominal(here), *(nominal(registers[name]) for name in ("lr",) if name in registers)]
    yield "\n".join(["Calls, innermost first:", *_frames(image, stack)])


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
    function = image.function_at(nominal(here))
    if function is not None:
        before = max(before, here - (nominal(here) - function.start))
    code = peek(before, here + 4 * width - before)
    engine = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB if thumb else capstone.CS_MODE_ARM)
    return _listing(engine, code, before, here, _place(image, nominal(here)))


def _listing(engine: capstone.Cs, code: bytes, before: int, here: int, place: str) -> str:
    if len(code) <= here - before:
        return f"No memory at {here:#010x}: there is no code to show."
    engine.skipdata = True
    lines = [f"Code at {place}:"]
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
