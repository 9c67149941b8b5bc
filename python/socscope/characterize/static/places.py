"""Places in an image: how annotations name them, and how messages do."""

import re
from dataclasses import dataclass

from socscope.characterize.static.convention import convention
from socscope.characterize.static.facts import Place
from socscope.characterize.static.lines import Lines
from socscope.errors import CharacterizeError, ImageError
from socscope.image import Image

ADDRESS = re.compile(r"0x[0-9a-fA-F]+$")
SYMBOL = re.compile(r"(?P<name>[A-Za-z_.$][\w.$]*)(\+(?P<offset>0x[0-9a-fA-F]+|\d+))?$")
LINE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+)$")
BODY = re.compile(
    r"(?P<file>[^:]*):(?P<function>[A-Za-z_]\w*)(:(?P<loop>while|for|do|loop)( (?P<number>\d+))?)?$"
)


@dataclass(frozen=True)
class Where:
    """What an annotation's place stands for: some addresses, or code of a function wherever it was put.

    `code` is all code that the place names, from each first address to the one behind the last. `number`
    chooses one of several loops of a function, in the order of addresses, from 1 on.
    """

    addresses: frozenset[int] = frozenset()
    ranges: tuple[tuple[int, int], ...] = ()
    code: tuple[tuple[int, int], ...] = ()
    number: int | None = None

    def holds(self, address: int) -> bool:
        """Whether an address is one of these."""
        return address in self.addresses or any(start <= address < end for start, end in self.ranges)

    def spans(self) -> list[tuple[int, int]]:
        """First and last addresses of what it stands for."""
        code = [(a, b - 1) for a, b in (*self.ranges, *self.code)]
        return [(one, one) for one in sorted(self.addresses)] + code

    def instructions(self) -> set[int]:
        """Addresses at which an instruction of what it stands for may lie."""
        return {at for first, last in self.spans() for at in range(first, last + 1, 2)}


class Places:
    """Names of addresses in one image."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.convention = convention(image)
        self.lines = Lines.of(image)

    def at(self, address: int) -> Place:
        """What people call an address."""
        function = self.image.function_at(address)
        return Place(address, function.name if function else "no function", self.lines.at(address))

    def named(self, address: int) -> str:
        """An address as an annotation may write it."""
        return self.image.describe(address)

    def find(self, text: str) -> Where:
        """What an annotation's place stands for; fails where nothing is there."""
        if ADDRESS.match(text):
            return Where(frozenset([int(text, 16)]))
        if found := LINE.match(text):
            code = self.lines.code(found["file"], int(found["line"]))
            if not code:
                raise self._missing(text, "no instruction comes from that line")
            return Where(frozenset(start for start, _ in code), code=tuple(code))
        if found := BODY.match(text):
            ranges = self.lines.bodies.get(found["function"], [])
            if found["file"]:
                wanted = f"/{found['file']}"
                ranges = [one for one in ranges if self._file(one[0]).endswith(wanted)] or ranges
            if not ranges:
                raise self._missing(text, f"no code comes from a function {found['function']}")
            return Where(ranges=tuple(ranges), number=int(found["number"]) if found["number"] else None)
        if found := SYMBOL.match(text):
            try:
                start = self.image.address_of(found["name"])
            except ImageError as error:
                raise self._missing(text, str(error)) from None
            return Where(frozenset([start + int(found["offset"] or "0", 0)]))
        raise self._missing(
            text, "a place is 0x..., symbol, symbol+0x..., file.c:line or file.c:function:loop"
        )

    def address(self, place: int | str) -> int:
        """The one address that a place stands for."""
        if isinstance(place, int):
            return place & ~1
        found = self.find(place)
        if len(found.addresses) != 1:
            count = len(found.addresses) or len(found.ranges)
            raise self._missing(place, f"{count} places are called so, one is needed; give symbol+0x...")
        return next(iter(found.addresses))

    def thumb(self, address: int) -> bool:
        """Whether the function around an address is in Thumb code."""
        function = self.image.function_at(address)
        return function.thumb if function else False

    def _file(self, address: int) -> str:
        return "/" + self.lines.at(address).rpartition(":")[0]

    def _missing(self, text: str, why: str) -> CharacterizeError:
        if not self.lines.starts and ":" in text:
            why = "the image has no debug information; build it with -g, or give 0x... or symbol+0x..."
        return CharacterizeError(f"{self.image.path}: annotation at {text!r}: {why}")
