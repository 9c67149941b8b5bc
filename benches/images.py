"""Builds what the comparison runs: guest programs, the plug-in for QEMU, the program around unicorn."""

import importlib.util
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
BUILD = ROOT / "build" / "benches"
SOURCES = FOLDER / "programs"

InstructionSet = Literal["arm", "thumb"]
INSTRUCTION_SETS: tuple[InstructionSet, ...] = ("arm", "thumb")


@dataclass(frozen=True)
class Program:
    """A guest program and how many rounds of it are some 1.1 G instructions."""

    name: str
    rounds: int
    title: str

    @property
    def is_system(self) -> bool:
        """The kernel needs a board with devices; the others are alone with their memory."""
        return self.name == "kernel"


PROGRAMS = (
    Program("core", 49_000, "linked list, matrices, states, CRC (as CoreMark)"),
    Program("records", 1_400_000, "records, strings, calls (as Dhrystone)"),
    Program("crc32", 4_900, "CRC-32 by table"),
    Program("md5", 15_000, "MD5"),
    Program("rule30-bytes", 17_500, "rule 30, a cell a byte"),
    Program("rule30-bits", 400_000, "rule 30, 32 cells a word"),
    Program("copy", 7_600, "copies of words and bytes"),
    Program("sort", 1_400, "heap sort"),
    Program("kernel", 5_600, "the RTOS: tasks, queues, files, timer"),
)
# The whole system of the first study, with its debug information; `make guests` builds it.
SYSTEM = ROOT / "build" / "guests" / "at91eb40a-arm" / "system.elf"
EMPTY = Program("empty", 0, "nothing")


def program(program: Program, instruction_set: InstructionSet, rounds: int) -> Path:
    """Compiles a program; the same image runs in every engine."""
    target = BUILD / f"{program.name}-{instruction_set}-{rounds}.elf"
    flags = ["-mcpu=arm7tdmi", f"-m{instruction_set}", "-mthumb-interwork", "-O2", "-g", "-ffreestanding"]
    linking = ["-nostartfiles", "-T", str(SOURCES / "memory.ld"), f"-DROUNDS={rounds}"]
    sources = [SOURCES / "start.S", SOURCES / f"{program.name}.c"]
    return _compile(target, ["arm-none-eabi-gcc", *flags, *linking, *sources])


def kernel(board: str, instruction_set: InstructionSet, rounds: int) -> Path:
    """Builds the kernel's workload for a board, cached as all guests are."""
    settings = [f"BOARD={board}", f"ISA={instruction_set}", f"ROUNDS={rounds}"]
    return Path(_run([ROOT / "scripts" / "guest", "bench", *settings]).strip()) / "bench.elf"


def plugin(name: str = "counts") -> Path:
    """Compiles a plug-in for QEMU."""
    target = BUILD / f"{name}.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"]
    return _compile(target, ["gcc", *flags, FOLDER / "plugin" / f"{name}.c"])


def unicorn() -> Path:
    """Compiles the program around unicorn, against the library and headers of its Python package."""
    found = importlib.util.find_spec("unicorn")
    if found is None or found.origin is None:
        raise SystemExit("unicorn is missing: run make python")
    package = Path(found.origin).parent
    library = package / "lib" / "libunicorn.so.2"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", f"-I{package / 'include'}"]
    source = FOLDER / "unicorn" / "hooks.c"
    return _compile(BUILD / "hooks", ["gcc", *flags, source, library, f"-Wl,-rpath,{library.parent}"])


def _compile(target: Path, command: Sequence[str | Path]) -> Path:
    """Puts the file there when it is whole: another process may run or make the same one now."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / target.name
        _run([*command, "-o", made])
        made.replace(target)
    return target


def _run(command: Sequence[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout
