"""How numbers are written for people."""

import re


def count(number: int | None) -> str:
    """A count; what was never counted is 0."""
    return f"{number or 0:,}"


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals; a small one, of which they would leave nothing, with two digits."""
    text = f"{value:,.{decimals}f}"
    return f"{value:.2g}" if value and not re.search("[1-9]", text) else text


def percent(fraction: float) -> str:
    """A fraction as percentage."""
    return f"{fixed(100 * fraction, 1)} %"


def seconds(time_ps: int) -> str:
    """A time in the unit that fits."""
    for unit, size in (("s", 10**12), ("ms", 10**9), ("µs", 10**6), ("ns", 10**3)):
        if time_ps >= size:
            return f"{time_ps / size:.4g} {unit}"
    return f"{time_ps} ps"


def simulated(time_ps: int) -> str:
    """A time in seconds, to the microsecond; a short one to the picosecond."""
    if time_ps >= 10**9:
        return f"{time_ps / 1e12:.6f} s"
    return f"{time_ps / 1e12:.12f}".rstrip("0").rstrip(".") + " s"


def cell(value: object) -> str:
    """A value in a table; what there is none of is a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        if abs(value) < 0.1:
            return f"{value:.3g}"
        decimals = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
        return f"{value:,.{decimals}f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
