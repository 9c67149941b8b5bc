"""Programs that connect to a run and are not its user's: none of them ends it, types into it or steers it."""

import http.client
import re
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from socscope.record import open_run
from test_cli import process  # type: ignore[import-not-found] # Tests beside it.
from test_gdb import connection, kill, packet, served, simulation  # type: ignore[import-not-found]

SYSTEM = "build/guests/at91x40-arm/system.elf"
# The clients are the run's parents, which are at work for as long as the run is.
KINDS = (",settle=0.05", ",wait,settle=0.05", ",live", ",telnet,settle=0.05", ",telnet,live")
TIMEOUT_S = 60
BODY = b"tasks\rtasks\r" + b"+$vKill;1#6e" + b"$k#6b"


class Served:
    """A run whose console is a TCP port."""

    def __init__(self, command: "subprocess.Popen[str]", port: int, out: Path) -> None:
        self.command, self.port, self.out = command, port, out
        self.messages = ""

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), TIMEOUT_S)

    def talk(self) -> None:
        """A user who connects and has an answer of the guest's shell."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            with suppress(OSError), self.connect() as user:
                user.settimeout(5)
                user.sendall(b"help\r")
                said = b""
                while b"tasks" not in said:
                    said += (more := user.recv(4096))
                    if not more:
                        break
                if b"tasks" in said:
                    return
        raise AssertionError("the guest does not answer")

    def heard(self) -> bytes:
        """All that the guest heard on the port."""
        rows = pq.read_table(self.out / "console.parquet").to_pylist()
        return b"".join(row["bytes"] for row in rows if row["direction"] == "in")


@contextmanager
def running(kind: str, out: Path) -> Iterator[Served]:
    """A run until the end of the block."""
    arguments = (
        "run",
        "at91x40",
        SYSTEM,
        "--serial",
        f"usart0=tcp::0{kind}",
        "--for",
        "300s",
        "--mark-at",
        "init_main",
    )
    with subprocess.Popen(process(*arguments, "--out", out), stderr=subprocess.PIPE, text=True) as command:
        assert command.stderr
        found = re.search(r"tcp:127\.0\.0\.1:(\d+)", line := command.stderr.readline())
        assert found, line
        run = Served(command, int(found[1]), out)
        try:
            yield run
        finally:
            command.send_signal(signal.SIGTERM)
            run.messages = command.stderr.read()
        assert command.wait(TIMEOUT_S) == 128 + signal.SIGTERM, run.messages


def reset(port: int) -> None:
    """Connects and resets at once."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as hostile:
        hostile.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def page(port: int, *, pieces: bool = False) -> bytes:
    """What a page in a browser gets for a request that holds commands."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    with closing(client), suppress(OSError, http.client.HTTPException):
        client.connect()
        if not pieces:
            client.request("POST", "/", BODY, {"Content-Type": "text/plain"})
            return client.getresponse().read()
        client.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        text = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 24\r\n\r\n" + BODY
        for place in range(0, len(text), 7):
            client.sock.sendall(text[place : place + 7])
            time.sleep(0.02)
        return client.sock.recv(100)
    return b""


@pytest.mark.parametrize("kind", KINDS)
def test_clients_that_reset_or_speak_http_change_nothing(kind: str, tmp_path: Path) -> None:
    with running(kind, tmp_path / "run") as run:
        for _ in range(20):
            reset(run.port)
        # A telnet server makes its offers to all.
        assert all(b"tasks" not in page(run.port, pieces=pieces) for pieces in (False, True))
        run.talk()
        for _ in range(20):
            reset(run.port)
        assert b"tasks" not in page(run.port)
        run.talk()
    assert "connections were closed: they began with an HTTP request" in run.messages
    heard = run.heard()
    assert heard.replace(b"help\r", b"") == b""
    assert heard.count(b"help\r") >= 2
    assert open_run(run.out).manifest.stop.detail == "ended by SIGTERM"


def test_a_page_cannot_drive_the_debugger() -> None:
    events: list[tuple[str, str]] = []
    said: list[str] = []

    def clients(address: str) -> None:
        port = int(address.rpartition(":")[2])
        assert page(port) == page(port, pieces=True) == b""
        for first in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"$k#6b / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"\x16\x03\x01\x00\x05",
        ):
            with connection(address) as wire, suppress(ConnectionError):
                wire.sendall(first)
                assert wire.recv(10) == b""
        # Those who say nothing keep nobody out.
        with connection(address), connection(address), connection(address) as user:
            user.sendall(b"+" + packet(b"?"))
            assert user.recv(20).startswith(b"+$")
            user.sendall(b"+" + packet(b"g"))
            assert user.recv(4)
            user.sendall(b"\r\n" + packet(b"k"))
            with suppress(ConnectionError):
                while user.recv(4096):
                    pass
        said.append("alive")
        kill(address)

    outcome = served(simulation(), clients, None, events.append)
    assert said == ["alive"]
    assert outcome.stop.kind == "killed"
    kinds = [kind for kind, _ in events]
    assert kinds.count("refused") == 5
    assert kinds.count("connected") == 2
    assert kinds.count("broken") == 1
    assert any("is no debugger: it said 'POST / HTTP/1.1" in detail for _, detail in events)


def test_a_guest_that_runs_freely_is_not_stopped_by_who_only_connects() -> None:
    subject = simulation()
    times: list[int] = []

    def clients(address: str) -> None:
        with connection(address) as user:
            user.sendall(b"+" + packet(b"D"))
            assert b"OK" in user.recv(20)
        # These two wait before the strangers come: the run may be over before the last of those has gone.
        with connection(address), connection(address) as silent:
            strangers = [
                threading.Thread(target=page, args=[int(address.rpartition(":")[2])]) for _ in range(5)
            ]
            for one in strangers:
                one.start()
            for one in strangers:
                one.join()
            silent.settimeout(TIMEOUT_S)
            # The run comes to its end, which closes the port.
            with suppress(ConnectionError):
                assert silent.recv(10) == b""
        times.append(subject.machine.time_ps)

    outcome = served(subject, clients, limit="10s")
    assert outcome.stop.kind == "time"
    assert times
