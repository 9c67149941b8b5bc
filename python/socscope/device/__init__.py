"""Devices written in Python: a class with a register table, effects, lines, DMA and events.

A device's whole state is declared (registers, attributes, state, lines, events), so that it is saved and
restored like any other.
"""

from socscope._core import BusFault
from socscope._core import DeviceContext as Context
from socscope.device.device import Device
from socscope.device.effects import event, on_read, on_write
from socscope.device.models import from_model
from socscope.device.register import Field, Register, RegisterArray, Word
from socscope.device.svd import from_svd
from socscope.device.systemrdl import from_systemrdl
from socscope.device.variable import attribute, input_line, output_line, state

__all__ = [
    "BusFault",
    "Context",
    "Device",
    "Field",
    "Register",
    "RegisterArray",
    "Word",
    "attribute",
    "event",
    "from_model",
    "from_svd",
    "from_systemrdl",
    "input_line",
    "on_read",
    "on_write",
    "output_line",
    "state",
]
