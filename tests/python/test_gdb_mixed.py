"""GDB on a machine of several architectures: a process for each, as gdb-multiarch knows it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import toy
from socscope.cli.debugger import call
from socscope.simulation import Outcome, Simulation
from test_gdb import answer, connection, gdb, in_order, kill, packet, served  # type: ignore[import-not-found]
from test_mixed import TREE, build  # type: ignore[import-not-found] # Tests beside it.

# Both count a word of the other's neighbour, and a variable in a function of the same name.
COUNT = "unsigned done;\nvoid count(void) { done += 1; }\n"
LOOP = "void %s(void) { for (;;) { ((volatile unsigned *)0x8000)[%d] += 1; count(); } }\n"
FIRST = COUNT + LOOP % ("run", 0) + '__asm__(".globl first\\nfirst: lis 1,2\\nb run");\n'
SECOND = COUNT + LOOP % ("run", 1) + '__asm__(".globl second\\nsecond: mov sp,#0x18000\\nb run");\n'
# Attached, and back in the first: GDB hears of stops in a process only once it has let it go on.
ATTACH = """
    add-inferior -exec {second}
    inferior 2
    attach 2
    inferior 1
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "mixed.dts").write_text(TREE)
    first = build(folder, "first", FIRST, 0x1000, "powerpc-linux-gnu-gcc", "-g", "-mcpu=750")
    second = build(folder, "second", SECOND, 0x4000, "arm-none-eabi-gcc", "-g", "-mcpu=arm7tdmi")
    return folder / "mixed.dts", first, second


def client_of(
    files: tuple[Path, Path, Path], client: Callable[[str], None], limit: str | None = "10ms"
) -> Outcome:
    board, first, second = files
    outcome: Outcome = served(Simulation(str(board), first, images={1: second}), client, limit=limit)
    return outcome


def session(files: tuple[Path, Path, Path], commands: str, *, multiple: bool = True) -> str:
    _, first, second = files
    said: list[str] = []
    begin = ATTACH.format(second=second) + ("set schedule-multiple on\n" if multiple else "")

    def client(address: str) -> None:
        said.append(
            gdb(address, first, begin + commands + "\nkill inferiors 2\nkill inferiors 1", extended=True)
        )

    assert client_of(files, client).stop.kind == "killed"
    return said[0]


def test_each_process_has_registers_and_symbols_of_its_own(files: tuple[Path, Path, Path]) -> None:
    said = session(
        files,
        """
        info inferiors
        info threads
        info registers pc msr
        print/x $r1 = 0x12345678
        thread 2.1
        info registers pc cpsr
        print/x $r1 = 0x9abcdef0
        print/x $r1
        info symbol $pc
        thread 1.1
        print/x $r1
        info symbol $pc
        monitor interrupts
        """,
    )
    in_order(
        said,
        r"^\* 1 +process 1 .*first\.elf",
        r"^  2 +process 2 .*second\.elf",
        r'^\* 1\.1 +Thread 1\.1 "mixed core 0 750" \(supervisor\)',
        r'^  2\.1 +Thread 2\.2 "mixed core 1 arm7tdmi" \(supervisor mode\)',
        r"^msr +0x1000",
        r"= 0x12345678$",
        r"^cpsr +0xd3",
        r"= 0x9abcdef0$",
        r"= 0x9abcdef0$",
        r"^second in section",
        r"= 0x12345678$",
        r"^first in section",
        r"^cpu1\.irq: inactive, masked$",
        r"^cpu1\.fiq: inactive, masked$",
    )


def test_breakpoints_steps_and_ways_back_in_both(files: tuple[Path, Path, Path]) -> None:
    said = session(
        files,
        """
        break count
        info breakpoints
        continue
        backtrace
        disable 1.1
        continue
        backtrace
        stepi
        info symbol $pc
        reverse-stepi
        info symbol $pc
        delete
        thread 1.1
        stepi
        reverse-stepi
        break run
        reverse-continue
        monitor time
        """,
    )
    in_order(
        said,
        r"Breakpoint 1 at .*2 locations",
        r"in count at first.c:2 inf 1",
        r"in count at second.c:2 inf 2",
        r'Thread 1\.1 "mixed core 0 750" hit Breakpoint 1',
        r"^#1 .* run \(\) at first.c:3",
        r'Thread 2\.1 "mixed core 1 arm7tdmi" hit Breakpoint 1',
        r"^#1 .* run \(\) at second.c:3",
        r"^count \+ \d+ in section",
        r"^count in section",
        r"Thread [12]\.1 .* hit Breakpoint 2\.2, .*run \(\) at second",
    )


def test_an_access_is_told_to_the_process_that_watches(files: tuple[Path, Path, Path]) -> None:
    """GDB would pass over a hit in the other one: it evaluates what is watched in the process that stops."""
    said = session(
        files,
        """
        watch *(unsigned *)0x8004
        continue
        x/4xb 0x8004
        """,
    )
    in_order(
        said,
        r"^mixed core 1 arm7tdmi has made an access that is watched\.$",
        r'Thread 1\.1 "mixed core 0 750" hit Hardware watchpoint 2|Thread 1\.1 .* hit Hardware watchpoint 1',
        r"New value = 16777216",
        r"^0x8004:\s0x01\s0x00\s0x00\s0x00",
    )


def test_a_stop_that_gdb_does_not_wait_for_is_an_interrupt(files: tuple[Path, Path, Path]) -> None:
    said = session(
        files,
        """
        thread 2.1
        break count
        thread 1.1
        tbreak run
        continue
        continue
        disable 1.1
        continue
        """,
        multiple=False,
    )
    in_order(
        said,
        r"^mixed core 1 arm7tdmi is at a breakpoint\. GDB has let another process go on alone, .*"
        r"'set schedule-multiple on' lets it hear of all\.$",
        r"Thread 1\.1 .* received signal SIGINT",
    )


def test_packets_of_processes_that_are_not_there_are_refused(files: tuple[Path, Path, Path]) -> None:
    def client(address: str) -> None:
        with connection(address) as wire:

            def said(body: bytes) -> bytes:
                wire.sendall(packet(body))
                heard = answer(wire)
                found = re.search(rb"\$(.*)#", heard, re.DOTALL)
                assert found, (body, heard)
                return bytes(found[1])

            assert said(b"qSupported:multiprocess+").startswith(b"PacketSize")
            assert said(b"?") == b"T05thread:p01.01;"
            assert said(b"qfThreadInfo") == b"mp1.1"
            # The second is not attached yet, and there is no third.
            assert said(b"Hgp2.2") == b"E03"
            assert said(b"vAttach;3") == b"E01"
            assert said(b"vAttach;1") == b"E01"
            assert said(b"vAttach;2") == b"T05thread:p02.02;"
            assert said(b"qfThreadInfo") == b"mp1.1,p2.2"
            assert said(b"Hgp1.2") == b"E03"
            arm = said(b"qXfer:features:read:target.xml:0,800")
            assert b"<architecture>armv4t<" in arm
            assert said(b"Hgp1.0") == b"OK"
            assert b"powerpc" in said(b"qXfer:features:read:target.xml:0,800")
            assert said(b"D;2") == b"OK"
            assert said(b"qfThreadInfo") == b"mp1.1"
        kill(address)

    assert client_of(files, client).stop.kind == "killed"


def test_an_architecture_that_gdb_does_not_know_is_refused(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    """GDB would show registers of its host. The first process is one that it knows."""
    board = tmp_path / "board.dts"
    node = 'cpu@0 { device_type = "cpu"; compatible = "socscope,toy"; reg = <0>; clocks = <&fast>; };'
    tree = re.sub(r"PowerPC,750@0 .*", node, TREE)
    board.write_text(tree)
    image = toy.image(tmp_path / "toy.elf", {0x1000: "start:\n    branch start\n"}, "<")
    subject = Simulation(str(board), image, images={1: files[2]})
    said: list[str] = []
    told: list[tuple[str, str]] = []

    def client(address: str) -> None:
        commands = "info registers cpsr\nadd-inferior\ninferior 2\nattach 2\ninferior 1\nstepi\nkill"
        said.append(gdb(address, files[2], commands, extended=True))

    served(subject, client, "10ms", told.append)
    in_order(said[0], r"^cpsr +0xd3", r"^Attaching to process 2 failed", r"^0x00004\w+ in")
    assert ("blind", "cpu0 (toy): GDB does not know its architecture and cannot show it") in told
    assert call(subject, "host:1") == f"gdb-multiarch {files[2]} -ex 'target remote host:1'"


def test_the_user_is_told_how_to_see_all_processes(files: tuple[Path, Path, Path]) -> None:
    board, first, second = files
    expected = (
        f"gdb-multiarch {first} -ex 'target extended-remote host:1' -ex 'add-inferior -exec {second}' "
        "-ex 'inferior 2' -ex 'attach 2' -ex 'inferior 1' -ex 'set schedule-multiple on'"
    )
    assert call(Simulation(str(board), first, images={1: second}), "host:1") == expected
