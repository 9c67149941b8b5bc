"""Programs for the toy: a line an instruction, with labels; images of them with symbols."""

import re
import struct
from collections.abc import Mapping
from pathlib import Path

MACHINE = 0xF0F0
REGISTERS = {f"r{number}": number for number in range(16)} | {"lr": 14, "sp": 15}
REGISTERS |= {"status": 0, "back": 1, "before": 2, "scratch": 3}
# What an operand is, where it begins and how many bits it has. Distances are in half-words.
THREE = (("register", 8, 4), ("register", 4, 4), ("register", 0, 4))
SHORT = (("register", 8, 4), ("number", 0, 8))
NUMBER = (("register", 20, 4), ("register", 16, 4), ("number", 0, 16))
CONDITION = (("register", 20, 4), ("register", 16, 4), ("distance", 0, 16))
FAR = (("distance", 0, 28),)
ONE = (("register", 4, 4),)
SPECIAL = (("register", 4, 4), ("register", 0, 2))
PLAIN = (("number", 0, 8),)
INSTRUCTIONS: dict[str, tuple[int, tuple[tuple[str, int, int], ...]]] = {
    **{name: (at << 12, THREE) for at, name in enumerate(["add", "sub", "and", "or", "xor", "shl", "shr"])},
    "set": (0x8000, SHORT),
    "step": (0x9000, SHORT),
    "get": (0xA000, SPECIAL),
    "put": (0xA100, SPECIAL),
    "jump": (0xA200, ONE),
    "trap": (0xA400, PLAIN),
    "return": (0xA500, ()),
    "wait": (0xA600, ()),
    "mark": (0xA700, PLAIN),
    "loop": (0xB000, ()),
    "load": (0xC000_0000, NUMBER),
    "store": (0xC300_0000, NUMBER),
    "addi": (0xC600_0000, NUMBER),
    "shli": (0xCB00_0000, NUMBER),
    "bne": (0xD100_0000, CONDITION),
    "call": (0xE000_0000, FAR),
    "branch": (0xF000_0000, FAR),
}


def _length(name: str) -> int:
    return 4 if INSTRUCTIONS[name][0] > 0xFFFF else 2


def _encoded(name: str, operands: list[str], here: int, labels: Mapping[str, int]) -> int:
    word, fields = INSTRUCTIONS[name]
    for text, (kind, shift, bits) in zip(operands, fields, strict=True):
        match kind:
            case "register":
                value = REGISTERS[text]
            case "distance":
                value = (labels[text] - here) // 2
            case _:
                value = int(text, 0)
        word |= (value & (1 << bits) - 1) << shift
    return word


def assembled(source: str, base: int, order: str) -> tuple[bytes, dict[str, int]]:
    """The code, and its labels: a name and a colon on a line of their own."""
    labels: dict[str, int] = {}
    at, lines = base, []
    for line in filter(None, (line.strip() for line in source.splitlines())):
        if line.endswith(":"):
            labels[line[:-1]] = at
        else:
            name, *operands = re.split(r"[ ,]+", line)
            lines.append((name, operands, at))
            at += _length(name)
    code = b""
    for name, operands, here in lines:
        word = _encoded(name, operands, here, labels)
        halves = [word >> 16, word & 0xFFFF] if _length(name) == 4 else [word]
        code += struct.pack(f"{order}{len(halves)}H", *halves)
    return code, labels


def image(path: Path, sections: Mapping[int, str], order: str = ">") -> Path:
    """An ELF file: source by address; it begins at the first one. Labels without a dot are functions."""
    codes = [(base, *assembled(source, base, order)) for base, source in sections.items()]
    offset = 52 + 32 * len(codes)
    programs, headers, content = b"", [bytes(40)], b""
    names, symbols = b"\0.symtab\0.strtab\0.text\0", [bytes(16)]
    for number, (base, code, labels) in enumerate(codes, 1):
        place = offset + len(content)
        programs += struct.pack(order + "8I", 1, place, base, base, len(code), len(code), 5, 4)
        headers.append(struct.pack(order + "10I", 17, 1, 6, base, place, len(code), 0, 0, 2, 0))
        starts = [*sorted(at for name, at in labels.items() if "." not in name), base + len(code)]
        for name, at in labels.items():
            size = 0 if "." in name else starts[starts.index(at) + 1] - at
            info = 0x10 if "." in name else 0x12
            if "." not in name:
                symbols.append(struct.pack(order + "IIIBBH", len(names), at, size, info, 0, number))
                names += name.encode() + b"\0"
        content += code
    table = b"".join(symbols)
    place = offset + len(content)
    strings = len(codes) + 2
    headers.append(struct.pack(order + "10I", 1, 2, 0, 0, place, len(table), strings, 1, 4, 16))
    headers.append(struct.pack(order + "10I", 9, 3, 0, 0, place + len(table), len(names), 0, 0, 1, 0))
    start = place + len(table) + len(names)
    head = bytes([0x7F, *b"ELF", 1, 2 if order == ">" else 1, 1]) + bytes(9)
    counts = (52, 32, len(codes), 40, len(headers), strings)
    head += struct.pack(order + "HHIIIII6H", 2, MACHINE, 1, codes[0][0], 52, start, 0, *counts)
    path.write_bytes(head + programs + content + table + names + b"".join(headers))
    return path


def board(folder: Path, model: str, more: str = "", cpus: str = "") -> Path:
    """A board with a toy, or with these cores."""
    node = f'cpu@0 {{ device_type = "cpu"; compatible = "{model}"; reg = <0>; clocks = <&clock>; {more} }};'
    tree = folder / "toy.dts"
    tree.write_text(f"""/dts-v1/;
/ {{
    #address-cells = <1>;
    #size-cells = <1>;
    clock: clock {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <10000000>; }};
    cpus {{ #address-cells = <1>; #size-cells = <0>; {cpus or node} }};
    memory@0 {{ device_type = "memory"; reg = <0 0x40000>; }};
}};
""")
    return tree
