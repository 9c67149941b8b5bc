"""The outputs of the study as sheets, pure functions of its runs."""

from socscope.study.serial_transfer.outputs.instructions import classes, functions, modules, overview
from socscope.study.serial_transfer.outputs.line import errors, overhead
from socscope.study.serial_transfer.outputs.memory import accesses, dma, registers
from socscope.study.serial_transfer.outputs.processor import occupation, variants

ALL = (
    overview,
    overhead,
    classes,
    modules,
    functions,
    accesses,
    registers,
    dma,
    occupation,
    variants,
    errors,
)
# The order of the sheets in the report.
ORDER = tuple(output.__name__ for output in ALL)

__all__ = [
    "ORDER",
    "accesses",
    "classes",
    "dma",
    "errors",
    "functions",
    "modules",
    "occupation",
    "overhead",
    "overview",
    "registers",
    "variants",
]
