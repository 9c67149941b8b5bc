"""Devices written in Python: in a run, added and removed, changed, failing, saved."""

import importlib.util
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from socscope import Simulation, _core, ending
from socscope.device import (
    BusFault,
    Context,
    Device,
    Field,
    Register,
    RegisterArray,
    Word,
    attribute,
    event,
    input_line,
    on_read,
    on_write,
    output_line,
    state,
)
from socscope.errors import DeviceError, SocscopeError
from socscope.simulation import Engine

ROOT = Path(__file__).parents[2]
GUEST = ROOT / "guests" / "accelerator"
BASE = 0xF000_0000


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Crc: Any = load(GUEST / "crc.py").Crc


@pytest.fixture(scope="module")
def accelerator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accelerator")
    subprocess.run(["make", "-s", "-f", GUEST / "Makefile", f"OUT={folder}"], check=True)
    return folder / "accelerator.elf"


@pytest.fixture(scope="module")
def assemble(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds an image of a few instructions, with the device's address in r0; it ends at `end`."""
    folder = tmp_path_factory.mktemp("pieces")

    def build(text: str) -> Path:
        number = len(list(folder.glob("*.S")))
        source, image = folder / f"{number}.S", folder / f"{number}.elf"
        source.write_text(
            f".text\n.global _start\n_start: ldr r0, =0x{BASE:x}\nldr sp, =0x110000\n{text}\nend: b end\n"
        )
        options = ["-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0"]
        subprocess.run(["arm-none-eabi-gcc", *options, source, "-o", image], check=True)
        return image

    return build


def finished(accelerator: Path, engine: Engine = "translated", *, profile: bool = False) -> Simulation:
    crc = Crc(at=BASE, interrupt="irq")
    simulation = Simulation("bench", accelerator, devices=[crc], engine=engine, profile=profile)
    assert simulation.run("1s", until_symbol="finished").stop.kind == "address"
    return simulation


def test_engines_agree_with_a_device_in_python(accelerator: Path) -> None:
    engines: list[Engine] = ["interpreted", "translated"]
    runs = [finished(accelerator, engine, profile=on) for engine in engines for on in (True, False)]
    assert len({run.machine.state_hash() for run in runs}) == 1
    assert runs[0].attribute("crc", "blocks") == 1


def test_python_is_called_for_effects_only(assemble: Callable[[str], Path]) -> None:
    calls: list[object] = []

    class Counting(Device):
        """Counts."""

        PLAIN = Register(0)
        EFFECT = RegisterArray(8, 2, fields=[Field("LOW", 0, 8), Field("HIGH", 8, 8)])

        @on_write("EFFECT")
        def written(self, index: int, value: Word, context: Context) -> None:
            calls.append(("write", index, value.HIGH))

        @on_read("EFFECT")
        def given(self, index: int, context: Context) -> int:
            calls.append(("read", index, int(self.EFFECT[index])))
            return 7

    image = assemble(
        "mov r1, #0x1200\nstr r1, [r0]\nldr r2, [r0]\nstr r1, [r0, #12]\nldr r3, [r0, #12]\nldrb r4, [r0, #1]"
    )
    simulation = Simulation("bench", image, devices=[Counting(at=BASE)])
    simulation.run("1ms", until_symbol="end")
    registers = simulation.machine.registers()
    assert (registers["r2"], registers["r3"], registers["r4"]) == (0x1200, 7, 0x12)
    assert calls == [("write", 1, 0x12), ("read", 1, 0x1200)]


def test_added_changed_and_removed_in_a_running_machine(assemble: Callable[[str], Path]) -> None:
    class Plain(Device):
        """Keeps a word."""

        DATA = Register(0, reset=5)
        factor = attribute(2, minimum=1, maximum=9)
        seen = state((1, 2))

        def attribute_changed(self, name: str, context: Context) -> None:
            self.seen = (*self.seen, self.factor)

    image = assemble("again: ldr r1, [r0]\nb again")
    overrides = ["/chosen:socscope,unmapped=stub"]
    simulation = Simulation("at91x40", image, overrides=overrides, profile=True)
    simulation.run("100cycles")
    plain = Plain(at=BASE, factor=3)
    simulation.add(plain)
    simulation.run("100cycles")
    assert simulation.machine.registers()["r1"] == 5
    plain.factor = 9
    assert (plain.seen, plain.factor, simulation.attribute("plain", "DATA")) == ((1, 2, 9), 9, 5)
    with pytest.raises(SocscopeError, match=r"^plain: factor is 10, but at most 9 is allowed$"):
        plain.factor = 10
    assert "plain" in {row["device"] for row in simulation.counts().tables["io"].to_pylist()}
    simulation.remove(plain)
    simulation.run("100cycles")
    assert simulation.machine.registers()["r1"] == 0
    simulation.add(plain)
    simulation.run("100cycles")
    assert simulation.machine.registers()["r1"] == 5


def test_device_takes_the_place_of_a_node_without_a_model(
    assemble: Callable[[str], Path], tmp_path: Path
) -> None:
    class Model(Device):
        """The model that was missing."""

        DATA = Register(4, reset=5)

    tree = tmp_path / "board.dts"
    node = f'thing@{BASE:x} {{ compatible = "maker,thing"; reg = <0x{BASE:x} 0x100>; socscope,stub; }};'
    tree.write_text(f'/dts-v1/;\n/include/ "bench.dts"\n/ {{ {node} }};\n')
    simulation = Simulation(str(tree), assemble("again: ldr r1, [r0, #4]\nb again"))
    model = type("Large", (Model,), {"size": 0x100})(at=BASE)
    for device, value in ((None, 0), (model, 5), (None, 0)):
        if device is not None:
            simulation.add(device)
        elif model.simulation is not None:
            simulation.remove(model)
        simulation.run("1us")
        assert simulation.machine.registers()["r1"] == value
    message = r"^device model: regions model and thing@f0000000 overlap at 0xf0000000"
    with pytest.raises(SocscopeError, match=message):
        simulation.add(Model(at=BASE))


def test_places_and_lines_that_are_not_there(assemble: Callable[[str], Path]) -> None:
    class Lined(Device):
        """Has a line."""

        DATA = Register(0)
        done = output_line()

    image = assemble("")
    bench, chip = Simulation("bench", image), Simulation("at91x40", image)
    cases = [
        (
            bench,
            Lined(at=0x100),
            r"^device lined: regions code and lined overlap at 0x00000100; move one of them",
        ),
        (bench, Lined(at=0xF0000002), r"^device lined at 0xf0000002 of 0x10 bytes: give multiples of 4$"),
        (
            bench,
            Lined(at=BASE, interrupt=3),
            r"^device lined: its line done goes to the interrupt controller, which is not there; "
            r'the platform has not exactly one: name the device, or a core\'s line as "cpu0\.irq"$',
        ),
        (
            chip,
            Lined(at=BASE, interrupt=99),
            r"^device lined: its line done goes to input 99 of aic, which is not there; "
            r"it has the inputs 0 to \d+$",
        ),
        (
            chip,
            Lined(at=BASE, interrupt=("vic", 1)),
            r"^device lined: its line done goes to vic, which is not there; there are: ",
        ),
        (
            chip,
            Lined(at=BASE, lines={"ready": 1}),
            r"^device lined has no output line ready; there are: done$",
        ),
        (chip, Lined(at=BASE, name="aic"), r"^at91x40: the name aic is taken; give the device another one$"),
    ]
    for simulation, device, message in cases:
        before = simulation.machine.state_hash()
        with pytest.raises(SocscopeError, match=message):
            simulation.add(device)
        assert simulation.machine.state_hash() == before
    with pytest.raises(SocscopeError, match=r"^device aic is a part of the platform; only devices"):
        chip.remove("aic")


def test_exception_ends_the_run_and_the_machine_does_not_go_on(assemble: Callable[[str], Path]) -> None:
    class Failing(Device):
        """Fails."""

        DATA = Register(0)

        @on_read("DATA")
        def data(self, context: Context) -> int:
            raise ValueError("not today")

    simulation = Simulation("bench", assemble("nop\nldr r1, [r0]\nmov r2, #1"), devices=[Failing(at=BASE)])
    message = (
        r"^device failing failed at 0\.\d+ ms: ValueError: not today \(in data, .*test_device\.py:\d+\)$"
    )
    with pytest.raises(SocscopeError, match=message) as raised:
        simulation.run("1ms")
    assert raised.value.__cause__ is not None
    assert isinstance(raised.value.__cause__.__cause__, ValueError)
    cycle = simulation.machine.cycle
    with pytest.raises(SocscopeError, match=message):
        simulation.run("1ms")
    simulation.machine.step()
    assert (simulation.machine.cycle, simulation.machine.registers()["r2"]) == (cycle, 0)


def test_wrong_use_is_an_error_and_no_deadlock(assemble: Callable[[str], Path]) -> None:
    said: list[str] = []
    kept: list[Context] = []

    class Curious(Device):
        """Tries what it must not."""

        DATA = Register(0)

        @on_write("DATA")
        def written(self, value: int, context: Context) -> None:
            kept.append(context)
            for attempt in (
                simulation.output,
                lambda: simulation.machine.cycle,
                lambda: raw.cycle,
                lambda: context.read(0xE0000000, 4),
                lambda: context.schedule("nothing", cycles=1),
                lambda: context.schedule(self.written, cycles=1, ps=1),
                lambda: setattr(self, "unknown", 1),
                lambda: setattr(self, "DATA", -1),
            ):
                try:
                    attempt()
                except (SocscopeError, BusFault, RuntimeError, ValueError, _core.CoreError) as error:
                    said.append(str(error))

    curious = Curious(at=BASE)
    simulation = Simulation("bench", assemble("str r0, [r0]"), devices=[curious])
    raw = simulation.machine
    simulation.run("1ms", until_symbol="end")
    assert said == [
        "a device's function cannot use its simulation; use what its context offers",
        "a device's function cannot use its simulation; use what its context offers",
        "Already mutably borrowed",
        "nothing is mapped at 0xe0000000",
        "nothing is no event of the device; mark its function with @event; there are: ",
        "written is no event of the device; mark its function with @event; there are: ",
        "Curious.unknown is not declared: nothing would save it; "
        "write unknown = state(...) or unknown = attribute(...) in the class",
        "-1 is no word of 32 bits",
    ]
    with pytest.raises(_core.DeviceError, match=r"^a device's context is valid only while"):
        kept[0].warn("late")
    with pytest.raises(DeviceError, match=r"^curious\.DATA is changed by the device's own functions only; "):
        curious.DATA = 1


def test_lines_between_devices_and_events(assemble: Callable[[str], Path]) -> None:
    class Source(Device):
        """Raises a line three times."""

        GO = Register(0)
        out = output_line()
        left = state(0)

        @on_write("GO")
        def go(self, value: int, context: Context) -> None:
            self.left = value
            first = context.schedule(self.tick, cycles=5)
            second = context.schedule(self.tick, ps=1_000_000, argument=1)
            assert context.cancel(first)
            assert not context.cancel(first)
            assert second == first + 1

        @event
        def tick(self, argument: int, context: Context) -> None:
            self.out = not self.out
            self.left -= argument
            if self.left:
                context.schedule("tick", cycles=3, argument=1)

    class Sink(Device):
        """Counts edges."""

        EDGES = Register(0, access="read-only")
        count = input_line()

        def line_changed(self, line: str, level: bool, context: Context) -> None:
            assert line == "count"
            self.EDGES += 1

    sink = Sink(at=BASE + 0x100)
    source = Source(at=BASE, interrupt=("sink", 0))
    simulation = Simulation("bench", assemble("mov r1, #3\nstr r1, [r0]"), devices=[sink, source])
    simulation.run("10us")
    assert (sink.EDGES, source.left, source.out) == (3, 0, True)


@pytest.mark.parametrize("engine", ["interpreted", "translated"])
def test_saved_and_forked_in_mid_activity_it_goes_on_as_if_nothing_had_happened(
    accelerator: Path, tmp_path: Path, engine: Engine
) -> None:
    straight = finished(accelerator, engine)
    straight.run("500us")
    expected = straight.machine.state_hash()
    for cycles in (10, 1_000, 4_099, 5_000):
        cut = finished(accelerator, engine)
        end_ps = straight.machine.time_ps
        cut.run(f"{cycles}cycles")
        path = tmp_path / f"{cycles}.checkpoint"
        cut.checkpoint(path)
        with pytest.raises(
            SocscopeError, match=r"device crc \(A CRC-32 engine .*\) was added to the machine and is"
        ):
            Simulation.restore(path)
        again = Simulation.restore(path, devices=[Crc(at=BASE, interrupt="irq")])
        fork = cut.fork()
        for one in (cut, again, fork):
            one.run(f"{end_ps - one.machine.time_ps}ps")
            assert one.machine.state_hash() == expected
        assert fork.devices["crc"]["RESULT"] == again.devices["crc"]["RESULT"] != 0
        fork.set_attribute("crc", "cycles_per_word", 1)
        assert (cut.attribute("crc", "cycles_per_word"), fork.attribute("crc", "cycles_per_word")) == (4, 1)


@pytest.mark.parametrize("numbers", [[signal.SIGINT], [signal.SIGTERM, signal.SIGTERM]])
def test_signals_do_not_strike_in_the_middle_of_a_function(
    assemble: Callable[[str], Path], numbers: list[signal.Signals]
) -> None:
    class Slow(Device):
        """Takes its time."""

        DATA = Register(0)
        done = state(0)

        @on_write("DATA")
        def written(self, value: int, context: Context) -> None:
            for number in numbers:
                signal.raise_signal(number)
            self.done += 1

    slow = Slow(at=BASE)
    simulation = Simulation("bench", assemble("str r0, [r0]\nagain: add r1, r1, #1\nb again"), devices=[slow])
    with ending.in_order():
        assert simulation.run("1000s").stop.kind == "interrupted"
    assert slow.done == 1
    assert simulation.run("1us").stop.kind == "time"


def test_declarations_are_checked_when_the_class_is_made() -> None:
    with pytest.raises(DeviceError, match=r"^A\.f: no register is called DATE; the nearest is DATA$"):
        type("A", (Device,), {"DATA": Register(0), "f": on_read("DATE")(lambda self, context: 0)})
    written = on_write("DATA")(lambda self, value, context: None)
    with pytest.raises(DeviceError, match=r"^A\.f: DATA is read-only: a write has no effect$"):
        type("A", (Device,), {"DATA": Register(0, access="read-only"), "f": written})
    with pytest.raises(
        DeviceError, match=r"^A: registers FIRST and SECOND overlap at 0x4; move one of them$"
    ):
        type("A", (Device,), {"FIRST": RegisterArray(0, 2), "SECOND": Register(4)})(at=0)
    with pytest.raises(DeviceError, match=r"^A has no attribute size_kib; there are: none$"):
        type("A", (Device,), {"FIRST": Register(0)})(at=0, size_kib=4)
    with pytest.raises(DeviceError, match=r"^field B shares bits with another one$"):
        Register(0, fields=[Field("A", 0, 4), Field("B", 3)])


@pytest.mark.parametrize("line", ["cpu1.input", "nmi2", -1, True])
def test_ends_of_lines_that_are_none_are_refused(line: str | int, assemble: Callable[[str], Path]) -> None:
    image = assemble("again: b again")
    with pytest.raises(DeviceError, match=re.escape(f"{line!r} is no end of a line")):
        Simulation("bench", image, devices=[Crc(at=BASE, interrupt=line)])
