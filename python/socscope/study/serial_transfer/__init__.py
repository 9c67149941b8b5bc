"""Study 1, serial case: how much load does a file cause that arrives over a slow line, and where?"""

from socscope.study.serial_transfer.parameters import Parameters
from socscope.study.serial_transfer.study import SerialTransfer

__all__ = ["Parameters", "SerialTransfer"]
