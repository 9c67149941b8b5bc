"""What the toy costs: its registration stays below 400 lines."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = "crates/architectures/toy/src/"
# Where it is named: whatever does not ship is no part of it, nor is what tests it.
PLACES = ["crates/*/src/*.rs", "python/socscope/*.py"]
TESTS = ("/tests.rs", "/tests/")
LINES_MAX = 400


def _listed(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in done.stdout.splitlines()]


def _written(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.strip()]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _naming(lines: list[str]) -> Iterator[str]:
    """Lines that name it, and what they open up to its end."""
    end: int | None = None
    for line in lines:
        if end is not None:
            yield line
            end = None if _indent(line) == end else end
        elif re.search(r"\btoy\b", line.replace("_", " "), re.IGNORECASE):
            yield line
            end = _indent(line) if line.endswith(("{", "(")) else None


def test_the_registration_stays_small() -> None:
    own = sum(len(_written(path)) for path in _listed(f"{FOLDER}*.rs"))
    others = [path for path in _listed(*PLACES) if FOLDER not in str(path)]
    named = {path: list(_naming(_written(path))) for path in others if not str(path).endswith(TESTS)}
    registered = sum(len(lines) for lines in named.values())
    assert own > 200
    # Each place of registration is found.
    assert {path.name for path, lines in named.items() if lines} >= {
        "any_core.rs",
        "model.rs",
        "interpreting.rs",
        "translating.rs",
        "mod.rs",
        "convention.py",
    }
    assert own + registered < LINES_MAX, (own, registered)
