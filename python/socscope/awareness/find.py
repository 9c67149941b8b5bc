"""Which operating system an image is of."""

from socscope.awareness.description import systems
from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.linux.table import table
from socscope.awareness.resolve import Table, resolve
from socscope.image import Image


def find(image: Image) -> Table | None:
    """The table of the first known system that the image is of; none when it is of no such system."""
    if Kernel.is_one(image):
        return table(Kernel.of(image))
    for description in systems():
        if description.is_of(image):
            return resolve(description, image)
    return None


def known() -> list[str]:
    """The names of the systems that are known."""
    return ["Linux", *(one.system for one in systems())]
