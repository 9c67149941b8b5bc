"""The toy goes through everything: record, profile, verify, checkpoint, history, debugger, bounds, crash."""

import re
from pathlib import Path

import pytest
import socscope
import toy
from powerpc_bench import reference
from socscope import _core
from socscope.characterize.static import analyse
from socscope.cli import app
from socscope.image import Image
from socscope.replay import verify
from socscope.simulation import Simulation
from test_gdb import (  # type: ignore[import-not-found] # A test beside it.
    answer,
    connection,
    kill,
    packet,
    served,
)
from test_mixed import FIRST, SECOND, build  # type: ignore[import-not-found] # Another one.
from typer.testing import CliRunner

MODELS = {">": "socscope,toy-big-endian", "<": "socscope,toy"}
# Ten calls of `sum`, which adds 1 to n up; then a trap, whose handler counts.
PROGRAM = """
start:
    set sp, 1
    shli sp, sp, 14
start.again:
    set r8, 10
start.next:
    addi r0, r8, 0
    call sum
    trap 1
    step r8, -1
    set r7, 0
    bne r8, r7, start.next
    branch start.again
sum:
    step sp, -8
    store lr, sp, 0
    call inner
    load lr, sp, 0
    step sp, 8
    jump lr
inner:
    set r1, 0
    set r2, 0
inner.loop:
    add r1, r1, r0
    step r0, -1
    bne r0, r2, inner.loop
    set r3, 1
    shli r3, r3, 15
    store r1, r3, 0
    jump lr
"""
HANDLER = """
handler:
    put r1, scratch
    set r1, 1
    shli r1, r1, 15
    load r4, r1, 4
    step r4, 1
    store r4, r1, 4
    get r1, scratch
    return
"""
SUMS = 0x8000


@pytest.fixture(scope="module", params=[">", "<"], ids=["big-endian", "little-endian"])
def order(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def files(order: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("toy")
    built = toy.image(folder / "toy.elf", {0x1000: PROGRAM, 0x20: HANDLER}, order)
    return toy.board(folder, MODELS[order]), built


@pytest.fixture
def simulation(files: tuple[Path, Path]) -> Simulation:
    board, image = files
    return Simulation(str(board), image)


def typed(*arguments: str | Path, status: int = 0) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done.stdout + done.stderr


def word(simulation: Simulation, address: int, order: str) -> int:
    data = simulation.machine.peek(address, 4)
    return int.from_bytes(data, "big" if order == ">" else "little")


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_a_record_counts_by_context_and_is_verified(
    files: tuple[Path, Path], tmp_path: Path, engine: str
) -> None:
    board, image = files
    typed("run", board, image, "--for", "1ms", "--profile", "--engine", engine, "--out", tmp_path / "run")
    run = socscope.open(tmp_path / "run")
    counted = {row["name"]: row for row in run.rows("functions")}
    assert set(counted) >= {"start", "sum", "inner", "handler"}
    assert sum(row["instructions"] for row in counted.values()) == run.manifest.totals.instructions
    [taken] = run.rows("exceptions")
    assert taken["exception"] == "trap"
    entered = {"root": 0, "call": 0, "exception": 0}
    for node in run.rows("nodes"):
        entered[node["entry"]] += node["entered"]
    assert entered["exception"] == taken["count"] > 50
    # Two calls before each trap: those of the last sum may be under way.
    assert 0 <= entered["call"] - 2 * taken["count"] <= 2
    assert [str(one) for check in verify(run, image=image) for one in check.differences] == []


def test_a_checkpoint_goes_on_where_it_was(simulation: Simulation, tmp_path: Path, order: str) -> None:
    simulation.run("200us")
    simulation.checkpoint(tmp_path / "saved")
    restored = Simulation.restore(tmp_path / "saved")
    for one in (simulation, restored):
        one.run("300us")
    assert restored.machine.state_hash() == simulation.machine.state_hash()
    assert word(restored, SUMS + 4, order) > 50


def test_history_goes_back_to_an_access(simulation: Simulation, order: str) -> None:
    simulation.run("100us")
    history = simulation.history()
    simulation.run("100us")
    before = word(simulation, SUMS + 4, order)
    found = history.last_write(SUMS + 4)
    assert found is not None
    assert (found.old, found.new) == (before - 1, before)
    assert found.function.startswith("handler")


def test_a_debugger_speaks_to_it(simulation: Simulation, files: tuple[Path, Path], order: str) -> None:
    inner = Image.read(files[1]).address_of("inner")
    said: dict[str, bytes] = {}

    def value(text: bytes) -> int:
        return int.from_bytes(bytes.fromhex(text.decode()), "big" if order == ">" else "little")

    def client(address: str) -> None:
        with connection(address) as wire:

            def ask(body: str) -> bytes:
                wire.sendall(packet(body.encode()))
                found = re.search(rb"\$(.*)#..", answer(wire), re.DOTALL)
                wire.sendall(b"+")
                assert found
                # A star and a letter repeat what stands before.
                again = rb"(.)\*(.)"
                return re.sub(again, lambda run: run[1] * (run[2][0] - 28), found[1], flags=re.DOTALL)

            ask("qSupported:xmlRegisters=i386")
            said["target"] = ask("qXfer:features:read:target.xml:0,fff")
            said["set"] = ask(f"Z0,{inner:x},2")
            said["stop"] = ask("vCont;c")
            said["registers"] = ask("g")
            said["counter"] = ask("p14")
            said["step"] = ask("vCont;s:1")
            said["behind"] = ask("p14")
            said["written"] = ask("P3=" + (7).to_bytes(4, "big" if order == ">" else "little").hex())
            said["third"] = ask("p3")
            said["code"] = ask(f"m{inner:x},2")
        kill(address)

    assert served(simulation, client).stop.kind == "killed"
    assert b"<architecture>toy</architecture>" in said["target"]
    assert b'name="scratch"' in said["target"]
    assert (said["set"], said["written"]) == (b"OK", b"OK")
    registers = said["registers"]
    assert len(registers) == 21 * 8
    assert value(registers[20 * 8 :]) == value(said["counter"]) == inner
    assert value(said["behind"]) == inner + 2
    assert value(said["third"]) == 7
    assert said["code"] == (b"8100" if order == ">" else b"0081")


def test_the_bound_is_what_a_run_takes(files: tuple[Path, Path], order: str) -> None:
    board, path = files
    image = Image.read(path)
    result = analyse(image, "sum", times=[reference(3, 2)], registers={"r0": (10, 10)})
    assert result.unbounded == ()
    machine = Simulation(str(board), image, overrides=["/cpus/cpu@0:socscope,cpi=3 2"]).machine
    entry = image.address_of("sum")
    machine.run(until_address=entry)
    begin, back = machine.moment, machine.registers()["lr"]
    instructions = 0
    while machine.pc != back:
        machine.step()
        instructions += 1
    assert result.bound_cycles == -(-instructions * 3 // 2)
    assert machine.moment[0] - begin[0] <= result.bound_cycles


def test_a_crash_has_its_report(tmp_path: Path, order: str) -> None:
    source = "start:\nset r1, -1\nload r2, r1, -8\nloop\n"
    image = toy.image(tmp_path / "toy.elf", {0x1000: source, 0x20: "handler:\nloop\n"}, order)
    told = typed("run", toy.board(tmp_path, MODELS[order]), image, "--for", "10s", status=3)
    assert (
        "The guest crashed: a bus fault is not handled, and its handler is an endless loop at 0x00000020"
        in told
    )
    assert "=> 0x00000020  " + ("b000" if order == ">" else "00b0") in told
    assert "r1 ffffffff" in told
    assert "back 00001002" in told


def test_three_kinds_share_a_machine_and_a_record(tmp_path: Path) -> None:
    names = ["PowerPC,750", "socscope,toy", "arm,arm7tdmi"]
    nodes = [
        f'cpu@{at} {{ device_type = "cpu"; compatible = "{name}"; reg = <{at}>; clocks = <&clock>; }};'
        for at, name in enumerate(names)
    ]
    board = toy.board(tmp_path, "", cpus=" ".join(nodes))
    images = (
        build(tmp_path, "first", FIRST, 0x1000, "powerpc-linux-gnu-gcc", "-mcpu=750"),
        toy.image(tmp_path / "toy.elf", {0x6000: PROGRAM, 0x20: HANDLER}, "<"),
        build(tmp_path, "second", SECOND, 0x4000, "arm-none-eabi-gcc", "-mcpu=arm7tdmi"),
    )
    given = [f"--image=cpu{core}={image}" for core, image in enumerate(images)]
    typed("run", board, *given, "--for", "1ms", "--profile", "--out", tmp_path / "run")
    run = socscope.open(tmp_path / "run")
    counted = {row["name"]: row["instructions"] for row in run.rows("functions")}
    for name in ("first", "second [second]", "inner [toy]", "handler [toy]"):
        assert counted[name] > 100
    # Named by the core that took it, not by the first image.
    [taken] = run.rows("exceptions")
    assert (taken["core"], taken["exception"]) == (1, "trap")
    assert [str(one) for check in verify(run, image=images[0]) for one in check.differences] == []


def test_exceptions_are_named_by_their_architecture() -> None:
    def names(machine: int, *numbers: int) -> list[str]:
        return [_core.exception_name(machine, number) for number in numbers]

    assert names(40, 2, 6, 5) == ["software interrupt", "interrupt", "vector 0x14"]
    assert names(20, 0x500 >> 5, 0xF20 >> 5, 0x40 >> 5) == ["interrupt", "no AltiVec", "vector 0x40"]
    assert names(toy.MACHINE, 0, 3, 4) == ["trap", "bus fault", "exception 4"]
    assert names(3, 7) == ["exception 7"]
