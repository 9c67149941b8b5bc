"""Exception entries from every mode, in ARM and Thumb, against what QEMU did with the same program."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from socscope.simulation import Simulation

PROGRAMS = Path(__file__).parents[1] / "programs"
LOG = 0x8000


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("exceptions") / "exceptions.elf"
    flags = ["-nostdlib", "-Ttext=0", "-Wl,-N"]
    source = PROGRAMS / "exceptions.S"
    subprocess.run(["arm-none-eabi-gcc", *flags, "-o", target, source], check=True)
    return target


def test_handlers_see_what_they_see_on_qemu(image: Path) -> None:
    lines = (PROGRAMS / "exceptions.txt").read_text().splitlines()
    expected = [line for line in lines if not line.startswith("#")]
    assert len(expected) == 42
    simulation = Simulation("at91eb40a", image)
    simulation.run("10ms", until_symbol="done")
    words = struct.unpack(f"<{5 * len(expected)}I", simulation.machine.peek(LOG, 20 * len(expected)))
    found = [" ".join(f"{word:08x}" for word in words[at : at + 5]) for at in range(0, len(words), 5)]
    assert found == expected
