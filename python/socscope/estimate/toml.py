"""TOML files of the estimate: read with exact decimals, so that 0.1 ns is 0.1 ns."""

import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from socscope.errors import EstimateError
from socscope.options import PICOSECONDS, duration


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


def only(table: Mapping[str, Any], known: Iterable[str], place: str) -> None:
    """Fails when the table has a key that nobody would read."""
    for key in table:
        if key not in known:
            raise EstimateError(f"{place}: {key!r} is not known here; there are {', '.join(sorted(known))}")


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
