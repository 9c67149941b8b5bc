"""Crates outside of `architectures` name no architecture; files that still do are listed, and get fewer."""

import re
import subprocess
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
# Their folders are an architecture's own rooms, until these move into its crate.
OWN_ROOMS = {"arm", "powerpc"}
# Where architectures are registered with a crate that cannot see `architectures` and `engines`.
REGISTRATIONS = {"flow/src/registered.rs"}
# Files that name an architecture today, and how many of their lines do: the number may fall, not rise.
NOT_YET = {
    "debug/src/monitor/devices.rs": 2,
    "debug/src/motion.rs": 1,
    "debug/src/tasks/memory.rs": 2,
    "debug/src/tasks/mod.rs": 1,
    "debug/src/tasks/reading.rs": 2,
    "flow/src/lib.rs": 3,
    "jit/src/lib.rs": 2,
    "machine/src/boot/error.rs": 1,
    "machine/src/boot/image.rs": 1,
    "machine/src/boot/image/symbols.rs": 5,
    "machine/src/boot/image_map.rs": 2,
    "machine/src/boot/mod.rs": 1,
    "machine/src/platform/cores.rs": 1,
    "machine/src/platform/timing.rs": 1,
    "probe/src/profile/mod.rs": 2,
    "probe/src/trace/mod.rs": 1,
    "python/src/flow.rs": 2,
    "timing/src/arm7tdmi.rs": 12,
    "timing/src/lib.rs": 3,
    "timing/src/sequences.rs": 2,
}


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
    own = [path for path in paths if path.stem != "tests" and not OWN_ROOMS & {*path.parts, path.stem}]
    named = {str(path.relative_to("crates")): lines_with_names(ROOT / path) for path in own}
    return {path: lines for path, lines in named.items() if lines and path not in REGISTRATIONS}


def test_neutral_crates_name_no_architecture() -> None:
    assert found() == NOT_YET
