"""The images of a machine's cores, and the names in them."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from socscope.errors import ImageError
from socscope.image import Image

CORE = re.compile(r"cpu(\d{1,4}):(?!:)(.+)")


@dataclass(frozen=True)
class Named:
    """What a name stands for: an address in the code of an image, for the cores that run it."""

    address: int
    image: Image
    # Empty is all of them.
    cores: tuple[int, ...]
    # A number is an address as it is, a symbol where its code lies now.
    is_number: bool


class Images:
    """The first core's image, which all cores share that have none of their own, and those of others."""

    def __init__(self, first: Image, others: Mapping[int, Image], cores: int) -> None:
        self._others = dict(others)
        self._all = {0: first, **self._others}
        self._cores = cores

    @property
    def owners(self) -> frozenset[int]:
        """The cores that have an image of their own."""
        return frozenset(self._all)

    def of(self, core: int) -> Image:
        """The image that a core runs."""
        return self._others.get(core, self._all[0])

    def named(self, text: str) -> Named:
        """Finds `NAME`, `0x...`, or either of one core: `cpu1:NAME`."""
        found = CORE.fullmatch(text)
        is_number = (found[2] if found else text).lower().startswith("0x")
        if found:
            core = int(found[1])
            if core >= self._cores:
                raise ImageError(
                    f"{text}: the machine has no core {core}; its cores are 0 to {self._cores - 1}"
                )
            image = self.of(core)
            return Named(image.address_of(found[2]), image, (core,), is_number)
        having = [core for core, image in self._all.items() if text in image.symbols]
        if len(having) > 1 and not is_number:
            places = " and ".join(f"cpu{core} ({self._all[core].path.name})" for core in having)
            remedy = " or ".join(f"cpu{core}:{text}" for core in having)
            raise ImageError(f"{text}: the images of {places} have it; write {remedy}")
        image = self._all[having[0]] if having else self._all[0]
        cores = () if is_number or not self._others else self._running(image)
        return Named(self._address(text, image, known=bool(having)), image, cores, is_number)

    def place_of(self, text: str) -> tuple[int, tuple[int, ...]]:
        """The address of such a name, and the cores that it is for; without any, all."""
        named = self.named(text)
        return named.address, named.cores

    def _address(self, text: str, image: Image, *, known: bool) -> int:
        try:
            return image.address_of(text)
        except ImageError as error:
            if known or not self._others or text.lower().startswith("0x"):
                raise
            paths = ", ".join(str(one.path) for one in self._others.values())
            raise ImageError(f"{error}; nor has {paths}") from None

    def _running(self, image: Image) -> tuple[int, ...]:
        return tuple(core for core in range(self._cores) if self.of(core) is image)


@functools.lru_cache(maxsize=16)
def parsed(name: str, data: bytes) -> Image:
    """The image of another core, read once."""
    return Image.parse(Path(name), data)
