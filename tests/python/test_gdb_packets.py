"""Clients of the GDB server: one after another, and those that do not know how to behave."""

import random

from test_gdb import (  # type: ignore[import-not-found] # A test beside it.
    SYSTEM,
    answer,
    connection,
    gdb,
    kill,
    packet,
    served,
    session,
    simulation,
)


def test_two_clients_one_after_another() -> None:
    said: list[str] = []

    def clients(address: str) -> None:
        said.append(gdb(address, SYSTEM, "break scheduler_start\ncontinue\ndetach"))
        said.append(gdb(address, SYSTEM, "info threads\nmonitor time\nkill"))

    outcome = served(simulation(), clients, limit=None)
    assert outcome.stop.kind == "killed"
    assert "Breakpoint 1" in said[0]
    # Between the two the guest went on by itself.
    assert '"shell"' in said[1]


def test_the_run_ends_under_the_debugger() -> None:
    said, outcome = session("continue", limit="1ms")
    assert "exited normally" in said
    assert outcome.stop.kind == "time"
    assert outcome.stop.time_ps >= 1_000_000_000


def test_a_broken_packet_is_asked_for_again() -> None:
    def client(address: str) -> None:
        with connection(address) as wire:
            wire.sendall(b"$qC#00")
            assert wire.recv(10) == b"-"
            wire.sendall(packet(b"m0,4"))
            assert answer(wire).startswith(b"+$")
            wire.sendall(packet(b"m0,ffffffff"))
            assert b"$E16#" in answer(wire)
        kill(address)

    assert served(simulation(), client).stop.kind == "killed"


def test_noise_never_ends_the_server() -> None:
    """Random packets, most of them near real ones: a connection may end, the next client finds the guest."""
    chance = random.Random(5)
    heads = [
        b"m",
        b"M",
        b"X",
        b"g",
        b"G",
        b"p",
        b"P",
        b"Z0,",
        b"z2,",
        b"H",
        b"vCont;",
        b"qXfer:",
        b"qXfer:threads:read::",
        b"qRcmd,",
        b"T",
        b"s",
        b"q",
    ]
    heads += [
        b"qXfer:features:read:target.xml:",
        b"qXfer:memory-map:read::",
        b"qThreadExtraInfo,",
        b"vCont;r",
        b"vFile:",
        b"!",
        b"R",
        b"D;",
        b"bs",
    ]

    def client(address: str) -> None:
        for _ in range(60):
            with connection(address) as wire:
                wire.settimeout(0.05)
                for _ in range(chance.randrange(1, 12)):
                    length = chance.randrange(12)
                    tail = bytes(chance.choice(b"0123456789abcdef,;:-p#$}*\x00\xff") for _ in range(length))
                    body = chance.choice(heads) + tail
                    try:
                        wire.sendall(chance.choice([packet(body), body, b"$" + body + b"#xx", b"\x03"]))
                        wire.recv(4096)
                    except TimeoutError:
                        pass
                    except OSError:
                        break
        for _ in range(200):
            try:
                kill(address)
            except OSError:
                continue
            return

    outcome = served(simulation(), client, limit=None)
    assert outcome.stop.kind in {"killed", "crash"}
