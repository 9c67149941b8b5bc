"""Kermit packets on a line, and where the bytes of a transfer come from."""

import random
import socket
import subprocess
import threading
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from socscope.errors import StudyError
from socscope.study.kermit.host import HostKermit
from socscope.study.kermit.overhead import Direction, Transfer, analyse
from socscope.study.kermit.packets import (
    CHECKS,
    Noise,
    Packet,
    Prefixes,
    decode,
    find_packets,
    negotiate,
)

SENDER = b'~/ @-#Y3~^>J)0___Z"U1@'
RECEIVER = b"~' @-#Y3~*!J*0+++N\"U1@"
AGREED = Prefixes(control=ord("#"), repeat=ord("~"), check_size=3)


def packet(sequence: int, kind: str, data: bytes, check: int = 3, *, long: bool = False) -> bytes:
    """A packet as the sender makes it."""
    length = len(data) + check
    head = bytes([32 + sequence, ord(kind)])
    if long:
        body = b" " + head + bytes([32 + length // 95, 32 + length % 95])
        body += CHECKS[1](body)
    else:
        body = bytes([32 + length + 2]) + head
    body += data
    return b"\x01" + body + CHECKS[check](body) + b"\r"


def session(*packets: bytes, answers: tuple[bytes, ...] = ()) -> list[tuple[Direction, bytes]]:
    """A line that carried a session: a receive command, its packets and their answers."""
    opening = b"kermit -ir\r" + packet(0, "S", SENDER, 1)
    closing = packet(9, "B", b"")
    return [
        ("in", opening),
        ("out", packet(0, "Y", RECEIVER, 1)),
        ("in", b"".join(packets) + closing),
        ("out", b"".join(answers) + packet(9, "Y", b"") + b"\r\n"),
    ]


def test_packet_seen_on_a_real_line() -> None:
    line = b'kermit -ir\r\x019 S~/ @-#Y3~^>J)0___Z"U1@S\r\x01*!Ff.bin$6D\r'
    assert list(find_packets(line, 3)) == [
        Noise(b"kermit -ir\r"),
        Packet(0, "S", SENDER, 1, 28),
        Packet(1, "F", b"f.bin", 3, 13),
    ]


@pytest.mark.parametrize("check", [1, 2, 3])
@pytest.mark.parametrize("long", [False, True])
def test_packets_are_found_with_every_check_and_length(check: int, long: bool) -> None:
    line = packet(7, "D", b"hello", check, long=long)
    assert list(find_packets(line, check)) == [Packet(7, "D", b"hello", check, len(line))]


@given(st.binary(max_size=300), st.integers(0, 63), st.sampled_from([1, 2, 3]))
def test_any_data_comes_back(data: bytes, sequence: int, check: int) -> None:
    line = packet(sequence, "D", data, check, long=True)
    found = [one for one in find_packets(line, check) if isinstance(one, Packet)]
    assert found[0].data == data


@given(st.integers(1, 60), st.integers(0, 7))
def test_a_flipped_bit_makes_noise_of_the_packet(place: int, bit: int) -> None:
    line = bytearray(packet(3, "D", b"x" * 60))
    line[place] ^= 1 << bit
    assert not [one for one in find_packets(bytes(line), 3) if isinstance(one, Packet) and one.kind == "D"]


def test_negotiation_takes_what_both_sides_offer() -> None:
    assert negotiate(SENDER, RECEIVER) == AGREED
    assert negotiate(b"~/ @-#&3~", b"~/ @-#Y1 ") == Prefixes(eighth_bit=ord("&"))
    assert negotiate(b"", b"") == Prefixes()


@pytest.mark.parametrize(
    ("data", "prefixes", "expected"),
    [
        (b"abc", AGREED, b"abc"),
        (b"#A#M##", AGREED, b"\x01\r#"),
        (b"~*x#~", AGREED, b"x" * 10 + b"~"),
        (b"~%#A", AGREED, b"\x01" * 5),
        (b"#?", AGREED, b"\x7f"),
        (b"&a&#A", Prefixes(eighth_bit=ord("&")), b"\xe1\x81"),
        (b"~*x", Prefixes(), b"~*x"),
    ],
)
def test_prefixes_are_decoded(data: bytes, prefixes: Prefixes, expected: bytes) -> None:
    assert decode(data, prefixes) == expected


def test_every_byte_of_a_session_has_an_origin() -> None:
    line = session(
        packet(1, "F", b"a.bin"),
        packet(2, "A", b"11#100"),
        packet(3, "D", b"xy#A~*z"),
        packet(4, "Z", b""),
        answers=(packet(1, "Y", b""), packet(4, "Y", b"")),
    )
    found = analyse(line, "in")
    assert found.payload == b"xy\x01" + b"z" * 10
    origins = {origin: (ways["in"], ways["out"]) for origin, ways in found.bytes_by_origin.items()}
    assert origins == {
        "accompanying data": (11, 0),
        "session set-up": (11 + 28 + 8, 28 + 8 + 2),
        "packet framing": (4 * 8, 0),
        "transcoding": (7 - 13, 0),
        "flow control": (0, 16),
        "retransmission": (0, 0),
    }
    assert found.line_bytes == sum(len(data) for _, data in line)


def test_repeated_and_damaged_packets_count_as_retransmission() -> None:
    data = packet(1, "D", b"hello")
    damaged = data.replace(b"hello", b"hellO")
    found = analyse(session(damaged, data, data, answers=(packet(1, "N", b""),) * 2), "in")
    assert found.payload == b"hello"
    assert (found.retransmitted_packets, found.damaged_bytes) == (1, len(damaged))
    assert found.bytes_by_origin["retransmission"] == {"in": len(data) + len(damaged), "out": 0}
    assert found.packets["N"] == 2
    assert found.refused_packets == 2


def test_repeated_answer_refuses_a_packet() -> None:
    answers = (packet(1, "Y", b""), packet(1, "Y", b""), packet(2, "Y", b""))
    found = analyse(session(packet(1, "D", b"a"), packet(2, "D", b"b"), answers=answers), "in")
    assert found.refused_packets == 1


def test_answer_belongs_to_the_packet_before_it_when_numbers_come_round() -> None:
    line = session(*(packet(number % 64, "D", b"x") for number in range(1, 70)))
    found = analyse(line, "in")
    assert found.bytes_by_origin["session set-up"]["out"] == 28 + 8 + 2


def test_sequence_number_that_comes_round_is_a_new_packet() -> None:
    packets = [packet(number % 64, "D", b"same") for number in range(1, 130)]
    found = analyse(session(*packets), "in")
    assert found.payload == b"same" * 129
    assert found.retransmitted_packets == 0


def test_line_without_a_session() -> None:
    message = "no Kermit session on the line: no Send-Init packet and answer were found"
    with pytest.raises(StudyError, match=f"^{message}$"):
        analyse([("in", b"hello"), ("out", b"world")], "in")


def between_two_programs(
    folder: Path, size: int, role: Literal["receive", "send"], options: list[str]
) -> tuple[bytes, Transfer, bytes]:
    """A transfer between the host's two Kermit programs: the file, what the line says of it, what arrived."""
    original, arrived = folder / "original", folder / "arrived"
    original.mkdir()
    arrived.mkdir()
    content = random.Random(size).randbytes(size)
    (original / "f.bin").write_bytes(content)
    line: list[tuple[Direction, bytes]] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        receives = role == "receive"
        host = (
            HostKermit.sending(original, port, original / "f.bin")
            if receives
            else HostKermit.receiving(arrived, port, "f.bin")
        )
        connection, _ = server.accept()
        guest = subprocess.Popen(
            ["gkermit", *(["-r"] if receives else ["-s", "f.bin"]), "-i", *options],
            cwd=arrived if receives else original,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert guest.stdin
        assert guest.stdout

        def carry_in() -> None:
            assert guest.stdin
            while data := connection.recv(65536):
                line.append(("in", data))
                try:
                    guest.stdin.write(data)
                except BrokenPipeError:
                    return

        thread = threading.Thread(target=carry_in)
        thread.start()
        while data := guest.stdout.read(65536):
            line.append(("out", data))
            connection.sendall(data)
        host.finish()
        assert guest.wait(10) == 0
        connection.close()
        thread.join(10)
        guest.stdin.close()
        guest.stdout.close()
    return content, analyse(line, "in" if role == "receive" else "out"), (arrived / "f.bin").read_bytes()


@pytest.mark.parametrize("role", ["receive", "send"])
@pytest.mark.parametrize(("size", "options"), [(1000, []), (16000, []), (3000, ["-S", "-e", "94"])])
def test_real_programs_transfer_is_understood_to_the_last_byte(
    tmp_path: Path, role: Literal["receive", "send"], size: int, options: list[str]
) -> None:
    content, found, arrived = between_two_programs(tmp_path, size, role, options)
    assert arrived == content
    assert found.payload == content
    assert found.damaged_bytes == 0
    assert found.packets["D"] >= size // 9000


def test_failed_transfer_says_why(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    # Nothing listens there any more.
    (tmp_path / "f.bin").write_bytes(b"x")
    host = HostKermit.sending(tmp_path, port, tmp_path / "f.bin")
    with pytest.raises(StudyError, match=r"^the Kermit on the host failed: "):
        host.finish()
