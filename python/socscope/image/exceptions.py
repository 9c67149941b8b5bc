"""What the cores' exceptions are called."""

# By number: the vector's offset divided by four (ARM ARM, "Exceptions").
ARM = {
    1: "undefined instruction",
    2: "software interrupt",
    3: "prefetch abort",
    4: "data abort",
    6: "interrupt",
    7: "fast interrupt",
}
# By the vector's offset (Programming Environments Manual, "Exceptions", and the cores' own manuals).
POWERPC = {
    0x100: "system reset",
    0x200: "machine check",
    0x300: "data fault",
    0x400: "instruction fault",
    0x500: "interrupt",
    0x600: "alignment",
    0x700: "program",
    0x800: "no floating point",
    0x900: "decrementer",
    0xC00: "system call",
    0xD00: "trace",
    0xF20: "no AltiVec",
    0x1000: "instruction table search",
    0x1100: "data table search to read",
    0x1200: "data table search to write",
    0x1600: "AltiVec assist",
}
POWERPC_VECTOR_BYTES = 32


def exception_name(machine: str, number: int) -> str:
    """The name of an exception by the number that probes give it, on an image's architecture."""
    if machine == "EM_ARM":
        return ARM.get(number, f"vector {number * 4:#x}")
    # The number leaves out what is below 32 bytes: all vectors are multiples of it.
    offset = number * POWERPC_VECTOR_BYTES
    return POWERPC.get(offset, f"vector {offset:#x}")
