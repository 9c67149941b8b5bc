"""The PowerPC interpreter against unicorn: random sequences over every encoding, states compared."""

from __future__ import annotations

import importlib
import os
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

# Unicorn's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
ppc: Any = importlib.import_module("unicorn.ppc_const")

ROOT = Path(__file__).parents[2]
CODE_BYTES = 0x200000
BLOCK_WORDS = 14
WORDS, DOUBLES = 37, 32
BLOCK = struct.Struct(f"<4I{WORDS}I{DOUBLES}Q{WORDS}I{DOUBLES}Q{BLOCK_WORDS}I")
HEAD, STATE = 4, WORDS + DOUBLES
REGISTERS = [
    *(ppc.UC_PPC_REG_0 + n for n in range(32)),
    ppc.UC_PPC_REG_CR,
    ppc.UC_PPC_REG_LR,
    ppc.UC_PPC_REG_CTR,
    ppc.UC_PPC_REG_FPSCR,
    ppc.UC_PPC_REG_MSR,
    *(ppc.UC_PPC_REG_FPR0 + n for n in range(32)),
    ppc.UC_PPC_REG_PC,
]
NAMES = [
    *(f"r{n}" for n in range(32)),
    "cr",
    "lr",
    "ctr",
    "fpscr",
    "msr",
    *(f"f{n}" for n in range(32)),
    "pc",
]
FPSCR = NAMES.index("fpscr")
# FR, which unicorn leaves out, and FI, which it clears too often.
LAST_ROUNDING = 3 << 17
# fctiw, fctiwz, mffs: the upper half of the result is undefined.
HALF_DEFINED = (14, 15, 583)
# QEMU's numbers of the exceptions that sequences may end with, by vector; 96 is left to a hypervisor.
EXCEPTIONS: dict[int, set[int | None]] = {0: {None}, 0x700: {6, 96}, 0xC00: {8}}
# The fixed share that the tests run; `make fuzz` sets the number.
INSTRUCTIONS = int(os.environ.get("SOCSCOPE_FUZZ_INSTRUCTIONS", "1000000")) // 4
SEED = int(os.environ.get("SOCSCOPE_FUZZ_SEED", "1"))


@dataclass
class Batch:
    """Sequences that share data, vector and special registers; see the example `powerpc_differential`."""

    code_address: int
    data_address: int
    data_before: bytes
    data_after: bytes
    blocks: list[tuple[int, ...]]

    @staticmethod
    def read(content: bytes) -> Batch:
        code_at, data_at, data_size, blocks = struct.unpack_from("<4I", content)
        at = 16
        before = content[at : (at := at + data_size)]
        after = content[at : (at := at + data_size)]
        sequences = [BLOCK.unpack_from(content, at + BLOCK.size * n) for n in range(blocks)]
        return Batch(code_at, data_at, before, after, sequences)


class Reference:
    """Unicorn's core of the MPC8641D."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.exception: int | None = None
        self.uc = unicorn.Uc(unicorn.UC_ARCH_PPC, unicorn.UC_MODE_PPC32 | unicorn.UC_MODE_BIG_ENDIAN)
        self.uc.ctl_set_cpu_model(ppc.UC_CPU_PPC32_MPC8641D)
        self.uc.mem_map(batch.code_address, CODE_BYTES)
        self.uc.mem_map(batch.data_address, len(batch.data_before))
        self.uc.mem_write(batch.data_address, batch.data_before)
        for block in batch.blocks:
            words = block[-BLOCK_WORDS:]
            self.uc.mem_write(block[0], struct.pack(f">{BLOCK_WORDS}I", *words))
        self.uc.hook_add(unicorn.UC_HOOK_INTR, self.interrupted)

    def interrupted(self, _uc: object, number: int, _data: object) -> None:
        self.exception = number
        self.uc.emu_stop()

    def run(self, block: tuple[int, ...]) -> str | None:
        """Runs one sequence. Gives the difference, if there is one."""
        address, count, end, exception = block[:HEAD]
        before, after = block[HEAD : HEAD + STATE], block[HEAD + STATE : HEAD + 2 * STATE]
        self.uc.reg_write_batch(list(zip(REGISTERS, before, strict=False)))
        self.exception = None
        try:
            self.uc.emu_start(address, 0xFFFFFFFC if exception else end, count=count)
        except unicorn.UcError as error:
            if error.errno != unicorn.UC_ERR_INSN_INVALID:
                return f"unicorn: {error}"
            self.exception = 6
        found = list(self.uc.reg_read_batch(REGISTERS))
        found[FPSCR] &= ~LAST_ROUNDING
        expected = [*after, end]
        expected[FPSCR] &= ~LAST_ROUNDING
        last = block[-BLOCK_WORDS:][count - 1]
        if last >> 26 == 63 and last >> 1 & 0x3FF in HALF_DEFINED:
            register = WORDS + (last >> 21 & 31)
            expected[register] = expected[register] & 0xFFFFFFFF | found[register] & ~0xFFFFFFFF
        if self.exception not in EXCEPTIONS[exception]:
            return f"exception {self.exception}, expected {exception:#x}"
        if exception:
            # Unicorn enters no handler, and its address may be the next one.
            expected[-1] = found[-1]
        if found == expected:
            return None
        return ", ".join(
            f"{name} {got:#x}, expected {want:#x}"
            for name, got, want in zip(NAMES, found, expected, strict=True)
            if got != want
        )

    def final_difference(self) -> str | None:
        batch = self.batch
        data = bytes(self.uc.mem_read(batch.data_address, len(batch.data_after)))
        if data == batch.data_after:
            return None
        at = next(n for n in range(len(data)) if data[n] != batch.data_after[n])
        return f"data at {batch.data_address + at:#x}"


def compare(batch: Batch) -> list[str]:
    """All differences of a batch, as lines for people."""
    reference = Reference(batch)
    differences = []
    for block in batch.blocks:
        if difference := reference.run(block):
            words = " ".join(f"{word:08x}" for word in block[-BLOCK_WORDS:][: block[1]])
            before = " ".join(
                f"{name}={value:x}" for name, value in zip(NAMES, block[HEAD : HEAD + STATE], strict=False)
            )
            differences.append(f"{words} at {block[0]:#x} from [{before}]: {difference}")
    if not differences and (difference := reference.final_difference()):
        differences.append(difference)
    return differences


def frames(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    while header := stream.read(5):
        yield header[:1], stream.read(struct.unpack("<I", header[1:])[0])


def cross_check(program: Path, seed: int, count: int) -> tuple[list[str], str]:
    """Compares `count` instructions. Gives the differences and the statistics."""
    differences: list[str] = []
    statistics = ""
    with subprocess.Popen([str(program), str(seed), str(count)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        for kind, content in frames(process.stdout):
            if kind == b"B":
                differences += compare(Batch.read(content))
            else:
                statistics = content.decode()
            if len(differences) > 20:
                process.kill()
                break
    return differences, statistics


@pytest.fixture(scope="module")
def program() -> Path:
    """Builds the generator."""
    build = "cargo build --quiet --locked -p socscope-powerpc --example powerpc_differential"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    return ROOT / "target" / "debug" / "examples" / "powerpc_differential"


def test_interpreter_agrees_with_unicorn(program: Path) -> None:
    differences, statistics = cross_check(program, SEED, INSTRUCTIONS)
    assert differences == []
    rows = [line.split("\t") for line in statistics.splitlines()]
    total = sum(int(row[1]) for row in rows if row[0] == "encoding")
    print(f"{total} PowerPC instructions compared:\n{statistics}")
    excluded: Counter[str] = Counter()
    for row in rows:
        if row[0] == "excluded":
            excluded[row[3]] += int(row[1])
    compared = {
        name: int(number)
        for kind, number, candidates, name, *_ in rows
        if kind == "encoding" and excluded[name] < int(candidates)
    }
    few = {name: number for name, number in compared.items() if number < INSTRUCTIONS // 5000}
    assert not few, "encodings hardly compared"
