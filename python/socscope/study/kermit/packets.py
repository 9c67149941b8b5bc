"""Finds Kermit packets in the bytes of a line.

After F. da Cruz, "Kermit: A File Transfer Protocol" (1987), chapters 8 to 12: packet format, long packets,
block checks, prefixes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

MARK = 0x01
END_OF_LINE = 0x0D
SPACE = 0x20
FRAMING_SHORT = 4  # MARK, LEN, SEQ, TYPE
FRAMING_LONG = 7  # the same, LENX1, LENX2, HCHECK


@dataclass(frozen=True)
class Packet:
    """A packet whose check is right. `size` counts all of its bytes, mark and end of line included."""

    sequence: int
    kind: str
    data: bytes
    check_size: int
    size: int


@dataclass(frozen=True)
class Noise:
    """Bytes that belong to no packet: text before and after the protocol, and packets that were damaged."""

    data: bytes

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)


def find_packets(line: bytes, check_size: int) -> Iterator[Packet | Noise]:
    """Packets and the bytes between them, in order.

    Packets that set a session up (S, and the answer to it) always have a one-character check; they are found
    as such wherever they stand.
    """
    start = at = 0
    while at < len(line):
        packet = _packet(line, at, check_size) if line[at] == MARK else None
        if packet is None:
            at += 1
            continue
        if at > start:
            yield Noise(line[start:at])
        yield packet
        start = at = at + packet.size
    if at > start:
        yield Noise(line[start:at])


def _packet(line: bytes, at: int, check_size: int) -> Packet | None:
    if at + FRAMING_SHORT > len(line):
        return None
    length, sequence, kind = line[at + 1] - SPACE, line[at + 2] - SPACE, chr(line[at + 3])
    if not 0 <= sequence < 64:
        return None
    data_at = at + FRAMING_SHORT
    if length == 0:
        data_at = at + FRAMING_LONG
        if data_at > len(line) or line[data_at - 1] != check_1(line[at + 1 : data_at - 1])[0]:
            return None
        length = 95 * (line[at + 4] - SPACE) + (line[at + 5] - SPACE)
        end = data_at + length
    else:
        end = at + 2 + length
    if end > len(line) or end < data_at:
        return None
    for size in dict.fromkeys([check_size, 1]):
        body = line[at + 1 : end - size]
        if end - size >= data_at and line[end - size : end] == CHECKS[size](body):
            # Other packets than those of the set-up must have the check that was agreed on.
            if size != check_size and kind not in "SYNE":
                continue
            closed = end < len(line) and line[end] == END_OF_LINE
            return Packet(sequence, kind, line[data_at : end - size], size, end + closed - at)
    return None


def check_1(body: bytes) -> bytes:
    """The one-character check: the sum's low byte, its top two bits added in."""
    total = sum(body) & 0xFF
    return bytes([SPACE + (((total >> 6) + total) & 0x3F)])


def check_2(body: bytes) -> bytes:
    """The two-character check: twelve bits of the sum."""
    total = sum(body)
    return bytes([SPACE + (total >> 6 & 0x3F), SPACE + (total & 0x3F)])


def check_3(body: bytes) -> bytes:
    """The three-character check: a 16-bit CRC with the polynomial of CCITT, low bit first."""
    crc = 0
    for byte in body:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return bytes([SPACE + (crc >> 12), SPACE + (crc >> 6 & 0x3F), SPACE + (crc & 0x3F)])


CHECKS = {1: check_1, 2: check_2, 3: check_3}


@dataclass(frozen=True)
class Prefixes:
    """What the sides agreed on: the prefix characters in the sender's data, and the size of the check."""

    control: int = ord("#")
    eighth_bit: int | None = None
    repeat: int | None = None
    check_size: int = 1


def negotiate(sender: bytes, receiver: bytes) -> Prefixes:
    """The outcome of a Send-Init packet and its answer, by their data fields."""
    control = _field(sender, 5, ord("#"))
    check = _field(sender, 7, ord("1"))
    agreed = Prefixes(control=control, check_size=1)
    if check == _field(receiver, 7, ord("1")) and check in b"123":
        agreed = replace(agreed, check_size=check - ord("0"))
    ours, theirs = _field(sender, 6, ord("N")), _field(receiver, 6, ord("N"))
    for asked, answered in ((ours, theirs), (theirs, ours)):
        if _is_prefix(asked) and answered in (asked, ord("Y")):
            agreed = replace(agreed, eighth_bit=asked)
    repeat = _field(sender, 8, SPACE)
    if _is_prefix(repeat) and repeat == _field(receiver, 8, SPACE):
        agreed = replace(agreed, repeat=repeat)
    return agreed


def _field(data: bytes, place: int, absent: int) -> int:
    return data[place] if place < len(data) else absent


def _is_prefix(character: int) -> bool:
    return 33 <= character <= 62 or 96 <= character <= 126


def decode(data: bytes, prefixes: Prefixes) -> bytes:
    """The file's bytes in a data field."""
    decoded = bytearray()
    at = 0
    while at < len(data):
        repeat, high = 1, 0
        if data[at] == prefixes.repeat and at + 2 < len(data):
            repeat, at = data[at + 1] - SPACE, at + 2
        if data[at] == prefixes.eighth_bit and at + 1 < len(data):
            high, at = 0x80, at + 1
        character = data[at]
        if character == prefixes.control and at + 1 < len(data):
            at += 1
            character = data[at]
            # A prefix stands for itself after the control prefix; control characters are moved by 64.
            if 0x3F <= character & 0x7F <= 0x5F:
                character ^= 0x40
        decoded += bytes([character | high]) * repeat
        at += 1
    return bytes(decoded)
