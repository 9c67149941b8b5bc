"""Programs of the distribution's compiler and C library, under Linux on the MPC8641D and under qemu-ppc."""

import subprocess
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from socscope.simulation import Simulation

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "programs" / "powerpc-linux"
COMPILER = [
    *("powerpc-linux-gnu-gcc", "-O2", "-static", "-no-pie", "-fno-pic"),
    *("-mcpu=7400", "-maltivec", "-mabi=altivec"),
]
# Their sums are the same everywhere.
SUMS = ["integer", "floating", "vectors"]
PROGRAMS = [*SUMS, "system"]
DIRECTORY, EXECUTABLE, DEVICE = 0o40755, 0o100755, 0o20600


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs, and an initial file system with them."""
    folder = tmp_path_factory.mktemp("programs")
    for name in ["init", *PROGRAMS]:
        command = [*COMPILER, "-o", str(folder / name), str(SOURCES / f"{name}.c"), "-lm", "-pthread"]
        subprocess.run(command, check=True)
    entries = [
        *((name, DIRECTORY, b"") for name in ("dev", "proc")),
        ("dev/console", DEVICE, b""),
        *((name, EXECUTABLE, (folder / name).read_bytes()) for name in ["init", *PROGRAMS]),
        ("TRAILER!!!", 0, b""),
    ]
    (folder / "programs.cpio").write_bytes(b"".join(archived(*entry) for entry in entries))
    return folder


def archived(name: str, mode: int, content: bytes) -> bytes:
    """One entry of a cpio archive, as the kernel reads it; the device is the console's."""
    console = (5, 1) if mode == DEVICE else (0, 0)
    numbers = [0, mode, 0, 0, 1, 0, len(content), 0, 0, *console, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % number for number in numbers) + name.encode() + b"\0"
    return padded(head) + padded(content)


def padded(content: bytes) -> bytes:
    """Up to a multiple of four bytes."""
    return content + bytes(-len(content) % 4)


@cache
def kernel() -> Path:
    """Builds the kernel, once for each content of its sources."""
    command = [str(ROOT / "scripts/guest"), "linux"]
    folder = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return Path(folder) / "vmlinux"


def said(folder: Path, engine: Literal["translated", "interpreted"]) -> list[str]:
    """What the programs print in the machine."""
    names = " ".join(f"/{name}" for name in PROGRAMS)
    append = f"console=ttyS0,115200 quiet rdinit=/init -- {names}"
    simulation = Simulation(
        "mpc8641d", kernel(), initrd=folder / "programs.cpio", append=append, engine=engine
    )
    return simulation.console().expect("init done\n", "60s").splitlines()


@pytest.fixture(scope="module")
def translated(folder: Path) -> list[str]:
    """What they print when their code is translated."""
    return said(folder, "translated")


def of(lines: list[str], kinds: tuple[str, ...]) -> list[str]:
    """The lines of some kinds."""
    return [line for line in lines if line.startswith(kinds)]


def test_sums_are_those_of_qemu(folder: Path, translated: list[str]) -> None:
    reference = []
    for name in SUMS:
        command = ["qemu-ppc", "-cpu", "7400", str(folder / name)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        reference += printed.splitlines()
    kinds = ("integer ", "float ", "vector ", "library ")
    assert len(reference) > 300
    assert of(translated, kinds) == reference
    print(f"{len(reference)} lines of programs are those of qemu-ppc")


def test_core_and_kernel_do_together_what_programs_expect(translated: list[str]) -> None:
    results = of(translated, ("system ",))
    assert [line for line in results if "FAILED" in line] == []
    assert results[-1] == "system failures 0"
    assert len(results) > 20
    assert of(translated, ("init ",))[-2:] == ["init /system 0", "init done"]
