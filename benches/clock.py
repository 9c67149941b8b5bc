"""How long something takes."""

import time
from collections.abc import Callable


def milliseconds(act: Callable[[], object]) -> float:
    """The time of one call."""
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1e3
