"""The encodings, as the reference page shows them, against capstone's names of random words."""

from __future__ import annotations

import importlib
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Capstone's own types are incomplete.
capstone: Any = importlib.import_module("capstone")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "arm-encodings.md"
WORDS = 200
ALWAYS = "1110"
# Names that capstone gives where the manual of version 4T has another.
SYNONYMS = {
    "mov": {"lsl", "lsr", "asr", "ror", "rrx", "nop"},
    "lsl": {"mov"},
    "neg": {"rsb"},
    "swi": {"svc"},
    "add": {"adr", "adds", "addw"},
    "stm": {"push"},
    "ldm": {"pop"},
    "str": {"push"},
    "ldr": {"pop"},
    "stmia": {"stm"},
    "ldmia": {"ldm"},
    "bcs": {"bhs"},
    "bcc": {"blo"},
    "msr": {"nop", "yield", "wfe", "wfi", "sev", "hint", "sevl", "csdb", "dbg", "esb"},
}
# Additions whose Rn is r15 add nothing, and have another name.
SYNONYMS |= {f"{kind}xta{width}": {f"{kind}xt{width}"} for kind in "su" for width in ("b", "h", "b16")}
SYNONYMS |= {"usada8": {"usad8"}, "smlad": {"smuad"}, "smlsd": {"smusd"}, "smmla": {"smmul"}}
# The later assembly language calls these otherwise.
SYNONYMS |= {f"{kind}addsubx": {f"{kind}asx"} for kind in ("s", "q", "sh", "u", "uq", "uh")}
SYNONYMS |= {f"{kind}subaddx": {f"{kind}sax"} for kind in ("s", "q", "sh", "u", "uq", "uh")}
# Words that later versions made into other instructions, and halves that capstone reads as a pair.
LATER = {"Unallocated", "Undefined", "BL first half", "BL second half", "BLX second half"}
LATER_NAMES = re.compile(r"[a-z]+2|v.*|f.*|mcrr|mrrc|cx\d.*")


@dataclass
class Encoding:
    """One row of the page."""

    thumb: bool
    name: str
    since: str
    bits: str
    assembly: str

    def __str__(self) -> str:
        return f"{'thumb' if self.thumb else 'arm'} {self.name}"

    @property
    def mnemonic(self) -> str:
        first = self.assembly.split()[0]
        return re.sub(r"\{[^}]*\}|<[^>]*>", "", first).lower()

    def word(self, source: random.Random) -> int:
        text = self.bits.replace("cccc", ALWAYS, 1) if not self.thumb else self.bits
        fixed = {"0": "0", "1": "1", "z": "0", "o": "1"}
        return int("".join(fixed.get(letter) or source.choice("01") for letter in text if letter != " "), 2)


def encodings() -> list[Encoding]:
    thumb, found = False, []
    for line in PAGE.read_text().splitlines():
        thumb = thumb or line == "## Thumb"
        if row := re.fullmatch(r"\| ([^|`]+) \| (ARMv\w+) \| `([^`]+)` \| \w+ \| `([^`]+)` \|", line):
            found.append(Encoding(thumb, row[1], row[2], row[3], row[4]))
    return found


ENCODINGS = encodings()


def test_the_page_lists_both_instruction_sets() -> None:
    assert len([encoding for encoding in ENCODINGS if not encoding.thumb]) > 80
    assert len([encoding for encoding in ENCODINGS if encoding.thumb]) > 70


@pytest.mark.parametrize("encoding", [e for e in ENCODINGS if e.name not in LATER], ids=str)
def test_capstone_gives_the_same_name(encoding: Encoding) -> None:
    mode = capstone.CS_MODE_THUMB if encoding.thumb else capstone.CS_MODE_ARM
    disassembler = capstone.Cs(capstone.CS_ARCH_ARM, mode)
    source = random.Random(encoding.name)
    names = SYNONYMS.get(encoding.mnemonic, set()) | {encoding.mnemonic}
    decoded = 0
    for _ in range(WORDS):
        word = encoding.word(source)
        found = list(disassembler.disasm(word.to_bytes(2 if encoding.thumb else 4, "little"), 0x8000))
        # Capstone refuses some unpredictable words, and knows later coprocessors by name.
        if not found:
            continue
        mnemonic = found[0].mnemonic.removesuffix(".w")
        same = any(mnemonic.startswith(name) for name in names)
        if LATER_NAMES.fullmatch(mnemonic) and not same:
            continue
        decoded += 1
        assert same, f"{word:x} {mnemonic} {found[0].op_str}"
    assert decoded > WORDS // 10
