"""What a simulation shows of its Linux kernel, whenever it is asked."""

from collections.abc import Mapping

from socscope import _core
from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.linux.lists import LinuxTask, Module, modules, tasks
from socscope.awareness.linux.memory import Memory
from socscope.image import Image

NO_IMAGES: Mapping[str, Image] = {}


class Linux:
    """Reads the lists of a machine's kernel, from its memory."""

    def __init__(self, machine: _core.Machine, kernel: Kernel) -> None:
        self.kernel = kernel
        self._memory = Memory(kernel, machine.peek, "big")

    def tasks(self) -> list[LinuxTask]:
        """All threads that there are now."""
        return tasks(self.kernel, self._memory)

    def modules(self) -> list[Module]:
        """The modules that are loaded now."""
        return modules(self.kernel, self._memory)

    def describe(self, address: int, images: Mapping[str, Image] = NO_IMAGES) -> str:
        """`function+offset` for an address in the kernel, or in a module whose file is given by its name."""
        for module in self.modules():
            if module.name in images:
                found = module.describe(address, images[module.name])
                if found is not None:
                    return found
        return self.kernel.image.describe(address)
