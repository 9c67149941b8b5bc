"""What a run says at its end: where a program has stopped, and what it accessed without a model."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from socscope.cli.output import Exit
from socscope.cli.unmodelled import counted

ARM_S = """.text
.global _start
_start: b begin
        .rept 7
        b .
        .endr
begin:  nop
        INSTRUCTION
        .global halt
        .type halt, %function
halt:   nop
        b .
"""
TOUCH_S = """.text
.global _start
_start: ldr r0, =0x50000000
        ldr r1, [r0]
        ldr r1, [r0]
        str r1, [r0, #8]
        ldr r0, =0xfff40000
        str r1, [r0]
halt:   b .
"""
STUB = '/ { soc { thing@fff40000 { compatible = "a,b"; reg = <0xfff40000 0x100>; socscope,stub; }; }; };\n'


def ran(folder: Path, source: str, *options: str, board: str = "at91x40") -> tuple[int, str]:
    """Status and messages of a run of an assembler program in RAM."""
    (folder / "x.S").write_text(source)
    flags = ["-mcpu=arm7tdmi", "-g", "-nostdlib", "-Ttext=0x100", f"-Wa,--debug-prefix-map={folder}=."]
    subprocess.run(["arm-none-eabi-gcc", *flags, "x.S", "-o", "x.elf"], cwd=folder, check=True)
    command = [sys.executable, "-c", "from socscope.cli import app; app()", "run", board, "x.elf"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_program_that_stops_ends_normally(tmp_path: Path) -> None:
    status, messages = ran(tmp_path, ARM_S.replace("INSTRUCTION", "nop"))
    assert status == Exit.DONE
    assert messages.startswith("the program has stopped in an endless loop at halt+0x4 (x.S:12) after 0.0")
    assert "crash" not in messages
    status, messages = ran(tmp_path, ARM_S.replace("INSTRUCTION", "nop"), "--until-output", "never")
    assert status == Exit.NOT_REACHED
    assert "'never' was awaited and did not come: the program has stopped in an endless loop" in messages


@pytest.mark.parametrize(
    ("instruction", "exception"),
    [
        (".word 0xe7f000f0", r"the undefined instruction at 0x\w+ is not handled"),
        ("swi 0", "a software interrupt is not handled"),
    ],
)
def test_exception_that_is_not_handled_is_a_crash(instruction: str, exception: str, tmp_path: Path) -> None:
    source = ARM_S.replace("INSTRUCTION", instruction)
    (tmp_path / "x.S").write_text(source)
    flags = ["-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0"]
    subprocess.run(["arm-none-eabi-gcc", *flags, "x.S", "-o", "x.elf"], cwd=tmp_path, check=True)
    command = [sys.executable, "-c", "from socscope.cli import app; app()", "run", "at91x40", "x.elf"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.GUEST_CRASHED
    assert re.search(rf"The guest crashed: {exception}, and its handler is an endless loop at", done.stderr)


def test_crash_of_a_powerpc_has_its_report(tmp_path: Path) -> None:
    (tmp_path / "x.S").write_text(
        ".globl _start\n_start: li 3, 0\n mtmsr 3\n lis 4, 0xf000\n lwz 5, 0(4)\n b .\n"
    )
    flags = ["-nostdlib", "-static", "-Wl,-Ttext=0x1000", "-Wl,--build-id=none"]
    subprocess.run(["powerpc-linux-gnu-gcc", *flags, "x.S", "-o", "x.elf"], cwd=tmp_path, check=True)
    command = [sys.executable, "-c", "from socscope.cli import app; app()", "run", "mpc8641d", "x.elf"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.GUEST_CRASHED, done.stderr
    assert "The guest crashed: core 0 is in checkstop at 0x0000100c" in done.stderr
    assert "=> 0x0000100c  lwz r5, 0(r4)" in done.stderr


def test_what_is_not_modelled_is_told_by_node(tmp_path: Path) -> None:
    (tmp_path / "own.dts").write_text(f'/dts-v1/;\n/include/ "at91x40.dts"\n{STUB}')
    options = ["--set", "/chosen:socscope,unmapped=stub"]
    _, messages = ran(tmp_path, TOUCH_S, *options, board="own.dts")
    told = "\n".join(
        [
            "What was accessed is not modelled, so results may be wrong:",
            "  unmapped: 2 reads, 1 write",
            "  thing@fff40000: 1 write",
            "with --profile or --out a record lists the addresses, under warnings of its manifest.json",
        ]
    )
    assert told in messages
    _, messages = ran(tmp_path, TOUCH_S, *options, "--out", "record", board="own.dts")
    assert "\nrecord/manifest.json lists the addresses, under warnings\n" in messages
    assert "unmapped: read at 0x50000000: 2 times" in (tmp_path / "record/manifest.json").read_text()
    _, messages = ran(tmp_path, ARM_S.replace("INSTRUCTION", "nop"))
    assert "not modelled" not in messages


def test_nodes_with_the_most_accesses_come_first() -> None:
    touched = {
        "a (no model): read": 1,
        "b (no model): write": 3,
        "a (no model): write": 1,
        "rom is read-only: write": 9,
    }
    assert list(counted(touched).items()) == [
        ("rom is read-only", {"write": 9}),
        ("b", {"write": 3}),
        ("a", {"read": 1, "write": 1}),
    ]


SAYS_S = """.text
.global _start
_start: ldr r0, =0xfffd0000
        ldr r1, =0x8c0
        str r1, [r0, #4]
        mov r1, #22
        str r1, [r0, #0x20]
        mov r1, #0x40
        str r1, [r0]
        adr r2, text
next:   ldrb r3, [r2], #1
        cmp r3, #0
halt:   beq halt
ready:  ldr r1, [r0, #0x14]
        tst r1, #2
        beq ready
        str r3, [r0, #0x1c]
        b next
text:   .asciz "all of it"
"""


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_last_characters_come_out_before_an_endless_loop_ends_the_run(tmp_path: Path, engine: str) -> None:
    source = SAYS_S.replace("halt:   beq halt", "        bne ready\nhalt:   b halt")
    status, messages = ran(tmp_path, source, "--until-output", "all of it", "--engine", engine)
    assert (status, "the awaited output came" in messages) == (Exit.DONE, True), messages
    status, messages = ran(tmp_path, source, "--until-output", "more", "--engine", engine)
    assert status == Exit.NOT_REACHED


def test_json_lists_what_is_not_modelled(tmp_path: Path) -> None:
    (tmp_path / "b.dts").write_text(f'/dts-v1/;\n/include/ "at91x40.dts"\n{STUB}')
    stub = '/ { chosen { socscope,unmapped = "stub"; }; };\n'
    (tmp_path / "b.dts").write_text(f'/dts-v1/;\n/include/ "at91x40.dts"\n{STUB}{stub}')
    ran(tmp_path, TOUCH_S, "--for", "1ms", board="b.dts")
    command = [sys.executable, "-c", "from socscope.cli import app; app()", "run", "b.dts", "x.elf", "--json"]
    done = subprocess.run([*command, "--for", "1ms"], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout)["unmodelled"] == [
        {"node": "unmapped", "accesses": 3, "by_kind": {"read": 2, "write": 1}},
        {"node": "thing@fff40000", "accesses": 1, "by_kind": {"write": 1}},
    ]
