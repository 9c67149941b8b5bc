"""How numbers are written for people."""


def count(number: int | None) -> str:
    """A count; what was never counted is 0."""
    return f"{number or 0:,}"


def percent(fraction: float) -> str:
    """A fraction as percentage."""
    return f"{100 * fraction:.1f} %"


def seconds(time_ps: int) -> str:
    """A time in the unit that fits."""
    for unit, size in (("s", 10**12), ("ms", 10**9), ("µs", 10**6), ("ns", 10**3)):
        if time_ps >= size:
            return f"{time_ps / size:.4g} {unit}"
    return f"{time_ps} ps"


def cell(value: object) -> str:
    """A value in a table; what there is none of is a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        decimals = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
        return f"{value:,.{decimals}f}" if value else "0"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
