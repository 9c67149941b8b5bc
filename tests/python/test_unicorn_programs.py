"""Whole random programs in unicorn and in the translating engine: registers, flags and memory are equal."""

from __future__ import annotations

import importlib
import os
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Unicorn's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
arm: Any = importlib.import_module("unicorn.arm_const")

ROOT = Path(__file__).parents[2]
# The fixed share that the tests run; `make fuzz` sets the number.
INSTRUCTIONS = int(os.environ.get("SOCSCOPE_FUZZ_INSTRUCTIONS", "20000000"))
SEED = int(os.environ.get("SOCSCOPE_FUZZ_SEED", "1"))
PARTS = 2
SEEDS_OF_A_PART = 10_000_000
MEMORIES = {0: 0x8000, 0x01000000: 0x10000, 0x02000000: 0x10000}
STATUS_AT_RESET = 0xD3
STATUS_BITS = 0xF00000FF
REGISTERS = [
    *(arm.UC_ARM_REG_R0 + n for n in range(13)),
    arm.UC_ARM_REG_SP,
    arm.UC_ARM_REG_LR,
    arm.UC_ARM_REG_CPSR,
]


@dataclass
class Program:
    """A program and what the translating engine leaves behind."""

    seed: int
    instructions: int
    entry: int
    end: int
    registers: list[int]
    segments: list[tuple[int, bytes]]
    memories: list[tuple[int, bytes]]

    @staticmethod
    def read(content: bytes) -> Program:
        seed, instructions, entry, end, *registers = struct.unpack_from("<20I", content)
        at = 80

        def blocks() -> Iterator[tuple[int, bytes]]:
            nonlocal at
            while True:
                address, size = struct.unpack_from("<2I", content, at)
                at += 8 + size
                if size == 0:
                    return
                yield address, content[at - size : at]

        segments = list(blocks())
        return Program(seed, instructions, entry, end, registers, segments, list(blocks()))


def differences(program: Program) -> list[str]:
    """Runs the program in unicorn's ARMv4T core (TI925T). Gives what is different afterwards."""
    uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    uc.ctl_set_cpu_model(arm.UC_CPU_ARM_TI925T)
    for address, size in MEMORIES.items():
        uc.mem_map(address, size)
    # Unicorn starts with bit 8 set, which an ARM7TDMI does not have.
    uc.reg_write(arm.UC_ARM_REG_CPSR, STATUS_AT_RESET)
    for address, content in program.segments:
        uc.mem_write(address, content)
    try:
        # A limit of instructions would make unicorn slow: a runaway ends by time instead.
        uc.emu_start(program.entry, program.end, timeout=60_000_000)
    except unicorn.UcError as error:
        return [f"unicorn: {error} at {uc.reg_read(arm.UC_ARM_REG_PC):#x}"]
    if uc.reg_read(arm.UC_ARM_REG_PC) != program.end:
        return ["unicorn does not come to the end"]
    found = list(uc.reg_read_batch(REGISTERS))
    found[15] &= STATUS_BITS
    names = [*(f"r{n}" for n in range(15)), "cpsr"]
    rows = zip(names, found, program.registers, strict=True)
    lines = [f"{name} {got:#010x}, expected {want:#010x}" for name, got, want in rows if got != want]
    for address, expected in program.memories:
        content = bytes(uc.mem_read(address, len(expected)))
        at = next((n for n in range(len(expected)) if content[n] != expected[n]), None)
        if at is not None:
            lines.append(f"memory at {address + at:#x}: {content[at]:#x}, expected {expected[at]:#x}")
    return lines


def programs(fuzz: Path, seed: int, instructions: int) -> Iterator[Program]:
    command = [str(fuzz), "--portable", "--seed", str(seed), "--instructions", str(instructions)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        while header := process.stdout.read(4):
            yield Program.read(process.stdout.read(struct.unpack("<I", header)[0]))
    assert process.returncode == 0


@pytest.fixture(scope="module")
def fuzz() -> Path:
    """Builds the generator."""
    build = "cargo build --quiet --release --locked -p socscope-fuzz"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "socscope-fuzz"


@pytest.mark.parametrize("part", range(PARTS))
def test_translated_programs_agree_with_unicorn(fuzz: Path, part: int) -> None:
    count = executed = 0
    for program in programs(fuzz, SEED + part * SEEDS_OF_A_PART, INSTRUCTIONS // PARTS):
        found = differences(program)
        assert found == [], f"seed {program.seed}"
        count, executed = count + 1, executed + program.instructions
    assert executed >= INSTRUCTIONS // PARTS
    print(f"{count} whole programs, {executed} instructions compared, none differs")


def test_a_difference_is_seen(fuzz: Path) -> None:
    """One bit of what is expected is wrong."""
    program = next(iter(programs(fuzz, 1, 1)))
    assert differences(program) == []
    program.registers[4] ^= 1
    address, content = program.memories[1]
    program.memories[1] = (address, bytes([content[0] ^ 2]) + content[1:])
    register, memory = differences(program)
    assert register.startswith("r4 ")
    assert memory.startswith("memory at 0x2000000: ")
