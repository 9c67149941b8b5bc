"""Builds the variants of a guest that a study asks for; equal ones are built once."""

import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import IO

from socscope import platform
from socscope.errors import StudyError

LINES_SHOWN = 10


def build(target: str, **settings: str) -> Path:
    """The folder of a guest's variant, built when it is not there yet.

    What a build says, first how long it takes, goes to standard error as it comes.
    """
    script = platform.of_project("scripts", "guest")
    arguments = [f"{name}={value}" for name, value in settings.items() if value]
    made = subprocess.Popen(
        [str(script), target, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with made:
        assert made.stdout is not None
        assert made.stderr is not None
        last = _shown(made.stderr)
        folder = made.stdout.read().strip()
    if made.returncode != 0:
        raise StudyError(f"the guest {' '.join([target, *arguments])} does not build:\n{last}")
    return Path(folder)


def _shown(lines: IO[str]) -> str:
    """Passes lines on as they come, and gives the last ones."""
    last: deque[str] = deque(maxlen=LINES_SHOWN)
    for line in lines:
        last.append(line.rstrip("\n"))
        sys.stderr.write(line)
        sys.stderr.flush()
    return "\n".join(last)
