"""Kernels for 32-bit ARM with one core, which keep the pointer to the task in the variable `__current`."""

from elftools.elf.elffile import ELFFile

from socscope.awareness.description import REGISTERS
from socscope.awareness.linux.architecture import Architecture, Block, Variable, words
from socscope.awareness.resolve import Frame, View
from socscope.errors import AwarenessError
from socscope.image import Image

CURRENT = "__current"
# The functions that write it: of a task that makes way for another one, and of the kernel's start.
SWITCH, START = "__switch_to", "__mmap_switched"

NUMBERS = {name: number for number, name in enumerate(REGISTERS["EM_ARM"])}
# `struct cpu_context_save`, and `struct pt_regs`, whose words follow the registers' numbers (asm/ptrace.h).
KEPT = {"r4": 4, "r5": 5, "r6": 6, "r7": 7, "r8": 8, "r9": 9, "sl": 10, "fp": 11, "sp": 13, "pc": 15}
SAVED = (*range(16), NUMBERS["cpsr"])
SAVED_BYTES = 72
# Left free at the end of a stack (asm/thread_info.h).
STACK_END_BYTES = 8
# A task gives way in the supervisor's mode, with interrupts off.
SUPERVISOR = 0x93

# Calls above `__ARM_NR_BASE` (asm/unistd.h).
OWN_CALLS = {1: "breakpoint", 2: "cacheflush", 3: "usr26", 4: "usr32", 5: "set_tls", 6: "get_tls"}
OWN_CALLS_BASE = 0x0F_0000

# Bits of a kernel's addresses that say where it lies behind the beginning of memory, for boot loaders.
IN_MEMORY = 0x0FFF_FFFF


def _page_offset(elf: ELFFile) -> int:
    """Its file may have the kernel's own addresses alone; memory begins at 0 then."""
    first = next(segment for segment in elf.iter_segments("PT_LOAD"))
    apart = int(first["p_vaddr"] - first["p_paddr"])
    return apart or int(first["p_vaddr"]) & ~IN_MEMORY


def _current(block: Block, elf: ELFFile) -> Variable:
    image = block.image
    found = image.symbols.get(CURRENT)
    if not found:
        raise AwarenessError(
            f"{image.path}: the kernel keeps the pointer to its task in no variable {CURRENT}; "
            "build it with CONFIG_THREAD_INFO_IN_TASK, and without CONFIG_SMP and "
            "CONFIG_CURRENT_POINTER_IN_TPIDRURO"
        )
    at_switch, at_start = (_behind_writes(image, elf, name, found[0]) for name in (SWITCH, START))
    if not at_switch:
        raise AwarenessError(
            f"{image.path}: {SWITCH} has no instruction that is seen to write {CURRENT}; "
            "build the kernel with ARM instructions (no CONFIG_THUMB2_KERNEL)"
        )
    offset = _page_offset(elf)
    return found[0] - offset, offset, at_switch + at_start


def _behind_writes(image: Image, elf: ELFFile, name: str, variable: int) -> list[int]:
    """The addresses behind the instructions of a function that write a variable.

    Its address is made just before: added up from the program counter, or loaded from beside the code.
    """
    behind = []
    for start in image.symbols.get(name, []):
        function = image.function_at(start)
        code = words(elf, start, function.size if function else 0)
        known: dict[int, int] = {}
        for index, word in enumerate(code):
            address = start + 4 * index
            first, second, offset = word >> 16 & 15, word >> 12 & 15, word & 0xFFF
            base = address + 8 if first == 15 else known.get(first)
            match word & 0xFFF0_0000:
                case 0xE280_0000 if base is not None:  # add
                    known[second] = (base + _rotated(offset)) % (1 << 32)
                    continue
                case 0xE590_0000 if first == 15:  # ldr
                    beside = (address + 8 + offset - start) // 4
                    known = {second: code[beside]} if beside < len(code) else {}
                    continue
                case 0xE580_0000 if base is not None and base + offset == variable:  # str
                    behind.append(address + 4)
            known = {}
    return behind


def _rotated(operand: int) -> int:
    """The constant that an instruction adds: 8 bits, turned right by twice the upper four."""
    value, turn = operand & 0xFF, operand >> 8 << 1
    return (value >> turn | value << 32 - turn) % (1 << 32)


def _views(block: Block) -> list[View]:
    context = block.field("thread_info.cpu_context")[0]
    kept = [
        (number, "load", block.field(f"thread_info.cpu_context.{name}")[0] - context)
        for name, number in KEPT.items()
    ]
    link = (NUMBERS["lr"], "load", block.field("thread_info.cpu_context.pc")[0] - context)
    mode = (NUMBERS["cpsr"], "constant", SUPERVISOR)
    switched = Frame(base=[], offset=context, registers=[*kept, link, mode])
    # The first task's stack is as large as all.
    stack_bytes = block.address("__end_init_task") - block.address("__start_init_task")
    entered = Frame(
        base=[block.field("stack")],
        offset=stack_bytes - STACK_END_BYTES - SAVED_BYTES,
        registers=[(number, "load", 4 * place) for place, number in enumerate(SAVED)],
    )
    return [
        View(name="kernel", when=[], frames=[switched]),
        View(name="user", when=block.when(block.field("mm"), "nonzero"), frames=[entered]),
    ]


ARM = Architecture(
    machine="EM_ARM",
    elf_machine=40,
    vector_bytes=4,
    page_offset=_page_offset,
    current=_current,
    special=0,
    views=_views,
    system_calls={OWN_CALLS_BASE + number: name for number, name in OWN_CALLS.items()},
)
