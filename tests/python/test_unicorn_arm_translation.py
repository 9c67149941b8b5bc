"""ARM's page tables, domains and rights against unicorn: random tables, random accesses."""

from __future__ import annotations

import ctypes
import importlib
import os
import struct
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Unicorn's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
arm: Any = importlib.import_module("unicorn.arm_const")

ROOT = Path(__file__).parents[2]
RAMS = (0, 0x5000000)
RAM_BYTES = 0x400000
# Below lie tables and instructions.
FIRST_PAGE = 0x100000
INSTRUCTIONS_AT, MOVES_AT = 0x100, 0x1000
INSTRUCTIONS = [0xE5943000, 0xE5843000, 0xE4B43000, 0xE4A43000]
# As the example `arm_translation` numbers them: what is read on the way, the mode, and the instruction.
FETCH, READ, WRITE = "fetch", "read", "write"
SUPERVISOR, USER = 0xD3, 0xD0
KINDS = [
    (FETCH, SUPERVISOR, None),
    (FETCH, USER, None),
    (READ, SUPERVISOR, 0),
    (READ, USER, 0),
    (READ, SUPERVISOR, 2),
    (WRITE, SUPERVISOR, 1),
    (WRITE, USER, 1),
    (WRITE, SUPERVISOR, 3),
]
SOFTWARE_INTERRUPT, PREFETCH_ABORT, DATA_ABORT = 2, 3, 4
ABORTS = {FETCH: PREFETCH_ABORT, READ: DATA_ABORT, WRITE: DATA_ABORT}
# Names of models: unicorn's name, and whether the core is of version 6.
CORES = {
    "arm920t": (arm.UC_CPU_ARM_TI925T, False),
    "arm926ej-s": (arm.UC_CPU_ARM_926, False),
    "arm1136j-s": (arm.UC_CPU_ARM_1136_R2, True),
    "arm1176jz-s": (arm.UC_CPU_ARM_1176, True),
}
SECTION_TRANSLATION = 5
# The number of the control register.
CONTROL = 1
# The fixed share that the tests run; `make fuzz` sets the number.
ACCESSES = int(os.environ.get("SOCSCOPE_FUZZ_INSTRUCTIONS", "1000000")) // 100
SEED = int(os.environ.get("SOCSCOPE_FUZZ_SEED", "1"))


def content(address: int) -> int:
    """What lies at a place: svc. Its lower 16 bits, which unicorn shows, tell 512 bytes apart."""
    block = address >> 24 << 13 & 0xE000 | address >> 9 & 0x1FFF
    return 0xEF000000 | (address >> 2 & 0x7F) << 16 | block


def memories() -> list[Any]:
    """The memories' bytes, which all configurations share."""
    found = []
    for ram in RAMS:
        words = [content(at) for at in range(ram, ram + RAM_BYTES, 4)]
        found.append(ctypes.create_string_buffer(struct.pack(f"<{len(words)}I", *words), RAM_BYTES))
    return found


def word(value: int) -> bytes:
    return struct.pack("<I", value)


class Reference:
    """Unicorn's core of the same version, in one configuration."""

    def __init__(self, model: int, rams: list[Any]) -> None:
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(model)
        rams[0][:FIRST_PAGE] = bytes(FIRST_PAGE)
        for base, ram in zip(RAMS, rams, strict=True):
            self.uc.mem_map_ptr(base, RAM_BYTES, unicorn.UC_PROT_ALL, ctypes.addressof(ram))
        for number, instruction in enumerate(INSTRUCTIONS):
            self.uc.mem_write(INSTRUCTIONS_AT + 4 * number, word(instruction))
        self.exception: int | None = None
        self.syndrome = 0
        self.moves = MOVES_AT
        self.start = self.code = self.process = 0
        self.saved = b""
        self.uc.hook_add(unicorn.UC_HOOK_INTR, self.interrupted)

    def interrupted(self, _uc: object, number: int, _data: object) -> None:
        # When the run has ended, unicorn has looked up another address and says so here.
        if self.exception is None:
            self.exception = number
            self.syndrome = self.uc.reg_read(arm.UC_ARM_REG_ESR)
            if number != SOFTWARE_INTERRUPT:
                self.saved = bytes(self.uc.context_save())
        self.uc.emu_stop()

    def fault(self) -> tuple[int, int]:
        """Status and address of the last abort, which no register shows: saved, they follow the syndrome."""
        at = self.saved.rindex(word(self.syndrome))
        status, address = struct.unpack_from("<IQ", self.saved, at + 4)
        return int(status), int(address)

    def set(self, place: list[int], value: int) -> None:
        """Writes a register by an instruction, each at a place of its own, as code is not read twice."""
        n, m, opcode_2 = place
        self.uc.reg_write(arm.UC_ARM_REG_CPSR, SUPERVISOR)
        self.uc.reg_write(arm.UC_ARM_REG_R0, value)
        self.uc.mem_write(self.moves, word(0xEE000F10 | n << 16 | opcode_2 << 5 | m))
        start = self.start | self.moves
        self.uc.emu_start(start, start + 4, count=1)
        self.moves += 4
        if (n, opcode_2) == (13, 0):
            self.process = value
        elif n == CONTROL:
            # The last one whose address is not translated.
            self.start = self.code

    def modified(self, address: int) -> int:
        return address if address >> 25 else address | self.process

    def access(self, access: Access) -> str:
        """Makes an access. Gives what it found, or the exception with its status and address."""
        purpose, mode, instruction = KINDS[access.kind]
        start = access.address if instruction is None else self.code | INSTRUCTIONS_AT + 4 * instruction
        self.uc.reg_write(arm.UC_ARM_REG_CPSR, mode)
        self.uc.reg_write(arm.UC_ARM_REG_R4, access.address)
        self.uc.reg_write(arm.UC_ARM_REG_R3, access.stored)
        self.exception = None
        try:
            self.uc.emu_start(start, 0xFFFFFFFC, count=1)
        except unicorn.UcError as error:
            return f"unicorn: {error}"
        if purpose == FETCH and self.exception == SOFTWARE_INTERRUPT:
            return f"{self.syndrome & 0xFFFF:x}"
        if self.exception is not None:
            status, address = self.fault()
            # Unicorn tells the address before the process is added, and its fetches a domain in any version.
            return f"exception {self.exception} {access.seen(status):x} at {self.modified(address):x}"
        if purpose == READ:
            return f"{self.uc.reg_read(arm.UC_ARM_REG_R3):x}"
        found = struct.unpack("<I", self.uc.mem_read(access.physical, 4))[0]
        self.uc.mem_write(access.physical, word(content(access.physical)))
        return f"{found:x}"


@dataclass
class Access:
    """A line of the generator: an access and what the interpreter makes of it."""

    v6: bool
    kind: int
    address: int
    physical: int
    # What a store writes.
    stored: int
    name: str
    expected: str

    def seen(self, status: int) -> int:
        """What of a status counts: no domain where no entry was found, nor of fetches from version 6 on."""
        no_domain = status & 15 == SECTION_TRANSLATION or (self.v6 and KINDS[self.kind][0] == FETCH)
        return status & ~0xF0 if no_domain else status

    @staticmethod
    def read(words: list[str], v6: bool) -> Access:
        kind, address = (int(text, 16) for text in words[:2])
        purpose, _, _ = KINDS[kind]
        access = Access(v6, kind, address, 0, 0x12340000 | kind, f"{purpose} translated", "")
        if words[2] == "fault":
            status, at = (int(text, 16) for text in words[3:])
            access.name = f"{purpose} {status & ~0xF0:x}"
            access.expected = f"exception {ABORTS[purpose]} {access.seen(status):x} at {at:x}"
            return access
        access.physical = int(words[2], 16)
        found = content(access.physical)
        expected = {FETCH: found & 0xFFFF, READ: found, WRITE: access.stored}
        access.expected = f"{expected[purpose]:x}"
        return access


def compare(core: str, lines: list[str], counts: Counter[str], rams: list[Any]) -> list[str]:
    """The differences in one configuration and its accesses."""
    model, v6 = CORES[core]
    reference = Reference(model, rams)
    differences = []
    for line in lines:
        kind, *words = line.split()
        if kind == "skipped":
            counts[line] += 1
        elif kind == "access":
            access = Access.read(words, v6)
            counts[access.name] += 1
            found = reference.access(access)
            if found != access.expected:
                differences.append(f"{line}: {found}, expected {access.expected}")
        elif kind == "code":
            reference.code = int(words[0], 16)
        elif kind == "word":
            reference.uc.mem_write(int(words[0], 16), word(int(words[1], 16)))
        else:
            reference.set([int(text) for text in words[:3]], int(words[3], 16))
    return differences


@pytest.fixture(scope="module")
def program() -> Path:
    """Builds the generator."""
    build = "cargo build --quiet --locked -p socscope-arm --example arm_translation"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return folder / "debug" / "examples" / "arm_translation"


@pytest.mark.parametrize("core", CORES)
def test_translations_agree_with_unicorn(program: Path, core: str) -> None:
    counts: Counter[str] = Counter()
    differences: list[str] = []
    lines: list[str] = []
    rams = memories()
    command = [str(program), core, str(SEED), str(ACCESSES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line == "end\n":
                differences += compare(core, lines, counts, rams)
                lines = []
            else:
                lines.append(line.strip())
    assert differences[:20] == []
    listed = "\n".join(f"{number:8} {name}" for name, number in sorted(counts.items()))
    print(f"{counts.total()} translations of {core} compared:\n{listed}")
    left_out = sum(number for name, number in counts.items() if name.startswith("skipped"))
    assert counts.total() - left_out > 0.75 * ACCESSES
    kinds = [name for name in counts if not name.startswith("skipped")]
    assert len(kinds) >= 21, "every purpose, with translation and every kind of fault"
