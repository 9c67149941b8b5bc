"""Kernels for 32-bit PowerPC."""

from elftools.elf.elffile import ELFFile

from socscope.awareness.linux.architecture import Architecture, Block
from socscope.awareness.resolve import Field, Frame, View

# SPRG3 holds the physical address of the current task's `thread`.
CURRENT_THREAD = 275

# `struct user_pt_regs` of the kernel's interface for debuggers (asm/ptrace.h), by the debugger's numbers.
PC, MSR, CR, LINK, COUNT, XER = range(32, 38)
FRAME = {
    **{number: 4 * number for number in range(32)},
    PC: 128,
    MSR: 132,
    COUNT: 140,
    LINK: 144,
    XER: 148,
    CR: 152,
}
# A kernel stack's frame begins with so many bytes; those that a switch saves follow.
HEADER_BYTES = 16
STACK = 1
KEPT = range(14, 32)


def _page_offset(elf: ELFFile) -> int:
    first = next(segment for segment in elf.iter_segments("PT_LOAD"))
    return int(first["p_vaddr"] - first["p_paddr"])


def _views(block: Block) -> list[View]:
    registers = block.field("thread.regs")
    return [
        View(name="kernel", when=[], frames=[_switched(block.field("thread.ksp"))]),
        View(name="user", when=block.when(registers, "nonzero"), frames=[_entered(registers)]),
    ]


def _switched(stack: Field) -> Frame:
    """Where `_switch` has left the task: its frame is as that of an exception, with what a function keeps."""
    kept = [(number, "load", HEADER_BYTES + FRAME[number]) for number in (*KEPT, PC, CR)]
    link = (LINK, "load", HEADER_BYTES + FRAME[PC])
    return Frame(base=[stack], offset=0, registers=[(STACK, "load", 0), *kept, link])


def _entered(registers: Field) -> Frame:
    """Where the task's own code has entered the kernel."""
    return Frame(
        base=[registers], offset=0, registers=[(number, "load", place) for number, place in FRAME.items()]
    )


POWERPC = Architecture(
    machine="EM_PPC",
    elf_machine=20,
    vector_bytes=32,
    page_offset=_page_offset,
    current=lambda block, _elf: block.field("thread")[0],
    special=CURRENT_THREAD,
    views=_views,
)
