"""The interpreter against unicorn: random sequences over every encoding, states compared after each."""

from __future__ import annotations

import importlib
import os
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import IO, Any

import pytest

# Unicorn's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
arm: Any = importlib.import_module("unicorn.arm_const")

ROOT = Path(__file__).parents[2]
MODES = (0x10, 0x11, 0x12, 0x13, 0x17, 0x1B, 0x1F)
# Names of models: unicorn's name, and the bits of the status register that are compared.
CORES = {
    "arm7tdmi": (arm.UC_CPU_ARM_TI925T, 0xF00000FF),
    "arm926ej-s": (arm.UC_CPU_ARM_926, 0xF80000FF),
    "arm1136j-s": (arm.UC_CPU_ARM_1136_R2, 0xF80F03FF),
    # Unicorn's ARM1176 is in its non-secure state, where A and F cannot be written.
    "arm1176jz-s": (arm.UC_CPU_ARM_11MPCORE, 0xF80F03FF),
}
UNDEFINED, SOFTWARE_INTERRUPT, PREFETCH_ABORT = 1, 2, 3
UNICORN_BREAKPOINT = 7
REGISTERS = [*(arm.UC_ARM_REG_R0 + n for n in range(13)), arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR]
STATE = [arm.UC_ARM_REG_CPSR, *REGISTERS, arm.UC_ARM_REG_PC, arm.UC_ARM_REG_SPSR]
BLOCK_WORDS = 16
# The fixed share that the tests run; `make fuzz` sets the number.
INSTRUCTIONS = int(os.environ.get("SOCSCOPE_FUZZ_INSTRUCTIONS", "1000000"))
SEED = int(os.environ.get("SOCSCOPE_FUZZ_SEED", "1"))
PARTS = 2
LARGELY_EXCLUDED = {"LDM with S", "STM with S", "STM", "LDRD register", "Unallocated", "CPS", "SRS", "STREXD"}
# Those that only vectors check.
NEVER_COMPARED = {"RFE", "YIELD", "WFE", "WFI"}
BLOCK = struct.Struct(f"<5I17I17I{BLOCK_WORDS}I")


@dataclass
class Batch:
    """Sequences that share memories and banks, as the example `differential` reports them."""

    thumb: bool
    code_address: int
    data_address: int
    code: bytes
    data_before: bytes
    data_after: bytes
    banks_before: tuple[int, ...]
    banks_after: tuple[int, ...]
    blocks: list[tuple[int, ...]]

    @staticmethod
    def read(content: bytes) -> Batch:
        thumb, code_at, code_size, data_at, data_size, blocks, banks = struct.unpack_from("<7I", content)
        at = 28
        code = content[at : (at := at + code_size)]
        before = content[at : (at := at + data_size)]
        after = content[at : (at := at + data_size)]
        banks_before = struct.unpack_from(f"<{banks}I", content, at)
        banks_after = struct.unpack_from(f"<{banks}I", content, at + 4 * banks)
        at += 8 * banks
        sequences = [BLOCK.unpack_from(content, at + BLOCK.size * n) for n in range(blocks)]
        return Batch(bool(thumb), code_at, data_at, code, before, after, banks_before, banks_after, sequences)


def has_saved_status(status: int) -> bool:
    return status & 0x1F not in (0x10, 0x1F)


class Reference:
    """Unicorn's core of the same version."""

    def __init__(self, batch: Batch, core: str) -> None:
        self.batch = batch
        model, self.status_bits = CORES[core]
        self.exception = 0
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(model)
        self.uc.mem_map(batch.code_address, len(batch.code))
        self.uc.mem_write(batch.code_address, batch.code)
        self.uc.mem_map(batch.data_address, len(batch.data_before))
        self.uc.mem_write(batch.data_address, batch.data_before)
        self.uc.hook_add(unicorn.UC_HOOK_INTR, self.interrupted)
        for mode, bank in self.banks(batch.banks_before):
            self.uc.reg_write(arm.UC_ARM_REG_CPSR, mode)
            self.uc.reg_write_batch(list(zip(REGISTERS[8:], bank[:7], strict=True)))
            if has_saved_status(mode):
                self.uc.reg_write(arm.UC_ARM_REG_SPSR, bank[7])

    @staticmethod
    def banks(values: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        for index, mode in enumerate(MODES):
            yield mode, values[8 * index : 8 * index + 8]

    def interrupted(self, _uc: object, number: int, _data: object) -> None:
        self.exception = PREFETCH_ABORT if number == UNICORN_BREAKPOINT else number
        self.uc.emu_stop()

    def run(self, block: tuple[int, ...]) -> str | None:
        """Runs one sequence. Gives the difference, if there is one."""
        address, _, count, end, exception = block[:5]
        before, after = block[5:22], block[22:39]
        status = before[15]
        values = [status, *before[:15]]
        self.uc.reg_write_batch(list(zip(STATE, values, strict=False)))
        if has_saved_status(status):
            self.uc.reg_write(arm.UC_ARM_REG_SPSR, before[16])
        self.exception = 0
        try:
            until = 0xFFFFFFFE if exception else end
            self.uc.emu_start(address | self.batch.thumb, until, count=count)
        except unicorn.UcError as error:
            if error.errno != unicorn.UC_ERR_INSN_INVALID:
                return f"unicorn: {error}"
            self.exception = UNDEFINED
        found = list(self.uc.reg_read_batch(STATE))
        expected = [after[15], *after[:15], end, after[16]]
        found[0] &= self.status_bits
        if not has_saved_status(after[15]):
            expected[17] = found[17]
        if exception:
            # Unicorn does not enter handlers, and SWI's address is already the next one.
            expected[16] = found[16]
        if self.exception != exception:
            return f"exception {self.exception}, expected {exception}"
        if found == expected:
            return None
        names = ["cpsr", *(f"r{n}" for n in range(15)), "pc", "spsr"]
        return ", ".join(
            f"{name} {got:#010x}, expected {want:#010x}"
            for name, got, want in zip(names, found, expected, strict=True)
            if got != want
        )

    def final_difference(self) -> str | None:
        batch = self.batch
        data = bytes(self.uc.mem_read(batch.data_address, len(batch.data_after)))
        if data != batch.data_after:
            at = next(n for n in range(len(data)) if data[n] != batch.data_after[n])
            return f"data at {batch.data_address + at:#x}"
        for mode, bank in self.banks(batch.banks_after):
            self.uc.reg_write(arm.UC_ARM_REG_CPSR, mode)
            if tuple(self.uc.reg_read_batch(REGISTERS[8:])) != bank[:7]:
                return f"registers of mode {mode:#x}"
            if has_saved_status(mode) and self.uc.reg_read(arm.UC_ARM_REG_SPSR) != bank[7]:
                return f"saved status register of mode {mode:#x}"
        return None


def compare(batch: Batch, core: str) -> list[str]:
    """All differences of a batch, as lines for people."""
    reference = Reference(batch, core)
    differences = []
    for block in batch.blocks:
        if difference := reference.run(block):
            words = " ".join(f"{word:x}" for word in block[39 : 39 + block[1]])
            before = " ".join(f"{value:x}" for value in block[5:22])
            differences.append(f"{words} at {block[0]:#x} from [{before}]: {difference}")
    if not differences and (difference := reference.final_difference()):
        differences.append(difference)
    return differences


def frames(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    while header := stream.read(5):
        yield header[:1], stream.read(struct.unpack("<I", header[1:])[0])


def cross_check(
    program: Path, seed: int, count: int, core: str, instruction_set: str
) -> tuple[list[str], str]:
    """Compares `count` instructions. Gives the differences and the statistics."""
    differences: list[str] = []
    statistics = ""
    command = [str(program), str(seed), str(count), core, instruction_set]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        for kind, content in frames(process.stdout):
            if kind == b"B":
                differences += compare(Batch.read(content), core)
            else:
                statistics = content.decode()
            if len(differences) > 20:
                process.kill()
                break
    return differences, statistics


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the generator."""
    build = "cargo build --quiet --release --locked -p socscope-arm --example differential"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / "differential"


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("instruction_set", ["arm", "thumb"])
@pytest.mark.parametrize("part", range(PARTS))
def test_interpreter_agrees_with_unicorn(program: Path, core: str, instruction_set: str, part: int) -> None:
    count = INSTRUCTIONS // PARTS // 2
    differences, statistics = cross_check(program, SEED + part, count, core, instruction_set)
    assert differences == []
    rows = [line.split("\t") for line in statistics.splitlines()]
    compared = {row[3]: int(row[1]) for row in rows if row[0] == "encoding"}
    few = {
        name: number
        for name, number in compared.items()
        if number < count // 5000 and name not in NEVER_COMPARED
    }
    assert not few, "encodings hardly compared"
    print(f"{core}, {instruction_set}: {sum(compared.values())} instructions compared, none differs")


def test_exclusions_are_a_small_part_of_every_encoding(program: Path) -> None:
    for core, instruction_set in product(CORES, ("arm", "thumb")):
        _, statistics = cross_check(program, 99, 50_000, core, instruction_set)
        rows = [line.split("\t") for line in statistics.splitlines()]
        excluded: dict[str, float] = {}
        for row in rows:
            if row[0] == "excluded":
                excluded[row[3]] = excluded.get(row[3], 0) + int(row[1]) / int(row[2])
        large = {name: round(share, 2) for name, share in excluded.items() if share > 0.5}
        # Most random words with S write back or leave out r15; half of all lists have r15.
        # Half of Thumb's holes are other instructions in unicorn.
        assert set(large) <= LARGELY_EXCLUDED | NEVER_COMPARED


def test_a_difference_is_seen() -> None:
    """A wrong expected state is reported: MOV r0, #1 with r0 expected to be 2."""
    state = [0] * 15 + [0x1F, 0]
    block = (0x100000, 1, 1, 0x100004, 0, *state, 2, *state[1:], 0xE3A00001, *[0] * (BLOCK_WORDS - 1))
    code = struct.pack("<I", 0xE3A00001).ljust(0x1000, b"\0")
    banks = (0,) * 56
    batch = Batch(False, 0x100000, 0x400000, code, bytes(0x1000), bytes(0x1000), banks, banks, [block])
    (line,) = compare(batch, "arm7tdmi")
    assert line.endswith("r0 0x00000001, expected 0x00000002")
