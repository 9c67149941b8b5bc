"""Tells what compiled code and other programs read of the host for us; what Python reads is heard anyway."""

import os
import sys
from pathlib import Path

EVENT = "socscope.read"


def tell(path: str | Path) -> None:
    """Says that a file, or a folder with all that is in it, is read now.

    A study makes those of its runs again whose files have changed.
    """
    sys.audit(EVENT, os.fspath(path))
