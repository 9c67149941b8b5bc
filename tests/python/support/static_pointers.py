"""Functions of `static_programs/pointers.c`."""

NAMES = ["joined", "masked", "kept", "copied", "left", "indexed", "given"]
# Without optimisation no variable stays in a register that others put away.
OPTIMISED = ["reused"]
