"""PowerPC's blocks, segments and page tables against unicorn: random tables, random accesses."""

from __future__ import annotations

import importlib
import os
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Unicorn's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
ppc: Any = importlib.import_module("unicorn.ppc_const")

ROOT = Path(__file__).parents[2]
RAM_BYTES = 0x200000
# lwz r3, 0(r4) and stw r3, 0(r4); tlbie r4 and isync. Moves to registers stand at 1000.
LOAD_AT, STORE_AT, INVALIDATE_AT, MOVES_AT = 0x100, 0x104, 0x108, 0x1000
FETCH, READ, WRITE = range(3)
PURPOSES = ["fetch", "read", "write"]
INSTRUCTION_TRANSLATED, DATA_TRANSLATED, PROBLEM = 0x20, 0x10, 0x4000
# QEMU's numbers of exceptions, by vector.
EXCEPTIONS = {0x300: 2, 0x400: 3}
DSISR, DAR, HID0 = 18, 19, 1008
TABLE_AT, TABLE_BYTES = 0x20000, 0x20000
# The fixed share that the tests run; `make fuzz` sets the number.
ACCESSES = int(os.environ.get("SOCSCOPE_FUZZ_INSTRUCTIONS", "1000000")) // 100
SEED = int(os.environ.get("SOCSCOPE_FUZZ_SEED", "1"))


def content(address: int) -> int:
    """What lies at a place of the memory above the table: li r3, with a number that tells page and line."""
    return 0x38600000 | address >> 12 << 7 & 0xFF80 | address >> 5 & 0x7F


class Reference:
    """Unicorn's core of the MPC8641D, in one configuration."""

    def __init__(self) -> None:
        self.uc = unicorn.Uc(unicorn.UC_ARCH_PPC, unicorn.UC_MODE_PPC32 | unicorn.UC_MODE_BIG_ENDIAN)
        self.uc.ctl_set_cpu_model(ppc.UC_CPU_PPC32_MPC8641D)
        self.uc.mem_map(0, RAM_BYTES)
        pages = b"".join(content(at).to_bytes(4, "big") for at in range(0x100000, RAM_BYTES, 4))
        self.uc.mem_write(0x100000, pages)
        self.uc.mem_write(LOAD_AT, bytes.fromhex("80640000906400007C0022644C00012C"))
        self.exception: int | None = None
        self.moves = MOVES_AT
        self.uc.hook_add(unicorn.UC_HOOK_INTR, self.interrupted)

    def interrupted(self, _uc: object, number: int, _data: object) -> None:
        self.exception = number
        self.uc.emu_stop()

    def execute(self, word: int, r0: int) -> int:
        """Executes a move from or to r0, each at a place of its own, as code is not read twice."""
        self.uc.reg_write(ppc.UC_PPC_REG_MSR, 0)
        self.uc.reg_write(ppc.UC_PPC_REG_0, r0)
        self.uc.mem_write(self.moves, word.to_bytes(4, "big"))
        self.uc.emu_start(self.moves, self.moves + 4, count=1)
        self.moves += 4
        return int(self.uc.reg_read(ppc.UC_PPC_REG_0))

    def special(self, number: int, value: int | None = None) -> int:
        move = 31 << 26 | (number & 31) << 16 | number >> 5 << 11
        return self.execute(move | (339 if value is None else 467) << 1, value or 0)

    def set(self, kind: str, number: int, value: int) -> None:
        """Writes a special register, a segment register or a word of the page table."""
        if kind == "word":
            self.uc.mem_write(number, value.to_bytes(4, "big"))
        elif kind == "segment":
            self.execute(31 << 26 | number << 16 | 210 << 1, value)
        elif number != HID0:
            # Unicorn's core always has eight blocks; its HID0 stays as it is.
            self.special(number, value)

    def access(self, access: Access) -> str:
        """Makes an access. Gives the memory's word that it found, or the exception and DSISR."""
        purpose, address = access.purpose, access.address
        state = access.problem * PROBLEM | (INSTRUCTION_TRANSLATED if purpose == FETCH else DATA_TRANSLATED)
        start = {FETCH: address, READ: LOAD_AT, WRITE: STORE_AT}[purpose]
        # Unicorn's buffer does not tell programs with privilege from those without.
        self.uc.reg_write(ppc.UC_PPC_REG_MSR, 0)
        self.uc.reg_write(ppc.UC_PPC_REG_4, address)
        self.uc.emu_start(INVALIDATE_AT, INVALIDATE_AT + 8, count=2)
        self.uc.reg_write(ppc.UC_PPC_REG_MSR, state)
        self.uc.reg_write(ppc.UC_PPC_REG_3, access.stored)
        self.exception = None
        try:
            self.uc.emu_start(start, 0xFFFFFFFC, count=1)
        except unicorn.UcError as error:
            return f"unicorn: {error}"
        if self.exception is not None:
            status = 0 if purpose == FETCH else self.special(DSISR)
            place = address if purpose == FETCH else self.special(DAR)
            return f"exception {self.exception} {status:x} at {place:x}"
        return f"{self.uc.reg_read(ppc.UC_PPC_REG_3):x}"


@dataclass
class Access:
    """A line of the generator: an access and what the interpreter makes of it."""

    purpose: int
    problem: int
    address: int
    # The word of the memory that it reaches.
    stored: int
    kind: str
    expected: str

    @staticmethod
    def read(words: list[str]) -> Access:
        purpose, problem, address = (int(word, 16) for word in words[:3])
        if words[3] == "fault":
            vector, status = (int(word, 16) for word in words[4:])
            expected = f"exception {EXCEPTIONS[vector]} {status:x} at {address:x}"
            return Access(purpose, problem, address, 0, f"{vector:x} {status:08x}", expected)
        stored = content(int(words[3], 16))
        found = stored
        if purpose == FETCH:
            # li extends the sign.
            found = (stored & 0xFFFF ^ 0x8000) - 0x8000 & 0xFFFFFFFF
        return Access(purpose, problem, address, stored, "translated", f"{found:x}")


def compare(lines: list[str], counts: Counter[str]) -> list[str]:
    """The differences in one configuration and its accesses."""
    reference = Reference()
    differences = []
    after = {}
    for line in lines:
        kind, *words = line.split()
        if kind == "skipped":
            counts["fetch left out"] += 1
        elif kind == "access":
            access = Access.read(words)
            counts[f"{PURPOSES[access.purpose]} {access.kind}"] += 1
            found = reference.access(access)
            if found != access.expected:
                differences.append(f"{line.strip()}: {found}, expected {access.expected}")
        elif kind == "after":
            after[int(words[0], 16)] = int(words[1], 16)
        else:
            number, value = (int(word, 16) for word in words)
            reference.set(kind, number, value)
    for at in range(TABLE_AT, TABLE_AT + TABLE_BYTES, 4):
        word = int.from_bytes(reference.uc.mem_read(at, 4), "big")
        if word != after.get(at, 0):
            differences.append(f"table at {at:x}: {word:x}, expected {after.get(at, 0):x}")
    return differences


@pytest.fixture(scope="module")
def program() -> Path:
    """Builds the generator."""
    build = "cargo build --quiet --locked -p socscope-powerpc --example powerpc_translation"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return folder / "debug" / "examples" / "powerpc_translation"


def test_translations_agree_with_unicorn(program: Path) -> None:
    counts: Counter[str] = Counter()
    differences: list[str] = []
    lines: list[str] = []
    command = [str(program), str(SEED), str(ACCESSES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line == "end\n":
                differences += compare(lines, counts)
                lines = []
            else:
                lines.append(line)
    assert differences[:20] == []
    listed = "\n".join(f"{number:8} {name}" for name, number in sorted(counts.items()))
    print(f"{counts.total()} PowerPC translations compared:\n{listed}")
    assert counts.total() - counts["fetch left out"] > 0.9 * ACCESSES
    assert len(counts) >= 8, "every kind of fault"
