"""Runs once more what a record says: to repeat it, to check it, to find where two runs part."""

from socscope.replay.again import Again, replay
from socscope.replay.compare import Difference
from socscope.replay.diverge import Divergence, diff
from socscope.replay.verify import Check, Verified, records, verify, verify_all

__all__ = [
    "Again",
    "Check",
    "Difference",
    "Divergence",
    "Verified",
    "diff",
    "records",
    "replay",
    "verify",
    "verify_all",
]
