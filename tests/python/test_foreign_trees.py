"""Device trees that others wrote: very large ones, and damaged ones, which are refused with the rule."""

import struct
import time
from pathlib import Path

import pytest
from socscope import _core, platform
from socscope.errors import PlatformError

BEGIN, END_NODE, PROPERTY, END = 1, 2, 3, 9


def blob(body: bytes, strings: bytes = b"", version: int = 17) -> bytes:
    """A blob around its structure block (Devicetree Specification 0.4, 5.1)."""
    structure = body + struct.pack(">I", END)
    names_at = 56 + len(structure)
    total = names_at + len(strings)
    sizes = (len(strings), len(structure))
    return (
        struct.pack(">10I", 0xD00DFEED, total, 56, names_at, 40, version, 16, 0, *sizes)
        + bytes(16)
        + structure
        + strings
    )


def node(name: bytes, content: bytes = b"") -> bytes:
    """A node with what is in it."""
    padded = name + bytes(4 - len(name) % 4)
    return struct.pack(">I", BEGIN) + padded + content + struct.pack(">I", END_NODE)


def nested(depth: int) -> bytes:
    """Nodes within each other."""
    name = struct.pack(">I", BEGIN) + b"a\0\0\0"
    return struct.pack(">II", BEGIN, 0) + name * depth + struct.pack(">I", END_NODE) * (depth + 1)


def property_at(offset: int, length: int = 0) -> bytes:
    """A property with its name's place in the strings, and as many bytes as it says."""
    return struct.pack(">III", PROPERTY, length, offset)


LONG = b"n" * 300
DAMAGED = {
    "empty": (b"", ""),
    "header only": (blob(node(b""))[:20], ""),
    "truncated": (blob(node(b"", node(b"cpus")))[:-8], ""),
    "structure outside": (
        blob(node(b"")).replace(struct.pack(">I", 56), struct.pack(">I", 0x7FFFFFFF), 1),
        "",
    ),
    "property that is longer than the file": (blob(node(b"", property_at(0, 0xFFFFFFF0)), b"x\0"), ""),
    "name outside": (blob(node(b"", property_at(0x7FFFFFFF)), b"x\0"), ""),
    "deep": (blob(nested(100)), "nodes are nested more than 64 deep"),
    "very deep": (blob(nested(1_000_000)), ""),
    "name of a node": (blob(node(b"", node(LONG))), "Invalid node name"),
    "name of a property": (
        blob(node(b"", property_at(0) * 1000), LONG * 1000 + b"\0"),
        "a property's name has more than 255 bytes",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_tree_is_refused(case: str) -> None:
    content, rule = DAMAGED[case]
    began = time.process_time()
    with pytest.raises(_core.PlatformError, match=rf"^foreign\b.*{rule}"):
        _core.Machine(content, "foreign")
    assert time.process_time() - began < 5


def test_paths_of_a_tree_are_bounded() -> None:
    inner = b"".join(node(b"leaf") for _ in range(40_000))
    for _ in range(60):
        inner = node(b"d" * 31, inner)
    with pytest.raises(
        _core.PlatformError, match=r"^foreign: .*the paths of its nodes have more than 67108864 bytes"
    ):
        _core.Machine(blob(node(b"", inner)), "foreign")


def test_file_that_is_no_tree_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "huge.dtb"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(
        PlatformError, match=rf"^{path}: more than 64,000,000 bytes, which no device tree has"
    ):
        platform.load(str(path))


def board(count: int) -> bytes:
    """The study's board with so many memories, stubs and plain nodes each."""
    plain = platform.load("at91x40").dtb
    header = struct.unpack(">10I", plain[:40])
    structure = plain[header[2] : header[2] + header[9]]
    strings = plain[header[3] : header[3] + header[8]]
    names = b"compatible\0reg\0socscope,stub\0phandle\0"
    compatible, reg, stub, phandle = (len(strings) + names.index(name) for name in names.split(b"\0")[:-1])

    def value(offset: int, content: bytes) -> bytes:
        return property_at(offset, len(content)) + content + bytes(-len(content) % 4)

    nodes = b""
    for i in range(count):
        place = [value(reg, struct.pack(">II", base + 16 * i, 16)) for base in (0x10000000, 0x20000000)]
        nodes += node(b"m@%x" % i, value(compatible, b"socscope,ram\0") + place[0])
        nodes += node(b"s@%x" % i, value(compatible, b"a,b\0") + value(stub, b"") + place[1])
        nodes += node(b"p%x" % i, value(phandle, struct.pack(">I", 0x10000 + i)))
    return blob(structure[:-8] + nodes + struct.pack(">I", END_NODE), strings + names)


def test_time_grows_with_the_nodes_and_not_with_their_square() -> None:
    took = {}
    for count in (1_000, 8_000):
        tree = board(count)
        began = time.process_time()
        machine = _core.Machine(tree, "large")
        took[count] = time.process_time() - began
        assert len([one for one in machine.regions() if one["size"] == 16]) == 2 * count
    # Squares would be 64 times as much.
    assert took[8_000] < 24 * max(took[1_000], 0.02), took
