"""The engine for cellular automata: the built-in one and the one in Python do the same at every access."""

import importlib.util
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from socscope import Simulation
from socscope.device import RegisterArray, from_model
from socscope.errors import SocscopeError

ROOT = Path(__file__).parents[2]
BASE, IRQ = 0xF000_0000, 5
COMMANDS = 4000
RAM = 0x0018_0000
LATENCY_NS = 700

# Reads commands (kind, address, value) behind it and keeps what it loads: 0 ends, 1 stores, 2 loads, 3 waits;
# 4 and 5 store and load a byte.
PROGRAM = """
    .text
    .global _start
_start:
    ldr r4, =commands
    ldr r5, =0x140000
next:
    ldmia r4!, {r0, r1, r2}
    cmp r0, #1
    beq store
    cmp r0, #2
    beq load
    cmp r0, #3
    beq wait
    cmp r0, #4
    beq store_byte
    cmp r0, #5
    beq load_byte
end:
    b end
store:
    str r2, [r1]
    b next
load:
    ldr r3, [r1]
    str r3, [r5], #4
    b next
store_byte:
    strb r2, [r1]
    b next
load_byte:
    ldrb r3, [r1]
    str r3, [r5], #4
    b next
wait:
    subs r2, r2, #1
    bne wait
    b next
    .ltorg
commands:
    .incbin "commands.bin"
"""


def load_example() -> Any:  # noqa: ANN401 - a class that is loaded.
    spec = importlib.util.spec_from_file_location("rule30_example", ROOT / "examples" / "rule30.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Rule30


def traffic(seed: int) -> bytes:
    """Commands that a driver gives, that it gives wrongly, and that nobody would give."""
    choose = random.Random(seed)
    registers = from_model("rule30")
    offset = {name: register.offset for name, register in registers.items()}
    commands: list[tuple[int, int, int]] = []

    def store(name: str, value: int, index: int = 0) -> None:
        commands.append((1, BASE + offset[name] + 4 * index, value & 0xFFFF_FFFF))

    def load_all() -> None:
        for register in registers.values():
            for index in range(register.count):
                stride = register.stride if isinstance(register, RegisterArray) else 0
                commands.append((2, BASE + register.offset + index * stride, 0))

    def written(name: str) -> int:
        anything = choose.getrandbits(32)
        usual = {
            "CONTROL": [0, 1, 2, 3, 4, 8, 15],
            "RULE": [30, 110],
            "LENGTH": [0, 1, 7, 32, 33, 99, 1000, 1024, 1025],
            "START": [1, 1, 1, 0, 2],
            "STATUS": [2, 4, 6, 1],
            "LINES": range(9),
            "SOURCE": [RAM],
            "DESTINATION": [RAM + 0x1000],
            "RESET": [0],
        }
        return choose.choice([*usual.get(name, []), anything])

    for address in range(RAM, RAM + 64, 4):
        commands.append((1, address, choose.getrandbits(32)))
    while len(commands) < COMMANDS:
        match choose.randrange(14):
            case 0 if choose.randrange(2):
                load_all()
            case 0:
                store("RESET", int(choose.randrange(8) == 0))
            case 1 | 2:
                commands.append((3, 0, choose.choice([1, 5, 20, 100])))
                commands.append((2, BASE + offset["STATUS"], 0))
            case 3:
                place = BASE + choose.choice([*offset.values()]) + choose.randrange(4)
                commands.append((choose.choice([4, 5]), place, choose.getrandbits(8)))
            case 4 | 5 | 6 | 10 | 11:
                store("INPUT", choose.getrandbits(32), choose.randrange(32))
            case 7 | 8:
                # Most lines can be computed, most have time for it.
                if choose.randrange(4):
                    store("LENGTH", choose.choice([33, 99, 1000, 1024]))
                store("START", written("START"))
                commands.append((3, 0, choose.choice([1, 20, 99])))
            case _:
                name = choose.choice([name for name in offset if name != "RESET"])
                store(name, written(name))
    load_all()
    commands.append((0, 0, 0))
    return b"".join(struct.pack("<3I", *command) for command in commands)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    def build(seed: int) -> Path:
        folder = tmp_path_factory.mktemp("traffic")
        (folder / "program.S").write_text(PROGRAM)
        (folder / "commands.bin").write_bytes(traffic(seed))
        image = folder / "program.elf"
        options = ["-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0", f"-Wa,-I{folder}"]
        subprocess.run(["arm-none-eabi-gcc", *options, folder / "program.S", "-o", image], check=True)
        return image

    return build


def platform(folder: Path, *, extended: bool) -> Path:
    """The bench with the built-in engine; its interrupt goes to the core."""
    text = (ROOT / "platforms" / "bench.dts").read_text()
    extensions = "socscope,batch; socscope,dma;" if extended else ""
    node = f"""
        rule30: engine@f0000000 {{
            compatible = "socscope,rule30";
            reg = <0x{BASE:x} 0x1000>;
            clocks = <&clock>;
            socscope,latency-ns = <{LATENCY_NS}>;
            {extensions}
        }};
    }};"""
    path = folder / "engine.dts"
    path.write_text(text.rstrip().removesuffix("};") + node)
    return path


def seen(simulation: Simulation) -> tuple[int, bytes, bytes]:
    """The cycle of the end, everything that was read, and the memory that DMA could reach."""
    assert simulation.run("1s", until_symbol="end").stop.kind == "address"
    machine = simulation.machine
    return machine.cycle, machine.peek(0x14_0000, 4 * COMMANDS * 4), machine.peek(RAM, 0x2000)


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_engines_do_the_same(
    seed: int, program: Callable[[int], Path], tmp_path: Path, *, extended: bool
) -> None:
    image = program(seed)
    engine = load_example()(at=BASE, batch=extended, dma=extended, latency_ns=LATENCY_NS)
    in_python = Simulation("bench", image, devices=[engine])
    in_rust = Simulation(str(platform(tmp_path, extended=extended)), image)
    expected, found = seen(in_python), seen(in_rust)
    words = set(struct.iter_unpack("<I", expected[1]))
    assert len(words) > 100, "the traffic is worth it"
    assert {(1,), (2,)} <= words, "STATUS is seen busy and done"
    assert words & {(4,), (5,), (6,)}, "and with an error"
    assert expected[1] == found[1]
    assert expected == found


def test_the_latency_changes_in_mid_run(program: Callable[[int], Path], tmp_path: Path) -> None:
    image = program(4)
    engine = load_example()(at=BASE, latency_ns=LATENCY_NS)
    in_python = Simulation("bench", image, devices=[engine])
    in_rust = Simulation(str(platform(tmp_path, extended=False)), image)
    for simulation, name in ((in_python, "rule30"), (in_rust, "rule30")):
        for latency_ns in (1, 10_000, 10, 1000):
            simulation.run("20us")
            simulation.set_attribute(name, "latency_ns", latency_ns)
            assert simulation.attribute(name, "latency_ns") == latency_ns
        with pytest.raises(SocscopeError, match="latency_ns is -1, but at least 0 is allowed"):
            simulation.set_attribute(name, "latency_ns", -1)
    assert seen(in_python) == seen(in_rust)
