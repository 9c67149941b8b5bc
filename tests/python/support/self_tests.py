"""The kernel's self-tests: how they are built, and what they say when all is well."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted(path.stem.removesuffix("_test") for path in ROOT.glob("guests/rtos/tests/*_test.c"))


@cache
def build(target: str, *settings: str) -> Path:
    """Builds self-tests, once for each content of the sources."""
    command = [str(ROOT / "scripts/guest"), target, *settings]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def check_passed(output: str) -> None:
    """All tests that the summary counts passed, and there are some."""
    summary = re.search(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE)
    assert summary, output
    assert summary[2] == "0", output
    assert int(summary[1]) > 0, output
    assert len(re.findall(r"^PASS ", output, re.MULTILINE)) == int(summary[1]), output
