"""Where the bytes of a Kermit transfer come from: payload and the origins of the overhead."""

import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from socscope.errors import StudyError
from socscope.study.kermit.packets import Noise, Packet, Prefixes, decode, find_packets, negotiate

Direction = Literal["in", "out"]

ORIGINS = (
    "accompanying data",
    "session set-up",
    "packet framing",
    "transcoding",
    "flow control",
    "retransmission",
)
SESSION = set("SIBGE")
ACCOMPANYING = set("FXAZ")
ANSWERS = set("YN")


@dataclass(frozen=True)
class Transfer:
    """One transfer as seen on the line: bytes by origin and direction, packets by type, and the file."""

    payload: bytes
    bytes_by_origin: dict[str, dict[str, int]]
    packets: dict[str, int]
    retransmitted_packets: int
    refused_packets: int
    """Packets that the receiver asked for again, by a NAK or by repeating its last answer."""
    damaged_bytes: int
    line_bytes: int

    @property
    def overhead(self) -> float:
        """All overhead relative to the payload."""
        return (self.line_bytes - len(self.payload)) / len(self.payload) if self.payload else 0.0

    def share(self, origin: str) -> float:
        """One origin's overhead relative to the payload."""
        return sum(self.bytes_by_origin[origin].values()) / len(self.payload) if self.payload else 0.0


@dataclass
class _Sorter:
    sender: Direction
    prefixes: Prefixes
    bytes_by_origin: dict[str, Counter[Direction]] = field(
        default_factory=lambda: {origin: Counter() for origin in ORIGINS}
    )
    payload: bytearray = field(default_factory=bytearray)
    packets: Counter[str] = field(default_factory=Counter)
    seen: dict[int, Packet] = field(default_factory=dict)
    retransmitted: int = 0
    refused: int = 0
    answered: int = -1
    damaged: int = 0

    def count(self, origin: str, direction: Direction, number: int) -> None:
        self.bytes_by_origin[origin][direction] += number

    def sort(self, direction: Direction, item: Packet | Noise, inside: bool) -> None:
        """Counts one item; `inside` says that packets stand before and after it."""
        if isinstance(item, Noise):
            self._noise(direction, item, inside)
        elif direction != self.sender:
            self._answer(direction, item)
        else:
            self._sent(direction, item)

    def _noise(self, direction: Direction, noise: Noise, inside: bool) -> None:
        if inside:
            self.damaged += len(noise.data)
        origin = "retransmission" if inside else "session set-up"
        self.count(origin, direction, len(noise.data))

    def _answer(self, direction: Direction, packet: Packet) -> None:
        self.packets[packet.kind] += 1
        self.refused += packet.kind == "N" or packet.sequence == self.answered
        self.answered = packet.sequence
        of = self.seen.get(packet.sequence)
        is_session = packet.kind in SESSION or (of is not None and of.kind in SESSION)
        self.count("session set-up" if is_session else "flow control", direction, packet.size)

    def _sent(self, direction: Direction, packet: Packet) -> None:
        self.packets[packet.kind] += 1
        before = self.seen.get(packet.sequence)
        if before is not None and (before.kind, before.data) == (packet.kind, packet.data):
            self.retransmitted += 1
            self.count("retransmission", direction, packet.size)
            return
        self.seen[packet.sequence] = packet
        # Sequence numbers come back after 64 packets; an equal packet then is a new one.
        self.seen.pop((packet.sequence + 32) % 64, None)
        if packet.kind in SESSION:
            self.count("session set-up", direction, packet.size)
            return
        if packet.kind in ANSWERS:
            self.count("flow control", direction, packet.size)
            return
        self.count("packet framing", direction, packet.size - len(packet.data))
        if packet.kind in ACCOMPANYING:
            self.count("accompanying data", direction, len(packet.data))
        elif packet.kind == "D":
            decoded = decode(packet.data, self.prefixes)
            self.payload += decoded
            self.count("transcoding", direction, len(packet.data) - len(decoded))


def analyse(line: Sequence[tuple[Direction, bytes]], sender: Direction) -> Transfer:
    """Sorts all bytes of a line that carried one transfer; the file went in the direction `sender`."""
    receiver: Direction = "out" if sender == "in" else "in"
    streams: dict[Direction, bytes] = {
        direction: b"".join(data for way, data in line if way == direction)
        for direction in (sender, receiver)
    }
    prefixes = _agreement(streams[sender], streams[receiver])
    sorter = _Sorter(sender, prefixes)
    for direction, item, inside in _in_order(line, streams, prefixes):
        sorter.sort(direction, item, inside)
    line_bytes = sum(len(data) for data in streams.values())
    by_origin: dict[str, dict[str, int]] = {
        origin: {"in": counts["in"], "out": counts["out"]}
        for origin, counts in sorter.bytes_by_origin.items()
    }
    sorted_bytes = len(sorter.payload) + sum(sum(counts.values()) for counts in by_origin.values())
    if sorted_bytes != line_bytes:
        raise StudyError(f"the line carried {line_bytes} bytes, their origins sum up to {sorted_bytes}")
    return Transfer(
        payload=bytes(sorter.payload),
        bytes_by_origin=by_origin,
        packets=dict(sorted(sorter.packets.items())),
        retransmitted_packets=sorter.retransmitted,
        refused_packets=sorter.refused,
        damaged_bytes=sorter.damaged,
        line_bytes=line_bytes,
    )


def _agreement(sender: bytes, receiver: bytes) -> Prefixes:
    offers = [item for item in find_packets(sender, 1) if isinstance(item, Packet) and item.kind == "S"]
    answers = [item for item in find_packets(receiver, 1) if isinstance(item, Packet) and item.kind == "Y"]
    if not offers or not answers:
        raise StudyError("no Kermit session on the line: no Send-Init packet and answer were found")
    return negotiate(offers[0].data, answers[0].data)


def _in_order(
    line: Sequence[tuple[Direction, bytes]], streams: dict[Direction, bytes], prefixes: Prefixes
) -> list[tuple[Direction, Packet | Noise, bool]]:
    """What both sides sent in the order of its first bytes, and whether packets stand before and after it."""
    placed: list[tuple[int, Direction, Packet | Noise, bool]] = []
    for direction, stream in streams.items():
        # Where each of the line's pieces begins within this direction's stream.
        pieces, starts, length = [], [], 0
        for place, (way, data) in enumerate(line):
            if way == direction:
                pieces.append(place)
                starts.append(length)
                length += len(data)
        items = list(find_packets(stream, prefixes.check_size))
        packets = [number for number, item in enumerate(items) if isinstance(item, Packet)]
        offset = 0
        for number, item in enumerate(items):
            inside = bool(packets) and packets[0] < number < packets[-1]
            piece = pieces[bisect.bisect_right(starts, offset) - 1]
            placed.append((piece, direction, item, inside))
            offset += item.size
    placed.sort(key=lambda one: one[0])
    return [(direction, item, inside) for _, direction, item, inside in placed]
