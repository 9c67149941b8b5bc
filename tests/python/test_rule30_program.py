"""The test program of the cellular automaton engine: the host's results are the reference for the guest's."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "guests/rule30"
SOFTWARE = ("char", "bit")
# Around the borders of words, and the ends of the study's two maps.
LENGTHS = (1, 2, 8, 31, 32, 33, 63, 64, 65, 256, 1000, 1020, 1024)


@cache
def program(folder: Path) -> tuple[Path, Path]:
    """Builds the program for this machine and for PowerPC."""
    subprocess.run(["make", "-s", "-C", str(SOURCES), f"BUILD={folder}"], check=True)
    return folder / "rule30-host", folder / "rule30"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return program(tmp_path_factory.mktemp("rule30"))


def run(*command: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def facts(output: str) -> str:
    """Returns an output without its mode and its times."""
    return re.sub(r"^mode \w+ ", "", re.sub(r"^\w+_ns: .*\n", "", output, flags=re.MULTILINE))


def lines(length: int, packets: int, count: int, rule: int, seed: int) -> list[list[int]]:
    """Computes the last line of each packet, from the program's documented first lines."""
    last = []
    for packet in range(packets):
        state = ((seed + packet) * 2654435761 + 1) & 0xFFFFFFFF
        cells = []
        for _ in range((length + 31) // 32):
            state ^= state << 13 & 0xFFFFFFFF
            state ^= state >> 17
            state ^= state << 5 & 0xFFFFFFFF
            cells += [state >> bit & 1 for bit in range(32)]
        cells = cells[:length]
        for _ in range(count):
            padded = [0, *cells, 0]
            cells = [rule >> (padded[i] * 4 + padded[i + 1] * 2 + padded[i + 2]) & 1 for i in range(length)]
        last.append(cells)
    return last


def checksum(packets: list[list[int]]) -> int:
    value = 2166136261
    for cells in packets:
        for start in range(0, len(cells), 32):
            word = sum(cell << bit for bit, cell in enumerate(cells[start : start + 32]))
            value = (value ^ word) * 16777619 & 0xFFFFFFFF
    return value


@pytest.mark.parametrize("length", LENGTHS)
def test_host_and_powerpc_agree_in_all_software_modes(built: tuple[Path, Path], length: int) -> None:
    host, powerpc = built
    wanted = run(host, "char", length, 5, 99, "--check", 5)
    assert wanted.returncode == 0, wanted.stderr
    for runner in ([host], ["qemu-ppc", powerpc]):
        for mode in SOFTWARE:
            got = run(*runner, mode, length, 5, 99, "--check", 5)
            assert got.returncode == 0, got.stderr
            assert facts(got.stdout) == facts(wanted.stdout)
    assert f"checksum: {checksum(lines(length, 5, 99, 30, 1)):08x}\n" in wanted.stdout


@pytest.mark.parametrize("rule", [0, 1, 30, 90, 110, 184, 255])
@pytest.mark.parametrize("mode", SOFTWARE)
def test_any_rule(built: tuple[Path, Path], mode: str, rule: int) -> None:
    got = run(built[0], mode, 77, 3, 20, "--rule", rule, "--seed", 9, "--check", 3)
    assert got.returncode == 0, got.stderr
    assert "checked: 60 lines\n" in got.stdout
    assert f"checksum: {checksum(lines(77, 3, 20, rule, 9)):08x}\nok\n" in got.stdout


def test_times_have_counts(built: tuple[Path, Path]) -> None:
    spreads = re.findall(
        r"^(\w+)_ns: min (\d+) mean ([\d.]+) max (\d+) count (\d+)$",
        run(built[0], "bit", 64, 7, 11).stdout,
        re.MULTILINE,
    )
    assert [(name, int(count)) for name, *_, count in spreads] == [("line", 77), ("packet", 7)]
    assert all(int(least) <= float(mean) <= int(most) for _, least, mean, most, _ in spreads)
    assert "line_ns" not in run(built[0], "bit", 64, 7, 11, "--no-line-times").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "MODE LENGTH PACKETS LINES are needed"),
        (["dance", 8, 1, 1], "there is no such mode"),
        (["bit", 0, 1, 1], "LENGTH is 0, must be 1 to 1024"),
        (["bit", 1025, 1, 1], "LENGTH is 1025, must be 1 to 1024"),
        (["bit", "8x", 1, 1], "LENGTH is 8x, must be"),
        (["bit", 8, 0, 1], "PACKETS is 0"),
        (["bit", 8, 1, 129], "LINES is 129, must be 1 to 128"),
        (["bit", 8, 1, 1, "--rule", 256], "--rule is 256, must be 0 to 255"),
        (["bit", 8, 1, 1, "--dance"], "usage: rule30 MODE"),
    ],
)
def test_wrong_arguments_are_named(built: tuple[Path, Path], arguments: list[object], said: str) -> None:
    got = run(built[0], *arguments)
    assert got.returncode == 2
    assert said in got.stderr


@pytest.mark.parametrize("mode", ["hw", "hwo", "hw-mmap", "hw-poll", "hw-batch", "hw-dma", "hwo-mmap"])
def test_a_missing_device_says_what_to_do(built: tuple[Path, Path], mode: str) -> None:
    got = run(built[0], mode, 8, 1, 1, "--device", "/nonexistent/rule30")
    assert got.returncode == 1
    assert "/nonexistent/rule30: No such file or directory (load the driver" in got.stderr


def test_a_core_that_is_not_there(built: tuple[Path, Path]) -> None:
    got = run(built[0], "bit", 8, 1, 1, "--cpu", 1023)
    assert got.returncode == 1
    assert "there is no such core" in got.stderr
