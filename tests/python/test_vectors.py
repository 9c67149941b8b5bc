"""The text vectors of tests/instructions against unicorn (expected values) and capstone (assembly)."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Unicorn's and capstone's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
arm: Any = importlib.import_module("unicorn.arm_const")
capstone: Any = importlib.import_module("capstone")

FOLDER = Path(__file__).parents[1] / "instructions"
MODES = {"usr": 0x10, "fiq": 0x11, "irq": 0x12, "svc": 0x13, "abt": 0x17, "und": 0x1B, "sys": 0x1F}
REGISTERS = [*(arm.UC_ARM_REG_R0 + n for n in range(13)), arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR]
RAM_BYTES = 0x10000
# Versions, by the ends of files' names: unicorn's core, and the bits of the status register that it has.
CORES = {
    "v5te": (arm.UC_CPU_ARM_926, 0xF80000FF),
    "v6": (arm.UC_CPU_ARM_11MPCORE, 0xF80F03FF),
}
ARMV4T = (arm.UC_CPU_ARM_TI925T, 0xF00000FF)


@dataclass
class Vector:
    """One line."""

    file: str
    word: int
    before: list[tuple[str, str]]
    after: list[tuple[str, str]]
    text: str
    remark: str

    @property
    def thumb(self) -> bool:
        return self.file.startswith("thumb")

    @property
    def core(self) -> tuple[int, int]:
        return CORES.get(self.file.rpartition("-")[2], ARMV4T)

    def __str__(self) -> str:
        return f"{self.file}: {self.word:x} {self.text}"


def pairs(column: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (item.partition("=") for item in column.split())]


def read(path: Path) -> list[Vector]:
    vectors = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        word, _, before, after, text = (column.strip() for column in line.split("|"))
        assembly, _, remark = (part.strip() for part in text.partition(";"))
        items = (pairs(before), pairs(after))
        vectors.append(Vector(path.stem, int(word, 16), *items, assembly, remark))
    return vectors


PATHS = [*FOLDER.glob("arm-*.txt"), *FOLDER.glob("thumb-*.txt")]
VECTORS = [vector for path in sorted(PATHS) for vector in read(path)]
PORTABLE = [vector for vector in VECTORS if "[arm7]" not in vector.remark]
State = dict[str, int]


def initial(thumb: bool) -> State:
    state = dict.fromkeys((f"r{n}" for n in range(15)), 0)
    return state | {"cpsr": 0x1F | thumb << 5, "pc": 0x8000}


def with_bit(value: int, bit: int, on: bool) -> int:
    return value & ~(1 << bit) | on << bit


def apply(state: State, items: list[tuple[str, str]]) -> None:
    """Sets what the items name; banked registers under names like r13_usr."""
    for name, value in items:
        if name == "flags":
            bits = sum(1 << (31 - n) for n, letter in enumerate("NZCVQ") if letter in value)
            state["cpsr"] = state["cpsr"] & 0x07FFFFFF | bits
        elif name == "ge":
            state["cpsr"] = state["cpsr"] & ~0xF0000 | int(value, 16) << 16
        elif name == "mode":
            state["cpsr"] = state["cpsr"] & ~0x1F | MODES[value]
        elif name in ("irq", "fiq", "aborts"):
            state["cpsr"] = with_bit(state["cpsr"], {"irq": 7, "fiq": 6, "aborts": 8}[name], value == "off")
        elif name == "data":
            state["cpsr"] = with_bit(state["cpsr"], 9, value == "big")
        elif name == "thumb":
            state["cpsr"] = with_bit(state["cpsr"], 5, value == "on")
        elif name not in ("bus", "mark", "unaligned", "alignment", "vectors", "handlers", "exclusive"):
            state["pc" if name == "at" else name] = int(value, 16)


class Reference:
    """Unicorn with one state."""

    def __init__(self, state: State, core: tuple[int, int]) -> None:
        model, self.status_bits = core
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(model)
        self.uc.mem_map(0, RAM_BYTES)
        mode = state["cpsr"] & 0x1F
        for name, value in state.items():
            register, _, bank = name.partition("_")
            self.uc.reg_write(arm.UC_ARM_REG_CPSR, MODES.get(bank, mode))
            if name.startswith("["):
                self.uc.mem_write(int(name[1:-1], 16), value.to_bytes(4, "little"))
            elif register.startswith("r"):
                self.uc.reg_write(REGISTERS[int(register[1:])], value)
            elif register == "spsr":
                self.uc.reg_write(arm.UC_ARM_REG_SPSR, value)
        self.uc.reg_write(arm.UC_ARM_REG_CPSR, state["cpsr"])

    def value(self, name: str) -> int:
        register, _, bank = name.partition("_")
        if name.startswith("["):
            return int.from_bytes(self.uc.mem_read(int(name[1:-1], 16), 4), "little")
        if name == "cpsr":
            return int(self.uc.reg_read(arm.UC_ARM_REG_CPSR)) & self.status_bits
        if name == "pc":
            return int(self.uc.reg_read(arm.UC_ARM_REG_PC))
        now = self.uc.reg_read(arm.UC_ARM_REG_CPSR)
        if bank:
            self.uc.reg_write(arm.UC_ARM_REG_CPSR, MODES[bank])
        index = arm.UC_ARM_REG_SPSR if register == "spsr" else REGISTERS[int(register[1:])]
        value = int(self.uc.reg_read(index))
        self.uc.reg_write(arm.UC_ARM_REG_CPSR, now)
        return value


@pytest.mark.parametrize("vector", PORTABLE, ids=str)
def test_unicorn_gives_what_the_vector_expects(vector: Vector) -> None:
    state = initial(vector.thumb)
    apply(state, vector.before)
    reference = Reference(state, vector.core)
    address, size = state["pc"], 2 if vector.thumb else 4
    reference.uc.mem_write(address, vector.word.to_bytes(size, "little"))
    mode = state["cpsr"] & 0x1F
    # What the mode saw under its bare names stays in its bank.
    expected = state | {"pc": address + size}
    apply(expected, vector.after)
    if expected["cpsr"] & 0x1F != mode:
        banked = {f"r{n}" for n in range(8, 15)} | {"spsr"}
        expected = {name: value for name, value in expected.items() if name not in banked}
    reference.uc.emu_start(address | vector.thumb, 0xFFFFFFFE, count=1)
    found = {name: reference.value(name) for name in expected}
    assert found == expected


def test_most_vectors_are_checked_by_unicorn() -> None:
    assert len(PORTABLE) > 0.7 * len(VECTORS) > 200


# Older or longer ways to write what capstone writes its own way.
SYNONYMS = [
    (r"\bsb\b", "r9"),
    (r"\bsl\b", "r10"),
    (r"\bfp\b", "r11"),
    (r"\br13\b", "sp"),
    (r"\br14\b", "lr"),
    (r"^swi", "svc"),
    (r"^(mov|b)cs", r"\1hs"),
    (r"^(mov|b)cc", r"\1lo"),
    (r"^(ldm|stm)ia", r"\1"),
    (r"^mov(s?) (\w+, \w+), (\w+) (\w+)$", r"\3\1 \2, \4"),
    (r"^mov(s?) (\w+, \w+), rrx$", r"rrx\1 \2"),
    (r"^lsls (\w+, \w+), 0$", r"movs \1"),
    (r"^adr (\w+), ", r"add \1, pc, "),
    (r"\bapsr_nzcvqg\b", "cpsr_fs"),
    (r"\bapsr_nzcvq\b", "cpsr_f"),
    (r"\bapsr_g\b", "cpsr_s"),
    (r"\bapsr\b", "cpsr"),
    (r"\bcr(\d)", r"c\1"),
    (r"\{(\d)\}", r"\1"),
    (r"\} \^", "}^"),
]


def normal(text: str) -> str:
    """Assembly as both sides write it."""
    text = re.sub(r"#?(-?)0x([0-9a-f]+)", lambda m: str(int(m[1] + m[2], 16)), text.lower())
    text = re.sub(r"\s+", " ", text).replace("#", "")
    for pattern, replacement in SYNONYMS:
        text = re.sub(pattern, replacement, text)
    return text


@pytest.mark.parametrize("thumb", [False, True])
def test_capstone_reads_the_words_as_the_vectors_do(thumb: bool) -> None:
    mode = capstone.CS_MODE_THUMB if thumb else capstone.CS_MODE_ARM
    disassembler = capstone.Cs(capstone.CS_ARCH_ARM, mode)
    wrong = []
    for vector in (vector for vector in VECTORS if vector.thumb == thumb and vector.text):
        address = int(dict(vector.before).get("at", "8000"), 16)
        code = vector.word.to_bytes(2 if thumb else 4, "little")
        (found,) = disassembler.disasm(code, address)
        text = f"{found.mnemonic} {found.op_str}".strip()
        if normal(text) != normal(vector.text):
            wrong.append((text, vector.text))
    assert wrong == []
