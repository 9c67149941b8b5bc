"""The system of guests/rtos on simulated boards: shell, files, terminals, G-Kermit between machines."""

import subprocess
import zlib
from functools import cache
from pathlib import Path

import pytest
from socscope import _core
from socscope.simulation import Simulation

ROOT = Path(__file__).parents[2]
RTOS = ROOT / "guests" / "rtos"
PROMPT = "$ "
NEWLINE = bytes([10])
CONTENT = b"hello world" + NEWLINE
VARIANTS = [(board, isa) for board in ("at91x40", "at91eb40a") for isa in ("arm", "thumb")]


@cache
def guest(*settings: str) -> Path:
    """The image of a variant; built once."""
    command = [str(ROOT / "scripts" / "guest"), "system", *settings]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Path(built.stdout.strip()) / "system.elf"


def machine_of(board: str, isa: str, *settings: str) -> Simulation:
    """A machine before its first instruction."""
    return Simulation(board, guest(f"BOARD={board}", f"ISA={isa}", *settings))


def booted(board: str = "at91x40", isa: str = "arm", *settings: str) -> Simulation:
    """A machine whose shell shows its prompt."""
    simulation = machine_of(board, isa, *settings)
    assert simulation.run("2s", until_output=f"\r\n{PROMPT}").stop.kind == "output"
    return simulation


def shell(simulation: Simulation, command: str, limit: str = "5s") -> str:
    """Types a command and gives what it shows."""
    before = len(simulation.output())
    simulation.send(command.encode() + b"\r")
    assert simulation.run(limit, until_output=f"\n{PROMPT}").stop.kind == "output", simulation.output()
    shown = simulation.output()[before:].decode()
    return shown.removeprefix(f"{command}\r\n").removesuffix(PROMPT).replace("\r\n", "\n")


def posix_cksum(data: bytes) -> int:
    """The checksum of POSIX cksum, bit by bit."""
    crc = 0
    size = len(data)
    for byte in data + size.to_bytes((size.bit_length() + 7) // 8, "little"):
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ (0x1_04C1_1DB7 if crc >> 31 else 0)
    return crc ^ 0xFFFF_FFFF


@pytest.mark.parametrize(("name", "sources"), [("fs", "fs/*.c"), ("tty", "tty/*.c")])
def test_units_on_the_host(name: str, sources: str, tmp_path: Path) -> None:
    program = tmp_path / name
    flags = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-Wall", "-Wextra", "-Werror"]
    paths = ["-Itests/host", "-Iinclude", "-isystem", "posix/include"]
    files = [
        f"tests/host/{name}_test.c",
        *(str(path.relative_to(RTOS)) for path in sorted(RTOS.glob(sources))),
    ]
    subprocess.run(
        ["gcc", *flags, *(paths if name == "tty" else []), *files, "-o", str(program)], cwd=RTOS, check=True
    )
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert ran.stdout == f"{name}_test: passed\n"
    assert ran.returncode == 0


@pytest.mark.parametrize(("board", "isa"), VARIANTS)
def test_shell_and_files(board: str, isa: str) -> None:
    machine = booted(board, isa)
    assert shell(machine, "write /a hello world") == ""
    assert shell(machine, "cat a") == "hello world\n"
    assert shell(machine, "ls") == "d   2       320  dev\n-   1        12  a\n"
    assert (
        shell(machine, "hexdump a")
        == "00000000  68 65 6c 6c 6f 20 77 6f 72 6c 64 0a              |hello world.|\n"
    )
    assert shell(machine, "cksum a") == f"{posix_cksum(CONTENT)} 12 a\n"
    assert shell(machine, "crc32 a") == f"{zlib.crc32(CONTENT):08x} 12 a\n"
    assert shell(machine, "echo more >> a") == ""
    assert shell(machine, "mkdir d") + shell(machine, "cp a d/b") + shell(machine, "mv d/b c") == ""
    assert shell(machine, "cat c") == "hello world\nmore\n"
    assert shell(machine, "rm c /nowhere") == "rm: /nowhere: No such file or directory\nexit 1\n"
    assert shell(machine, "ls d") == ""
    assert shell(machine, "rmdir d dev") == "rmdir: dev: Directory not empty\nexit 1\n"
    assert shell(machine, "frobnicate") == "frobnicate: no such command; try help\nexit 127\n"
    assert shell(machine, "ls /dev").split() == [
        *("c", "1", "0", "null"),
        *("c", "1", "0", "tty0"),
        *("c", "1", "0", "tty1"),
    ]
    assert {line.split()[1] for line in shell(machine, "ps").splitlines()[1:]} == {"idle", "init", "shell"}


def test_a_full_disk_is_told_and_survived() -> None:
    machine = booted("at91eb40a")
    assert shell(machine, "make big 200000") == "make: big: No space left on device\nexit 1\n"
    assert shell(machine, "rm big") == ""
    assert shell(machine, "make small 20000") == ""
    assert shell(machine, "make small 20000 8") == ""
    assert "45056 bytes" not in shell(machine, "mem")


def test_line_editing_and_interrupts_at_the_console() -> None:
    machine = booted()
    machine.send(b"echo wrong\x15echo riX\x7fght\r")
    machine.run("1s", until_output=f"\n{PROMPT}")
    assert machine.output().endswith(b"\b \becho riX\b \bght\r\nright\r\n$ ")
    machine.send(b"sleep 60000\r")
    machine.run("1s")
    machine.send(b"\x03")
    assert machine.run("1s", until_output=f"\n{PROMPT}").stop.kind == "output"
    assert machine.output().endswith(b"^Csleep: Interrupted\r\nexit 1\r\n$ ")


def test_the_alarm_ends_a_wait_and_a_signal_ends_a_program() -> None:
    machine = booted()
    assert shell(machine, "kermit -q -b 2 -r &") == "[2]\n"
    machine.run("5s")
    # A packet of type N each two seconds: nothing came.
    assert machine.output("usart1") == b"\x01# N3\r" * 2
    assert shell(machine, "kermit -r") == "kermit: Another program is running\nexit 1\n"
    assert shell(machine, "kill 2") == ""
    assert shell(machine, "wait 2") == "2: ended by signal 15\nexit 143\n"
    assert shell(machine, "kermit -h").startswith("G-Kermit 2.01")


@pytest.mark.parametrize(("board", "isa"), [("at91x40", "arm"), ("at91eb40a", "thumb")])
def test_the_posix_like_layer_from_a_program(board: str, isa: str) -> None:
    machine = booted(board, isa, "PROGRAMS=posix/tests/posix_test.c")
    for _ in range(2):  # A second run finds its data as new.
        assert shell(machine, "posix_test", "10s") == "80 passed, 0 failed\nposix_test: exit 0\n"
    assert machine.output("usart1") == b"UU"
    told = shell(machine, "posix_test fault")
    assert told.startswith("\nFAULT: data abort in task posix_test\n")
    assert told.endswith("posix_test: ended by signal 11\nexit 139\n")
    assert shell(machine, "posix_test abort") == "posix_test: ended by signal 6\nexit 134\n"
    assert shell(machine, "ls") == "d   2       320  dev\n"


def test_commands_given_at_build_time_run_first() -> None:
    image = guest("BOARD=at91x40", "ISA=arm", "BOOT=write a x; cksum a; halt")
    simulation = Simulation("at91x40", image)
    assert simulation.run("2s", until_mark=3).stop.kind == "mark"
    shown = [
        "",
        "Ready. Type help.",
        "$ write a x",
        "$ cksum a",
        f"{posix_cksum(b'x' + NEWLINE)} 2 a",
        "$ halt",
        "",
    ]
    assert simulation.output().decode().split("\r\n") == shown


@pytest.mark.parametrize(
    ("options", "rate", "settings"),
    [
        ("", 0.0, ()),
        ("-S -b 2", 1e-4, ()),
        ("-S -e 94", 0.0, ("DEFINES=-DAT91_USART_RECEIVE_LENGTH=16 -DAT91_USART_TRANSMIT_LENGTH=8",)),
    ],
)
def test_a_file_goes_from_machine_to_machine(options: str, rate: float, settings: tuple[str, ...]) -> None:
    sender, receiver = (machine_of("at91x40", "arm", *settings) for _ in range(2))
    _core.link(sender.machine, "usart1", receiver.machine, "usart1")
    assert sender.run("2s", until_output=f"\r\n{PROMPT}").stop.kind == "output"
    shell(sender, "make file 4000 9")
    if rate:
        receiver.machine.set_bit_errors("usart1", rate, 5)
    receiver.send(f"kermit -q {options} -r\r".encode())
    sender.send(f"kermit -q {options} -i -P -s file\r".encode())
    assert sender.run("60s", until_output=f"\n{PROMPT}").stop.kind == "output"
    receiver.run("1s")
    assert b"kermit: exit 0\r\n" in sender.output()
    assert b"kermit: exit 0\r\n" in receiver.output()
    assert shell(sender, "cksum file") == shell(receiver, "cksum file")
    assert " 4000 file" in shell(receiver, "cksum file")
    assert bool(rate) == bool(receiver.machine.bits_flipped("usart1"))


def test_the_build_is_reproducible(tmp_path: Path) -> None:
    source = subprocess.run(
        [str(ROOT / "guests/kermit/fetch.sh")], check=True, stdout=subprocess.PIPE, text=True
    )
    build = tmp_path / "elsewhere"
    command = ["make", "-s", "-C", str(RTOS), "system", "BOARD=at91x40", "ISA=arm", f"BUILD={build}"]
    subprocess.run([*command, f"KERMIT_SOURCE={source.stdout.strip()}"], check=True)
    assert (build / "system.elf").read_bytes() == guest("BOARD=at91x40", "ISA=arm").read_bytes()
