"""Devices written in Python that come and go in mid-run: repeated, verified, forked, and back in time."""

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from socscope.device import (
    Context,
    Device,
    Register,
    Word,
    attribute,
    event,
    input_line,
    on_read,
    on_write,
    output_line,
    state,
)
from socscope.errors import CheckpointError, RecordError
from socscope.record import open_run
from socscope.record.manifest import FORMAT
from socscope.replay import replay, verify
from socscope.simulation import Simulation

BASE = 0x4000_0000
TICKER_WRITES_TO = 0x0203_FF00
# Adds up what the device says, and tells it the sum.
GUEST = f"""
.text
.global _start
_start:
    ldr r0, ={BASE:#x}
again:
    ldr r1, [r0]
    add r2, r2, r1
    str r2, [r0]
    b again
"""
Moment = tuple[int, str]


class Ticker(Device):
    """Counts by itself."""

    DATA = Register(0, reset=1)
    count = state(0)
    step = attribute(1)
    ticked = output_line()

    def reset(self, context: Context) -> None:
        """Begins to count."""
        context.schedule(self.tick, cycles=100)

    @on_write("DATA")
    def written(self, value: Word, _context: Context) -> None:
        """Triples."""
        self.DATA = (3 * value + 1) & 0xFFFF

    @event
    def tick(self, _argument: object, context: Context) -> None:
        """Counts, and comes again."""
        self.count += self.step
        self.ticked = not self.ticked
        context.write(TICKER_WRITES_TO, self.count.to_bytes(4, "little"))
        context.schedule(self.tick, cycles=100 + self.count % 7)


class Looker(Device):
    """Counts its reads."""

    DATA = Register(0)
    SPARE = Register(4)
    seen = state(0)

    @on_read("DATA")
    def read(self, _context: Context) -> int:
        """Counts."""
        self.seen += 1
        return self.seen


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life")
    (folder / "guest.S").write_text(GUEST)
    options = ["-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0x100", "guest.S", "-o", "guest.elf"]
    subprocess.run(["arm-none-eabi-gcc", *options], cwd=folder, check=True)
    return folder / "guest.elf"


def started(guest: Path, *, profile: bool = False) -> Simulation:
    return Simulation("at91x40", guest, overrides=["/chosen:socscope,unmapped=stub"], profile=profile)


def devices(names: tuple[str, str]) -> list[Device]:
    return [Ticker(at=BASE, name=names[0]), Looker(at=BASE, name=names[1])]


def life(simulation: Simulation, names: tuple[str, str]) -> list[Moment]:
    """Both come, are changed, go, and one comes again; gives times and states on the way."""
    ticker, looker = devices(names)
    moments = []

    def go_on() -> None:
        simulation.run("60us")
        moments.append((simulation.machine.time_ps, simulation.machine.state_hash()))
        simulation.run("40us")

    def step(value: int) -> Callable[[], None]:
        return lambda: simulation.set_attribute(ticker.name, "step", value)

    acts: list[Callable[[], None]] = [
        lambda: simulation.add(ticker),
        step(3),
        lambda: simulation.remove(ticker),
        lambda: simulation.add(looker),
        lambda: simulation.remove(looker),
        lambda: simulation.add(ticker),
        step(7),
        lambda: simulation.remove(ticker),
    ]
    go_on()
    for act in acts:
        act()
        go_on()
    return moments


# One name may be that of two kinds of device, one after the other.
NAMES = pytest.mark.parametrize("names", [("ticker", "looker"), ("device", "device")])


@NAMES
def test_a_life_is_repeated_and_verified(guest: Path, tmp_path: Path, names: tuple[str, str]) -> None:
    simulation = started(guest, profile=True)
    life(simulation, names)
    run = simulation.record(tmp_path / "run")
    kinds = [row["kind"] for row in run.rows("input")]
    assert kinds == ["attach", "attribute", "detach", "attach", "detach", "attach", "attribute", "detach"]
    assert replay(run, devices=lambda: devices(names)).differences() == []
    checks = verify(run, devices=lambda: devices(names))
    assert [check.differences for check in checks] == [[]] * 8
    kind = "looker" if names[0] == "ticker" else "device"
    with pytest.raises(RecordError, match=rf"device {kind} is missing|give {kind} from Python"):
        replay(run, devices=lambda: devices(names)[:1])


@NAMES
def test_time_goes_back_and_forth_over_a_life(guest: Path, names: tuple[str, str]) -> None:
    moments = life(started(guest), names)
    simulation = started(guest)
    history = simulation.history(interval="30us")
    assert life(simulation, names) == moments
    chosen = moments * 3
    random.Random(1).shuffle(chosen)
    for time_ps, state_hash in chosen:
        history.goto(time_ps)
        assert simulation.machine.state_hash() == state_hash, time_ps
    for time_ps, state_hash in moments:
        history.goto(time_ps)
        history.back(20)
        history.step(20)
        assert simulation.machine.state_hash() == state_hash, time_ps
    history.present()
    present = simulation.machine.state_hash()
    writes = 0
    while found := history.last_write(TICKER_WRITES_TO):
        writes += 1
        assert found.by == names[0]
    assert writes > 50
    history.present()
    assert simulation.machine.state_hash() == present


@NAMES
def test_a_life_goes_on_over_checkpoints_and_in_forks(
    guest: Path, tmp_path: Path, names: tuple[str, str]
) -> None:
    simulation = started(guest)
    life(simulation, names)
    ticker = devices(names)[0]
    simulation.add(ticker)
    simulation.run("50us")
    path = tmp_path / "life.ckpt"
    simulation.checkpoint(path)
    # What was removed has left counts behind, which have its registers' names.
    with pytest.raises(CheckpointError, match=r"was added to the machine and is missing here"):
        Simulation.restore(path, devices=devices(names)[:1])
    for other in (simulation.fork(), Simulation.restore(path, devices=devices(names))):
        other.run("50us")
        expected = simulation.fork()
        expected.run("50us")
        assert other.machine.state_hash() == expected.machine.state_hash()
        assert other.attribute(names[0], "count") == expected.attribute(names[0], "count") != 0


def test_a_line_to_a_device_that_was_removed_ends_nowhere(guest: Path) -> None:
    class Sink(Device):
        """Fails when it is told."""

        DATA = Register(0)
        edge = input_line()

        def line_changed(self, line: str, level: bool, context: Context) -> None:
            """Never happens."""
            raise AssertionError("it was removed")

    simulation = started(guest)
    sink = Sink(at=BASE + 0x100)
    simulation.add(sink)
    simulation.add(Ticker(at=BASE, interrupt=("sink", 0)))
    simulation.remove(sink)
    assert simulation.run("100us").stop.kind == "time"


def test_a_record_that_does_not_say_the_kind_is_not_run_again(guest: Path, tmp_path: Path) -> None:
    simulation = started(guest)
    life(simulation, ("ticker", "looker"))
    folder = simulation.record(tmp_path / "run").folder
    manifest = folder / "manifest.json"
    text = manifest.read_text()
    older = text.replace(f'"format": {FORMAT}', '"format": 2')
    assert older != text
    manifest.write_text(older)
    with pytest.raises(
        RecordError,
        match=r"does not say of which kind its device looker is: it was written in format 2; run again",
    ):
        replay(open_run(folder), devices=lambda: devices(("ticker", "looker")))


def test_each_fork_has_the_wait_states_of_its_own_device(guest: Path) -> None:
    """Forks share translations, and what a device costs is in the code that accesses it."""
    states = []
    for engine in ("interpreted", "translated"):
        parent = Simulation("at91x40", guest, overrides=["/chosen:socscope,unmapped=stub"], engine=engine)
        parent.run("1us")
        for wait_states in (0, 7, 3):
            fork = parent.fork()
            fork.add(Ticker(at=BASE, wait_states=wait_states))
            fork.run("20ms")
            states.append(fork.machine.state_hash())
            parent.run("100us")
    assert states[:3] == states[3:]
    assert len(set(states)) == 3
