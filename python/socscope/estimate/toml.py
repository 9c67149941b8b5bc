"""TOML files of the estimate: read with exact decimals, so that 0.1 ns is 0.1 ns."""

import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from socscope.errors import EstimateError
from socscope.options import PICOSECONDS, duration
from socscope.validation import nearest

# Lowest and highest plausible value of a unit, and the smaller unit that a larger value may be in.
PLAUSIBLE: dict[str, tuple[Fraction, Fraction, str, int]] = {
    "MHz": (Fraction(1, 1000), Fraction(10_000), "Hz", 10**6),
    "ns": (Fraction(1, 1000), Fraction(10**6), "ps", 10**3),
    "cycles": (Fraction(1, 1000), Fraction(10**6), "thousandths", 10**3),
}
LARGER = {"MHz": "GHz", "ns": "seconds", "cycles": "thousands"}
TO_LARGER = {"MHz": 10**3, "ns": 10**9, "cycles": 10**3}


def read(path: Path) -> dict[str, Any]:
    """The content of a file; numbers with a point are decimals."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except OSError as error:
        raise EstimateError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EstimateError(f"{path}: not TOML: {error}") from None


def number(value: object, place: str, *, positive: bool = False) -> Fraction:
    """A number that is not negative, or above 0; fails with its place."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise EstimateError(f"{place}: {value!r} is not a number")
    try:
        exact = Fraction(value)
    except (ValueError, OverflowError):
        raise EstimateError(f"{place}: {value} is not a number") from None
    if exact < 0:
        raise EstimateError(f"{place}: {value} is negative; a time is 0 or more")
    if positive and exact == 0:
        raise EstimateError(f"{place}: is 0; give a number above 0")
    return exact


def plausible(value: object, place: str, unit: str, *, positive: bool = False) -> Fraction:
    """A number of that unit, such as `ns`; fails on one that only another unit would explain."""
    exact = number(value, place, positive=positive)
    low, high, other, factor = PLAUSIBLE[unit]
    if exact and not low <= exact <= high:
        meant = exact / factor if exact > high else exact * TO_LARGER[unit]
        hint = f"; {float(meant):,.10g} if it was meant in {other if exact > high else LARGER[unit]}"
        raise EstimateError(
            f"{place}: {value} {unit} cannot be: {float(low):g} to {float(high):,.10g} {unit} are plausible"
            + (hint if low <= meant <= high else "")
        )
    return exact


def only(table: Mapping[str, Any], known: Iterable[str], place: str) -> None:
    """Fails when the table has a key that nobody would read."""
    for key in table:
        if key not in known:
            names = sorted(known)
            raise EstimateError(f"{place}: {key!r} is not known here; {nearest(key, names)}")


def table(value: object, place: str) -> dict[str, Any]:
    """The value as a table; fails with its place when it is none."""
    if not isinstance(value, dict):
        raise EstimateError(f"{place}: is not a table; write [{place.rpartition(': ')[2]}] and keys below it")
    return value


def time_ns(text: str) -> Fraction:
    """Reads a time with its unit, `20us`, in ns."""
    length = duration(text)
    if length.unit != "ps":
        raise EstimateError(f"{text!r}: give a time, not cycles: 20us")
    return Fraction(length.count, PICOSECONDS["ns"])
