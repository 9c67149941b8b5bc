"""Study 1, serial case: how much load does a file cause that arrives over a slow line, and where?"""

from socscope.study.serial_transfer.carry_out import Results, carry_out
from socscope.study.serial_transfer.parameters import Parameters

__all__ = ["Parameters", "Results", "carry_out"]
