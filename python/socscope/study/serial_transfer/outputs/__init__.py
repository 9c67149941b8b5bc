"""The outputs of the study as sheets, pure functions of its runs."""

from socscope.study.serial_transfer.outputs.instructions import classes, functions, modules, overview
from socscope.study.serial_transfer.outputs.line import errors, overhead
from socscope.study.serial_transfer.outputs.memory import accesses, dma, registers
from socscope.study.serial_transfer.outputs.processor import occupation, variants

__all__ = [
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
