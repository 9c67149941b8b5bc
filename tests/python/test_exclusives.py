"""Exclusive stores that succeed and fail, in two memories, as a profile counts them."""

import subprocess
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest
from socscope.simulation import Simulation

TREE = """/dts-v1/;
/ {
    #address-cells = <1>;
    #size-cells = <1>;
    clock: clock { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <100000000>; };
    cpus {
        #address-cells = <1>;
        #size-cells = <0>;
        cpu@0 { device_type = "cpu"; compatible = "arm,arm1176jz-s"; reg = <0>; clocks = <&clock>; };
    };
    code: memory@0 { device_type = "memory"; reg = <0 0x40000>; };
    locks: memory@100000 { device_type = "memory"; reg = <0x100000 0x1000>; };
};
"""
ROUNDS = 20_000
# In each round: a store to each memory that has its mark, and one of a byte whose mark was taken away.
PROGRAM = f"""
    .syntax unified
    .arch armv6k
    .text
    .global start
    .type start, %function
start:
    ldr r0, =0x100000
    ldr r1, =0x20000
    ldr r2, ={ROUNDS}
    mov r8, #0
1:  mov r7, #0
    ldrex r3, [r0]
    add r3, r3, #1
    strex r4, r3, [r0]
    orr r7, r7, r4
    ldrex r5, [r1]
    add r5, r5, #1
    strex r6, r5, [r1]
    orr r7, r7, r6
    ldrexb r3, [r0]
    clrex
    strexb r4, r3, [r0]
    add r8, r8, r4
    subs r2, r2, #1
    bne 1b
    .global done
done:
    b done
    .size start, . - start
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("exclusives")
    (folder / "board.dts").write_text(TREE)
    (folder / "locks.S").write_text(PROGRAM)
    command = ["arm-none-eabi-gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x1000,-e,start,--build-id=none"]
    subprocess.run([*command, "locks.S", "-o", "locks.elf"], cwd=folder, check=True)
    return folder / "board.dts", folder / "locks.elf"


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_only_stores_that_happen_are_counted_and_where_they_happen(
    files: tuple[Path, Path], engine: Literal["translated", "interpreted"]
) -> None:
    board, image = files
    simulation = Simulation(str(board), image, engine=engine, profile=True)
    simulation.run(until_symbol="done")
    machine = simulation.machine
    assert machine.peek(0x100000, 4) == ROUNDS.to_bytes(4, "little")
    assert machine.peek(0x20000, 4) == ROUNDS.to_bytes(4, "little")
    table = machine.profile()["accesses"]
    found: Counter[tuple[str, str, int]] = Counter()
    columns = (table["region"], table["direction"], table["width_bits"], table["count"])
    for region, direction, width_bits, count in zip(*columns, strict=True):
        found[str(region), direction, width_bits] += count
    assert found == {
        ("locks", "read", 32): ROUNDS,
        ("locks", "write", 32): ROUNDS,
        ("locks", "read", 8): ROUNDS,
        # The constant of rounds is read beside the code.
        ("code", "read", 32): ROUNDS + 1,
        ("code", "write", 32): ROUNDS,
    }
    statistics = machine.engine_statistics()
    assert (statistics["translations"] > 0) == (engine == "translated")
