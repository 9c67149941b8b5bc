"""What can be said about a run in words: durations, windows, serial peers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, Protocol

from socscope.errors import OptionError

# Called now and then in a run with the core cycle and the simulated time in ps.
Progress = Callable[[int, int], None]

# Simulated time is kept in 64 bits; half of the range leaves room for where a run is already.
LENGTH_MAX = 2**62
SIZES = ("", "K", "M", "G", "T")
SIZE_MAX = 2**62
PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


@dataclass(frozen=True)
class Duration:
    """A length of simulated time or a number of core cycles."""

    count: int
    unit: Literal["ps", "cycles"]


def duration(text: str) -> Duration:
    """Reads `2s`, `10ms`, `1e6cycles`."""
    found = re.fullmatch(r"\s*([0-9][0-9_.]*(?:e[0-9]{1,2})?)\s*(cycles?|ps|ns|us|µs|ms|s)\s*", text)
    if found is None:
        raise OptionError(f"{text!r}: not a duration; write a number with its unit: 2s, 10ms, 1e6cycles")
    number, unit = found.group(1).replace("_", ""), found.group(2).replace("µ", "u")
    try:
        value = Fraction(number)
    except ValueError:
        raise OptionError(f"{text!r}: {number} is not a number") from None
    scaled = value * (1 if unit.startswith("cycle") else PICOSECONDS[unit])
    if scaled.denominator != 1:
        raise OptionError(f"{text!r}: not a whole number of {'cycles' if unit.startswith('cycle') else 'ps'}")
    if scaled > LENGTH_MAX:
        raise OptionError(f"{text!r}: longer than a simulation can be; the most is {LENGTH_MAX / 1e12:.0f} s")
    return Duration(int(scaled), "cycles" if unit.startswith("cycle") else "ps")


def size(text: str) -> int:
    """Reads `2G`, `512M`, `1.5 GiB`: bytes, in units of 1024."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT])(?:i?B)?\s*", text, re.IGNORECASE)
    count = int(Fraction(found.group(1)) * 1024 ** SIZES.index(found.group(2).upper())) if found else 0
    if not 0 < count <= SIZE_MAX:
        raise OptionError(f"{text!r}: not a size; write a number with its unit: 512M, 2G")
    return count


def serial(text: str) -> tuple[str, str]:
    """Reads `usart1=tcp::5001` into the port and its peer."""
    port, equals, peer = text.partition("=")
    if not (equals and port and peer):
        raise OptionError(f"{text!r}: not a serial port and its peer; write for instance usart1=tcp::5001")
    return port, peer


def core_image(text: str) -> tuple[int, Path]:
    """Reads `cpu1=second.elf` into the core's number and the image's file."""
    found = re.fullmatch(r"cpu([0-9]{1,4})=(.+)", text)
    if found is None:
        raise OptionError(f"--image {text}: not a core and its image; write for instance cpu1=second.elf")
    return int(found.group(1)), Path(found.group(2))


def core_images(texts: Sequence[str]) -> dict[int, Path]:
    """Reads all of them; each core has one image."""
    images: dict[int, Path] = {}
    for core, path in map(core_image, texts):
        if core in images:
            raise OptionError(
                f"--image cpu{core}={path}: cpu{core} has {images[core]} already; leave one of them out"
            )
        images[core] = path
    return images


def share(text: str) -> tuple[str, bool, str | None]:
    """Reads `FOLDER`, `FOLDER:rw` or `DEVICE=FOLDER:ro`: folder, whether it is read-only, and the device."""
    found = re.fullmatch(r"(?:([A-Za-z0-9_.@-]+)=)?(.+?)(?::(ro|rw))?", text, re.DOTALL)
    if found is None:
        raise OptionError(f"{text!r}: not a folder to share; write FOLDER, or FOLDER:rw to have it changed")
    device, folder, access = found.groups()
    return folder, access != "rw", device


def bit_errors(text: str) -> tuple[str, float, int]:
    """Reads `usart1=1e-4` or `usart1=1e-4,SEED`: the port, how probably each bit flips, and the seed."""
    found = re.fullmatch(r"([^=]+)=([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]{1,3})?)(?:,([0-9]{1,18}))?", text)
    if found is None or not 0 <= float(found.group(2)) <= 1:
        raise OptionError(
            f"{text!r}: not a port and a bit-error rate from 0 to 1; write for instance usart1=1e-4,7"
        )
    return found.group(1), float(found.group(2)), int(found.group(3) or 1)


def override(text: str) -> tuple[str, str]:
    """Reads `/path:property=value` into the property and its value."""
    target, equals, value = text.partition("=")
    if not (equals and target.startswith("/") and ":" in target):
        raise OptionError(f"{text!r}: not a property of the platform; write /path:property=value")
    return target, value


class Names(Protocol):
    """What knows the addresses of symbols: an image, or those of all cores."""

    def place_of(self, name: str, /) -> tuple[int, tuple[int, ...]]:
        """The address of a symbol, and the cores that run it there; without any, all."""


@dataclass(frozen=True)
class Window:
    """What of a run is counted: all of it, or from each `first` to the next `last` (marks or addresses)."""

    kind: Literal["all", "commands", "marks", "addresses"] = "all"
    first: int = 0
    last: int = 0
    text: str = "all"
    # The cores that begin and end it at an address; empty is all.
    first_cores: tuple[int, ...] = ()
    last_cores: tuple[int, ...] = ()


def window(text: str, names: Names) -> Window:
    """Reads `all`, `commands`, `marks` (1 to 2), `marks 3..4` or `symbols A..B`."""
    if text == "all":
        return Window()
    if text == "commands":
        return Window("commands", text=text)
    if text == "marks":
        return Window("marks", 1, 2, "marks 1..2")
    if found := re.fullmatch(r"marks\s+(\d+)\.\.(\d+)", text):
        first, last = int(found.group(1)), int(found.group(2))
        if max(first, last) > 14:
            raise OptionError(f"{text!r}: marks have the numbers 0 to 14")
        return Window("marks", first, last, text)
    if found := re.fullmatch(r"(?:symbols\s+)?(\S+?)\.\.(\S+)", text):
        begin, end = names.place_of(found.group(1)), names.place_of(found.group(2))
        named = f"symbols {found.group(1)}..{found.group(2)}"
        return Window("addresses", begin[0], end[0], named, begin[1], end[1])
    raise OptionError(f"{text!r}: not a window; write all, marks, 'marks 3..4' or 'symbols A..B'")
