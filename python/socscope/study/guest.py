"""Builds the variants of a guest that a study asks for; equal ones are built once."""

import subprocess
from pathlib import Path

from socscope.errors import StudyError
from socscope.platform import ROOT


def build(target: str, **settings: str) -> Path:
    """The folder of a guest's variant, built when it is not there yet."""
    script = ROOT / "scripts" / "guest"
    arguments = [f"{name}={value}" for name, value in settings.items() if value]
    try:
        said = subprocess.run([str(script), target, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise StudyError(f"{script} is missing: set SOCSCOPE_ROOT to the project's folder") from None
    if said.returncode != 0:
        last = "\n".join(said.stderr.splitlines()[-10:])
        raise StudyError(f"the guest {target} {' '.join(arguments)} does not build:\n{last}")
    return Path(said.stdout.strip())
