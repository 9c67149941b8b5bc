"""PowerPC's encodings, as the reference page shows them, against capstone's names."""

from __future__ import annotations

import importlib
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Capstone's own types are incomplete.
capstone: Any = importlib.import_module("capstone")

ROOT = Path(__file__).parents[2]


@dataclass
class Encoding:
    """One row of the reference page."""

    name: str
    bits: str

    def __str__(self) -> str:
        return self.name

    def bits_that_are(self, letters: str) -> int:
        return sum(1 << (31 - n) for n, bit in enumerate(self.bits.replace(" ", "")) if bit in letters)

    def word(self, source: random.Random) -> int:
        fixed = {"0": "0", "1": "1", "z": "0", "o": "1"}
        text = self.bits.replace(" ", "")
        return int("".join(fixed.get(letter) or source.choice("01") for letter in text), 2)


def encodings() -> list[Encoding]:
    page = (ROOT / "docs" / "reference" / "powerpc-encodings.md").read_text()
    return [
        Encoding(row[1], row[2]) for row in re.finditer(r"^\| ([^|`]+) \| `([^`]+)` \|", page, re.MULTILINE)
    ]


ENCODINGS = {encoding.name: encoding for encoding in encodings()}
WORDS = 2000
# What capstone calls the forms of one encoding; others are the name, with a dot or an o.
SIMPLIFIED = {
    "addi": r"li|addi|subi|la",
    "addis": r"lis|addis|subis",
    "addic": r"addic|subic",
    "addic.": r"addic\.|subic\.",
    "add": r"add",
    "subf": r"subf?",
    "subfc": r"subf?c",
    "ori": r"ori|nop",
    "xori": r"xori|xnop",
    "or": r"or|mr",
    "nor": r"nor|not",
    "cmp": r"cmp[wd]?",
    "cmpl": r"cmpl[wd]?",
    "cmpi": r"cmp[wd]?i",
    "cmpli": r"cmpl[wd]?i",
    "rlwinm": r"rlwinm|rotlwi|slwi|srwi|clrlwi|clrrwi|rotrwi",
    "rlwnm": r"rlwnm|rotlw",
    "rlwimi": r"rlwimi|insrwi|inslwi",
    "creqv": r"creqv|crset",
    "crxor": r"crxor|crclr",
    "cror": r"cror|crmove",
    "crnor": r"crnor|crnot",
    "b": r"b[la]*",
    "bc": r"b[a-z]*[-+]?",
    "bclr": r"b[a-z]*lrl?[-+]?",
    "bcctr": r"b[a-z]*ctrl?[-+]?",
    "tw": r"tw[a-z]*|trap",
    "twi": r"tw[a-z]*i",
    "sync": r"sync|msync|hwsync|lwsync|ptesync",
    "eieio": r"eieio|mbar",
    "mfspr": r"mf[a-z0-9]+",
    "mtspr": r"mt[a-z0-9]+",
    "mftb": r"mf[a-z0-9]+",
    "mtcrf": r"mtcrf|mtcr|mtocrf",
    "mtfsf": r"mtfsf",
    "dcbt": r"dcbt[a-z]*",
    "dcbtst": r"dcbtst[a-z]*",
    "dcbf": r"dcbf[a-z]*",
    "mfcr": r"mfcr|mfocrf",
    "dst": r"dstt?",
    "dstst": r"dststt?",
    "dss": r"dss(?:all)?",
    "vor": r"vor|vmr",
    "vnor": r"vnor|vnot",
}
# Capstone 5 does not know them.
UNKNOWN = {"Unallocated", "mcrxr", "lswx", "stswx", "eciwx", "ecowx", "tlbld", "tlbli", "mcrfs", "fcmpo"}


def expression(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{SIMPLIFIED.get(name, re.escape(name))})o?\.?")


@pytest.mark.parametrize("encoding", [e for e in ENCODINGS.values() if e.name not in UNKNOWN], ids=str)
def test_capstone_gives_the_same_name(encoding: Encoding) -> None:
    disassembler = capstone.Cs(capstone.CS_ARCH_PPC, capstone.CS_MODE_32 | capstone.CS_MODE_BIG_ENDIAN)
    source = random.Random(encoding.name)
    name = expression(encoding.name)
    decoded = 0
    for _ in range(WORDS):
        word = encoding.word(source)
        found = next(disassembler.disasm(word.to_bytes(4, "big"), 0x8000), None)
        if found is None:
            continue
        decoded += 1
        assert name.fullmatch(found.mnemonic), f"{word:08x} {found.mnemonic} {found.op_str}"
    assert decoded > WORDS // 50


@dataclass
class Pattern:
    """An encoding as numbers."""

    name: str
    mask: int
    value: int
    reserved: int
    expression: re.Pattern[str]


def patterns() -> dict[int, list[Pattern]]:
    """All encodings, by primary opcode."""
    found: dict[int, list[Pattern]] = {}
    for encoding in ENCODINGS.values():
        if encoding.name != "Unallocated":
            value = encoding.bits_that_are("1")
            numbers = (encoding.bits_that_are("01"), value, encoding.bits_that_are("z"))
            found.setdefault(value >> 26, []).append(
                Pattern(encoding.name, *numbers, expression(encoding.name))
            )
    return found


# Forms with OE = 1, which capstone 5 does not know either.
OVERFLOW_ENABLE = 1 << 10
OVERFLOWING = {"add", "subf", "addc", "subfc", "adde", "subfe", "addme", "subfme", "addze", "subfze", "neg"}
OVERFLOWING |= {"mullw", "divw", "divwu"}
# A fixed share runs in the tests; `make fuzz` sets the number.
RANDOM_WORDS = int(os.environ.get("SOCSCOPE_FUZZ_INSTRUCTIONS", "1000000")) // 5


def test_random_words_are_what_capstone_says() -> None:
    """Where only one of both knows a word, there is a reason: reserved bits, or other cores' instructions."""
    disassembler = capstone.Cs(capstone.CS_ARCH_PPC, capstone.CS_MODE_32 | capstone.CS_MODE_BIG_ENDIAN)
    source = random.Random(1)
    by_primary = patterns()
    names = {name for listed in by_primary.values() for name in (pattern.name for pattern in listed)}
    wrong, both, only_ours, only_theirs = [], 0, 0, 0
    for number in range(RANDOM_WORDS):
        word = source.getrandbits(32)
        if number % 4:
            word = word & 0x03FFFFFF | source.choice((4, 19, 31, 59, 63)) << 26
        ours = next((p for p in by_primary.get(word >> 26, ()) if word & p.mask == p.value), None)
        theirs = next(disassembler.disasm_lite(word.to_bytes(4, "big"), 0x8000), None)
        if ours and theirs:
            both += 1
            # Later cores made instructions of reserved bits, the 40x family of tlbld and tlbli.
            same = ours.expression.fullmatch(theirs[2])
            good = bool(same or word & ours.reserved) or ours.name in ("tlbld", "tlbli")
        elif ours:
            only_ours += 1
            overflowing = ours.name in OVERFLOWING and word & OVERFLOW_ENABLE
            good = bool(word & ours.reserved or overflowing or ours.name in UNKNOWN)
        elif theirs:
            only_theirs += 1
            good = theirs[2].rstrip(".") not in names
        else:
            continue
        if not good:
            wrong.append((f"{word:08x}", ours and ours.name, theirs and theirs[2]))
    assert wrong == []
    assert both > RANDOM_WORDS // 5
    print(f"{RANDOM_WORDS} words: {both} known to both, {only_ours} to us, {only_theirs} to capstone alone")
