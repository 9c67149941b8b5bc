"""Console scripts: the RTOS's shell by script, and what goes wrong with a small program that talks."""

import re
import subprocess
from pathlib import Path

import pytest
from socscope.console import Console
from socscope.errors import ConsoleError, OptionError
from socscope.simulation import Simulation
from socscope.study import guest

TALK_C = """
#define USART0 ((volatile unsigned *)0xfffd0000)
static void say(const char *text) {
    while (*text) { while (!(USART0[5] & 2)) { } USART0[7] = *text++; }
}
void _start(void) {
    USART0[1] = 0x8c0; USART0[8] = 22; USART0[0] = 0x40;
    say("one\\r\\ntwo 2\\r\\n" SAYS);
    while (!(USART0[5] & 0x200)) { }
    END
}
"""


@pytest.fixture(scope="session")
def shell_image() -> Path:
    return guest.build("system", BOARD="at91x40", ISA="arm") / "system.elf"


@pytest.fixture
def console(shell_image: Path) -> Console:
    """A console at the first prompt."""
    console = Simulation("at91x40", shell_image).console()
    console.expect("\n$ ", within="2s")
    return console


def talking(folder: Path, says: str = "", end: str = "for (;;) (void)USART0[5];") -> Simulation:
    (folder / "talk.c").write_text(TALK_C)
    options = ["-mcpu=arm7tdmi", "-O1", "-nostdlib", "-Ttext=0x02000000", f'-DSAYS="{says}"', f"-DEND={end}"]
    subprocess.run(["arm-none-eabi-gcc", *options, "talk.c", "-o", "talk.elf"], cwd=folder, check=True)
    return Simulation("at91x40", folder / "talk.elf")


def test_shell_is_talked_with(console: Console) -> None:
    assert console.run("echo hello world") == "hello world"
    assert "echo" in console.run("help").split()
    assert console.run("") == ""


def test_script_repeats_to_the_bit(shell_image: Path) -> None:
    hashes = set()
    for _ in range(2):
        simulation = Simulation("at91x40", shell_image)
        console = simulation.console()
        console.expect("\n$ ", within="2s")
        console.run("make a 200 1")
        console.run("crc32 a")
        hashes.add((simulation.machine.time_ps, simulation.machine.state_hash()))
    assert len(hashes) == 1


def test_forks_have_scripts_of_their_own(console: Console) -> None:
    simulation = console._simulation
    first, second = simulation.fork(), simulation.fork()
    assert first.console().run("echo first") == "first"
    assert second.console().run("echo second") == "second"
    assert b"first" not in simulation.output() + second.output()


def test_text_before_a_match_is_given_and_the_rest_is_kept(tmp_path: Path) -> None:
    console = talking(tmp_path).console()
    assert console.expect("two") == "one\ntwo"
    assert re.search("[0-9]", console.expect(re.compile("[0-9]+\n"))) is not None


def test_text_that_never_comes(tmp_path: Path) -> None:
    console = talking(tmp_path).console()
    message = (
        "usart0: 'three' did not come within 10ms of simulated time; allow more with within=, or correct the "
        "text.\nThe guest's last lines:\n  one\n  two 2"
    )
    with pytest.raises(ConsoleError, match=f"^{re.escape(message)}$"):
        console.expect("three", within="10ms")
    with pytest.raises(ConsoleError, match=r"^usart0: /t.*y/ did not come within 1ms"):
        console.expect(re.compile("t.*y"), within="1ms")


def test_panic_is_told_at_once(tmp_path: Path) -> None:
    simulation = talking(tmp_path, r"Kernel panic - not syncing: no init\r\n", end="for (;;) { }")
    console = simulation.console()
    message = "usart0: '# ' was awaited when the guest gave up: Kernel panic - not syncing: no init\n"
    with pytest.raises(ConsoleError, match=f"^{re.escape(message)}The guest's last lines:\n"):
        console.expect("# ", within="100s")
    assert simulation.machine.time_ps < 1e12


def test_crash_is_told_with_its_report(tmp_path: Path) -> None:
    console = talking(tmp_path, end="((void (*)(void))0x50000000)();").console()
    with pytest.raises(ConsoleError, match=r"(?s)^usart0: '# ' was awaited when the machine stopped: .*r15"):
        console.expect("# ")
    assert console.unread == "one\ntwo 2\n"


def test_port_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"^at91x40: no serial port usart7; there are usart0, usart1$"):
        talking(tmp_path).console("usart7")
