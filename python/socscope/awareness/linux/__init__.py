"""A Linux kernel without changes: tasks, system calls and modules, by symbols and debug information.

What an architecture says of user and kernel is in the core; here is what the kernel's own structures say.
"""

from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.linux.memory import Memory
from socscope.awareness.linux.modules import Module, modules
from socscope.awareness.linux.view import Linux, LinuxTask

__all__ = ["Kernel", "Linux", "LinuxTask", "Memory", "Module", "modules"]
