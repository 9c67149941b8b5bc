"""PowerPC's text vectors against unicorn."""

from __future__ import annotations

import importlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Unicorn's own types are incomplete.
unicorn: Any = importlib.import_module("unicorn")
ppc: Any = importlib.import_module("unicorn.ppc_const")

ROOT = Path(__file__).parents[2]
RAM_BYTES = 0x10000
# Moves to and from special registers stand here, one place for each.
SCRATCH = 0xC000
SPECIAL = {"xer": 1, "dsisr": 18, "dar": 19, "srr0": 26, "srr1": 27, "vrsave": 256}
SPECIAL |= {f"sprg{n}": 272 + n for n in range(4)}
NAMED = {
    "cr": ppc.UC_PPC_REG_CR,
    "lr": ppc.UC_PPC_REG_LR,
    "ctr": ppc.UC_PPC_REG_CTR,
    "msr": ppc.UC_PPC_REG_MSR,
    "fpscr": ppc.UC_PPC_REG_FPSCR,
    "pc": ppc.UC_PPC_REG_PC,
}
NAMED |= {f"r{n}": ppc.UC_PPC_REG_0 + n for n in range(32)}
NAMED |= {f"f{n}": ppc.UC_PPC_REG_FPR0 + n for n in range(32)}
# Vector registers go over memory, from 3000 on; their moves stand from 4000 on.
LOAD_VECTOR, STORE_VECTOR = 0x7C0000CE, 0x7C0001CE
VECTORS_AT, VECTOR_MOVES_AT = 0x3000, 0x4000
LOAD_STATUS, STORE_STATUS = 0x10000644, 0x10000604
# FR, which unicorn leaves out, and FI, which it clears too often.
LAST_ROUNDING = 3 << 17
State = dict[str, int]


@dataclass
class Vector:
    """One line."""

    file: str
    word: int
    before: State
    after: State
    text: str
    remark: str

    def __str__(self) -> str:
        before = " ".join(f"{name}={value:x}" for name, value in self.before.items())
        return f"{self.file}: {self.word:08x} {self.text} {before}"


def pairs(column: str) -> State:
    items = (item.partition("=") for item in column.split())
    return {name: int(value, 16) for name, _, value in items if name not in ("bus", "reserved")}


def read(path: Path) -> list[Vector]:
    vectors = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        word, _, before, after, text = (column.strip() for column in line.split("|"))
        assembly, _, remark = (part.strip() for part in text.partition(";"))
        vectors.append(Vector(path.stem, int(word, 16), pairs(before), pairs(after), assembly, remark))
    return vectors


VECTORS = [v for path in sorted((ROOT / "tests" / "instructions").glob("powerpc-*.txt")) for v in read(path)]
PORTABLE = [vector for vector in VECTORS if "[e600]" not in vector.remark]


class Reference:
    """Unicorn with one state."""

    def __init__(self, state: State) -> None:
        self.uc = unicorn.Uc(unicorn.UC_ARCH_PPC, unicorn.UC_MODE_PPC32 | unicorn.UC_MODE_BIG_ENDIAN)
        self.uc.ctl_set_cpu_model(ppc.UC_CPU_PPC32_MPC8641D)
        self.uc.mem_map(0, RAM_BYTES)
        for name in sorted(state, key=lambda name: (name != "vscr", name not in SPECIAL and name[0] != "v")):
            value = state[name]
            if name[0] == "v" and name not in SPECIAL:
                self.vector(name, value)
            elif name in SPECIAL:
                self.uc.reg_write(NAMED["r0"], value)
                self.scratch(467, SPECIAL[name])
            elif name.startswith("["):
                self.uc.mem_write(int(name[1:-1], 16), value.to_bytes(4, "big"))
            else:
                self.uc.reg_write(NAMED[name], value)

    def scratch(self, move: int, number: int) -> None:
        """Moves r0 to or from a special register."""
        at = SCRATCH + 16 * len(SPECIAL) * (move == 467) + 16 * list(SPECIAL.values()).index(number)
        word = 31 << 26 | (number & 31) << 16 | number >> 5 << 11 | move << 1
        self.uc.mem_write(at, struct.pack(">I", word))
        self.uc.emu_start(at, at + 4, count=1)

    def vector(self, name: str, value: int | None = None) -> int:
        """Writes a vector register, or the vector status by way of v0; without a value, reads it."""
        register = 0 if name == "vscr" else int(name[1:])
        place = VECTORS_AT + 16 * register
        if value is None:
            words = [STORE_STATUS] * (name == "vscr") + [STORE_VECTOR | register << 21]
        else:
            self.uc.mem_write(place, value.to_bytes(16, "big"))
            words = [LOAD_VECTOR | register << 21] + [LOAD_STATUS] * (name == "vscr")
        at = VECTOR_MOVES_AT + 32 * (register + 32 * (name == "vscr") + 64 * (value is None))
        self.uc.mem_write(at, struct.pack(f">{len(words)}I", *words))
        kept = [(NAMED[kept], self.uc.reg_read(NAMED[kept])) for kept in ("r0", "pc", "msr")]
        self.uc.reg_write(NAMED["r0"], place)
        self.uc.reg_write(NAMED["msr"], 0x2002000)
        self.uc.emu_start(at, at + 4 * len(words), count=len(words))
        self.uc.reg_write_batch(kept)
        return int.from_bytes(self.uc.mem_read(place, 16), "big")

    def value(self, name: str) -> int:
        if name[0] == "v" and name not in SPECIAL:
            return self.vector(name)
        if name.startswith("["):
            return int.from_bytes(self.uc.mem_read(int(name[1:-1], 16), 4), "big")
        if name in SPECIAL:
            self.scratch(339, SPECIAL[name])
            name = "r0"
        value = int(self.uc.reg_read(NAMED[name]))
        return value & ~LAST_ROUNDING if name == "fpscr" else value


@pytest.mark.parametrize("vector", PORTABLE, ids=str)
def test_unicorn_gives_what_the_vector_expects(vector: Vector) -> None:
    state = dict.fromkeys((f"{kind}{n}" for kind in "rf" for n in range(32)), 0)
    state |= {"cr": 0, "lr": 0, "ctr": 0, "fpscr": 0, "xer": 0, "msr": 0x2003000, "pc": 0x8000}
    state |= vector.before
    if "dec" in state:
        del state["dec"]
    address = state["pc"]
    reference = Reference(state)
    reference.uc.mem_write(address, vector.word.to_bytes(4, "big"))
    # Scratch moves leave something in r0.
    reference.uc.reg_write(NAMED["r0"], state["r0"])
    reference.uc.emu_start(address, 0xFFFFFFFC, count=1)
    expected = state | {"pc": address + 4} | {name: v for name, v in vector.after.items() if name != "dec"}
    expected["fpscr"] &= ~LAST_ROUNDING
    # Special registers come last: reading them needs r0.
    names = sorted(expected, key=lambda name: (name in SPECIAL, name == "vscr"))
    assert {name: reference.value(name) for name in names} == expected


def test_most_vectors_are_checked_by_unicorn() -> None:
    assert len(PORTABLE) > 0.6 * len(VECTORS) > 300
