"""Two images compared by what a user can see of their runs: whatever a variant changes is found."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from socscope.record import Run
from socscope.replay.visible import Comparison, visible
from socscope.simulation import Simulation

# Each definition changes one thing; MOVED changes the code and nothing that can be seen.
PROGRAM_C = """
#define US ((volatile unsigned *)0xfffd0000)
#define PIO ((volatile unsigned *)0xffff0000)
int work(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
void called(void) { }
const char *text = TEXT;
void (*hook)(void);
int table[3];
#ifdef MOVED
int more;
int __attribute__((noinline)) before(int n) { return work(n) + more++; }
#else
#define before work
#endif
int main(void) {
    before(20);
    hook = called;
    table[1] = LEFT;
    PIO[0] = PINS; PIO[4] = PINS; PIO[12] = PINS;
    __asm__ volatile("mov r0, %0\\n orr r3, r3, r3" : : "r"(MARKED) : "r0");
    US[0] = 0xac; US[1] = 0x8c0; US[8] = 13; US[0] = 0x50;
    for (const char *p = text; *p; p++) { while (!(US[5] & 2)) before(1); US[7] = *p; }
    US[14] = (unsigned)text; US[15] = COUNT;
    for (;;) work(9);
}
"""
PLAIN = {"TEXT": '"hello\\n"', "COUNT": "4", "PINS": "5", "LEFT": "7", "MARKED": "1"}
VARIANTS = {
    "plain": {},
    "moved": {"MOVED": ""},
    "text": {"MOVED": "", "TEXT": '"hullo\\n"'},
    "longer": {"TEXT": '"hello\\nthere\\n"'},
    "dma": {"COUNT": "3"},
    "pins": {"PINS": "4"},
    "left": {"LEFT": "9"},
    "marked": {"MARKED": "2"},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A record of each variant."""
    folder = tmp_path_factory.mktemp("variants")
    (folder / "start.S").write_text(".text\n.global _start\n_start: ldr sp, =0x2000\n bl main\nend: b end\n")
    found = {}
    for name, changed in VARIANTS.items():
        defines = "".join(f"#define {key} {value}\n" for key, value in (PLAIN | changed).items())
        (folder / "program.c").write_text(defines + PROGRAM_C)
        options = ["-mcpu=arm7tdmi", "-g", "-O1", "-nostdlib", "-Ttext=0x100", "-Tdata=0x1000", "-o", name]
        subprocess.run(
            ["arm-none-eabi-gcc", *options, "start.S", "program.c", "-lgcc"], cwd=folder, check=True
        )
        simulation = Simulation("at91x40", folder / name)
        simulation.run("3ms")
        found[name] = simulation.record(folder / f"{name}-run", command=["test"])
    return found


def changed(comparison: Comparison) -> dict[str, tuple[str, str]]:
    return {
        aspect.what: (aspect.difference.first, aspect.difference.second)
        for aspect in comparison.aspects
        if aspect.difference
    }


def test_code_that_moved_is_no_difference(runs: dict[str, Run]) -> None:
    comparison = visible(runs["plain"], runs["moved"])
    assert changed(comparison) == {}
    assert comparison.first is None
    compared = {aspect.what: aspect.compared for aspect in comparison.aspects}
    assert compared["console usart0"] == "10 characters"
    assert compared["DMA of usart0 transmit"] == "1 transfers"
    assert compared["marks"] == "1 marks"
    # `more` is one image's alone.
    assert compared["memory at the end"] == "3 variables, 20 bytes"
    assert "0 more variables of A, 1 of B" in comparison.left_out[-1]


def test_another_text_is_found_on_the_console_and_where_it_was_written(runs: dict[str, Run]) -> None:
    comparison = visible(runs["plain"], runs["text"])
    found = changed(comparison)
    assert found["console usart0"] == ("'hello'", "'hullo'")
    assert found["writes to devices' registers"] == ("usart0:US_THR = 0x65", "usart0:US_THR = 0x75")
    # The pointer to the text counts as the text.
    assert set(found) == {"console usart0", "writes to devices' registers", "memory at the end"}
    assert comparison.first is not None
    assert comparison.first.what.startswith("writes to devices' registers: number ")


def test_a_text_that_goes_on_is_found(runs: dict[str, Run]) -> None:
    found = changed(visible(runs["plain"], runs["longer"]))
    assert found["console usart0"] == ("'hell'", "'there'")


@pytest.mark.parametrize(
    ("variant", "what", "first", "second"),
    [
        ("dma", "DMA of usart0 transmit", "read of 4 bytes in sram", "read of 3 bytes in sram"),
        ("pins", "writes to devices' registers", "pio:PIO_PER = 0x5", "pio:PIO_PER = 0x4"),
        ("left", "memory at the end", "07 00 00 00 00 00 00 00", "09 00 00 00 00 00 00 00"),
        ("marked", "marks", "mark 3 with 0x1 on core 0", "mark 3 with 0x2 on core 0"),
    ],
)
def test_each_change_is_found(runs: dict[str, Run], variant: str, what: str, first: str, second: str) -> None:
    assert changed(visible(runs["plain"], runs[variant]))[what] == (first, second)


def diff(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from socscope.cli import app; app()", "diff", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_says_what_differs_and_what_was_not_compared(runs: dict[str, Run]) -> None:
    done = diff(runs["plain"].folder, runs["text"].folder)
    assert done.returncode == 4, done.stderr
    assert done.stdout.startswith(
        "first divergence: the images differ: no instructions in common\n"
        "first difference: writes to devices' registers: number 9 of the writes, at "
    )
    assert "\n  A: usart0:US_THR = 0x65\n  B: usart0:US_THR = 0x75\n" in done.stdout
    assert "\nnot compared: times and cycles: other code takes another time; " in done.stdout
    done = diff(runs["plain"].folder, runs["moved"].folder, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["visible"]["first"] is None


def test_on_another_board_what_can_be_seen_is_compared(runs: dict[str, Run], tmp_path: Path) -> None:
    image = runs["plain"].folder.parent / "plain"
    simulation = Simulation("at91x40", image, overrides=("/clock:clock-frequency=20000000",))
    simulation.run("6ms")
    slower = simulation.record(tmp_path / "slower", command=["test"])
    comparison = visible(runs["plain"], slower)
    assert changed(comparison) == {}
