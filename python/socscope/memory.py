"""How much memory of the host this process may take before a run ends."""

from socscope import _core
from socscope.options import size


def limit(text: str | None) -> int:
    """Ends runs of this process before it takes more memory than `512M` or `2G`; gives the limit in bytes.

    None is the default: half of what the host, or the control group of the process, has. A run that ends so
    has the stop `memory`; its counts up to there are exact, and a record of it is written as usual.
    """
    _core.set_memory_limit(0 if text is None else size(text))
    return _core.memory_limit()
