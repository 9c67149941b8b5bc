"""Crates outside of `architectures` name no architecture, but in what they ask of each."""

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEUTRAL = [
    "time",
    "memory",
    "isa",
    "core",
    "jit",
    "timing",
    "flow",
    "device",
    "machine",
    "probe",
    "checkpoint",
    "debug",
    "host",
    "python",
]
NAMES = re.compile(r"\b(arm|powerpc|toy|ppc|thumb|msr|cpsr|arm7tdmi|altivec)\b", re.IGNORECASE)
# What a crate asks each architecture lies in this folder, which is where they are registered with it.
ROOMS = "architectures"


def lines_with_names(path: Path) -> int:
    """Lines that name an architecture, without those of unit tests at the end of the file."""
    code = path.read_text().split("#[cfg(test)]\nmod tests {")[0]
    return sum(bool(NAMES.search(line.replace("_", " "))) for line in code.splitlines())


def found() -> dict[str, int]:
    listed = subprocess.run(
        ["git", "ls-files", "--", *(f"crates/{crate}/src/*.rs" for crate in NEUTRAL)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [Path(line) for line in listed.stdout.splitlines()]
    paths = [path for path in paths if (ROOT / path).exists()]
    own = [path for path in paths if path.stem != "tests" and ROOMS not in path.parts]
    named = {str(path.relative_to("crates")): lines_with_names(ROOT / path) for path in own}
    return {path: lines for path, lines in named.items() if lines}


def test_neutral_crates_name_no_architecture() -> None:
    assert found() == {}


def test_neutral_crates_are_built_without_architectures() -> None:
    # These ask them, in their rooms or by what is registered.
    asking = {"jit", "flow"}
    for crate in set(NEUTRAL) - asking:
        with (ROOT / "crates" / crate / "Cargo.toml").open("rb") as file:
            needed = tomllib.load(file).get("dependencies", {})
        assert not {"socscope-arm", "socscope-powerpc", "socscope-toy"} & needed.keys(), crate
