"""Time travel on the system of guests/rtos: interrupts, DMA, a sleeping core, typed input."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from socscope.errors import OptionError, SocscopeError
from socscope.history import History
from socscope.simulation import Simulation
from test_guest_system import PROMPT, machine_of  # type: ignore[import-not-found] # A test beside it.

COMMAND = b"make data.bin 3000 1\rcrc32 data.bin\r"
END_CYCLE = 30_000_000
TYPED_CYCLE = 14_000_000
PLACES = [
    20_000,
    3_000_000,
    13_999_000,
    14_000_000,
    14_500_123,
    16_000_000,
    18_765_432,
    25_000_000,
    END_CYCLE,
]
STEPS = 60


def to_cycle(simulation: Simulation, cycle: int) -> None:
    """Runs to a cycle since power-on."""
    if cycle > simulation.machine.cycle:
        simulation.run(f"{cycle - simulation.machine.cycle}cycles")


class Straight:
    """What a run without history passes through."""

    def __init__(self) -> None:
        simulation = machine_of("at91x40", "arm")
        self.at: dict[int, str] = {}
        self.steps: list[tuple[int, int, str]] = []
        for place in PLACES:
            to_cycle(simulation, place)
            if place == TYPED_CYCLE:
                simulation.send(COMMAND)
                simulation.run("1cycles")
                self.at[simulation.machine.cycle] = simulation.machine.state_hash()
            else:
                self.at[simulation.machine.cycle] = simulation.machine.state_hash()
            if place == PLACES[5]:
                machine = simulation.machine
                for _ in range(STEPS):
                    machine.step()
                    self.steps.append((machine.cycle, machine.registers()["r15"], machine.state_hash()))
        self.output = simulation.output()


@pytest.fixture(scope="module")
def straight() -> Straight:
    return Straight()


@pytest.fixture(scope="module")
def travelled() -> tuple[Simulation, History]:
    """The same run with a history."""
    simulation = machine_of("at91x40", "arm")
    history = simulation.history()
    to_cycle(simulation, TYPED_CYCLE)
    simulation.send(COMMAND)
    to_cycle(simulation, END_CYCLE)
    return simulation, history


def test_history_changes_nothing(straight: Straight, travelled: tuple[Simulation, History]) -> None:
    simulation, history = travelled
    history.present()
    assert simulation.output() == straight.output
    assert simulation.output().endswith(PROMPT.encode())
    assert simulation.machine.state_hash() == straight.at[simulation.machine.cycle]
    assert not history.in_past
    assert history.begin_ps == 0


moves = st.lists(
    st.one_of(
        st.tuples(st.just("goto"), st.integers(0, END_CYCLE)),
        st.tuples(st.just("back"), st.integers(1, 50)),
        st.tuples(st.just("step"), st.integers(1, 50)),
        st.tuples(st.just("write"), st.just(0)),
        st.tuples(st.just("run"), st.integers(1, 200_000)),
    ),
    max_size=6,
)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(moves=moves, place=st.integers(0, 8))
def test_every_way_leads_to_the_same_state(
    straight: Straight, travelled: tuple[Simulation, History], moves: list[tuple[str, int]], place: int
) -> None:
    simulation, history = travelled
    for kind, number in moves:
        if kind == "goto":
            history.goto(f"{number}cycles")
        elif kind == "back":
            history.back(number)
        elif kind == "step":
            history.step(min(number, number if history.in_past else 0))
        elif kind == "write":
            history.last_write("running_id")
        elif history.in_past:
            to_cycle(simulation, min(simulation.machine.cycle + number, END_CYCLE))
    cycle = sorted(straight.at)[place]
    history.goto(f"{cycle}cycles")
    assert simulation.machine.cycle == cycle
    assert simulation.machine.state_hash() == straight.at[cycle]


def test_steps_back_are_the_steps_forward(straight: Straight, travelled: tuple[Simulation, History]) -> None:
    simulation, history = travelled
    machine = simulation.machine
    history.goto(f"{straight.steps[-1][0]}cycles")
    for cycle, pc, state in reversed(straight.steps[:-1]):
        history.back()
        assert (machine.cycle, machine.registers()["r15"]) == (cycle, pc)
        assert machine.state_hash() == state
    history.step(STEPS - 1)
    assert (machine.cycle, machine.state_hash()) == (straight.steps[-1][0], straight.steps[-1][2])


def test_back_from_every_instruction_of_a_busy_stretch(travelled: tuple[Simulation, History]) -> None:
    """The stretch begins and ends in the core's sleep, and holds a long one."""
    _, history = travelled
    history.goto("16e6cycles")
    seen = []
    for _ in range(400):
        place = history.step()
        seen.append((place.cycle, place.pc))
    for expected in reversed(seen[:-1]):
        place = history.back()
        assert (place.cycle, place.pc) == expected


def test_last_write_says_who_wrote_and_what(travelled: tuple[Simulation, History]) -> None:
    simulation, history = travelled
    history.present()
    found = history.last_write("running_id")
    assert found is not None
    assert found.by == "core"
    assert found.direction == "write"
    address = simulation.image.address_of("running_id")
    assert simulation.machine.peek(address, 4) == (found.old or 0).to_bytes(4, "little")
    history.step()
    assert simulation.machine.peek(address, 4) == (found.new or 0).to_bytes(4, "little")


def test_last_write_finds_what_dma_wrote(travelled: tuple[Simulation, History]) -> None:
    simulation, history = travelled
    history.goto(f"{TYPED_CYCLE + 250_000}cycles")
    found = history.last_write("units")
    while found is not None and found.by == "core":
        found = history.last_write("units")
    assert found is not None
    assert (found.by, found.direction) == ("usart0", "write")
    assert found.new is not None
    assert found.new in COMMAND
    assert simulation.machine.peek(found.address, 1) == bytes([found.old or 0])
    start = simulation.image.address_of("units")
    assert start <= found.address < start + simulation.image.sizes["units"]


def test_last_call_and_nothing_found(travelled: tuple[Simulation, History]) -> None:
    simulation, history = travelled
    history.present()
    found = history.last_call("time_now")
    assert found is not None
    assert found.function == "time_now"
    assert found.pc == simulation.image.address_of("time_now")
    again = history.last_call("time_now")
    assert again is not None
    assert again.cycle < found.cycle
    history.goto("10us")
    assert history.last_write("input_bytes") is None
    assert history.here().time_ps == history.begin_ps


def test_run_in_the_past_repeats_it_and_goes_on_live(straight: Straight) -> None:
    simulation = machine_of("at91x40", "arm")
    history = simulation.history()
    to_cycle(simulation, TYPED_CYCLE)
    simulation.send(COMMAND)
    to_cycle(simulation, 16_000_000)
    history.goto("100us")
    assert simulation.run("10s", until_symbol="time_now").stop.kind == "address"
    assert history.in_past
    to_cycle(simulation, END_CYCLE)
    assert not history.in_past
    assert simulation.machine.state_hash() == straight.at[simulation.machine.cycle]
    assert simulation.output() == straight.output


def test_saying_something_else_in_the_past_is_another_course() -> None:
    simulation = machine_of("at91x40", "arm")
    history = simulation.history()
    assert simulation.run("2s", until_output=f"\r\n{PROMPT}").stop.kind == "output"
    asked = simulation.machine.cycle
    simulation.send(b"uname\r")
    simulation.run("100ms")
    first = simulation.output()
    history.goto(f"{asked - 1}cycles")
    simulation.send(b"ls\r")
    simulation.run("100ms")
    assert history.changes == 1
    assert b"uname" in first
    assert b"uname" not in simulation.output()
    assert b"$ ls\r\n" in simulation.output()


def test_linked_machines_go_back_together() -> None:
    sender, receiver = (machine_of("at91x40", "arm") for _ in range(2))
    sender.connect("usart1", receiver, "usart1")
    history = sender.history()
    sender.run("1s")
    sender.send(b"make data.bin 500 1\r")
    assert sender.run("10s", until_output="$ ").stop.kind == "output"
    receiver.send(b"kermit -r\r")
    assert receiver.run("1s", until_mark=1).stop.kind == "mark"
    sender.send(b"kermit -s data.bin\r")
    sender.run("50ms")
    middle = sender.machine.time_ps
    states = sender.machine.state_hash(), receiver.machine.state_hash()
    sender.run("60s", until_output="kermit: exit 0")
    end = sender.machine.state_hash(), receiver.machine.state_hash()
    history.goto(middle)
    assert (sender.machine.state_hash(), receiver.machine.state_hash()) == states
    history.back(100)
    assert receiver.machine.time_ps >= sender.machine.time_ps
    assert receiver.machine.time_ps - sender.machine.time_ps < 10_000_000
    history.present()
    assert (sender.machine.state_hash(), receiver.machine.state_hash()) == end


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda history: history.goto("1s"),
            "1000 ms lie behind the present, 0.025025 ms: run on to get there",
        ),
        (
            lambda history: history.goto("2 weeks"),
            "'2 weeks': not a duration; write a number with its unit: 2s, 10ms, 1e6cycles",
        ),
        (lambda history: history.last_write("nothing_like_it"), "no symbol nothing_like_it"),
        (lambda history: history.last_write(0x100, 0), "0 bytes from 0x100 on: give at least one"),
        (lambda history: history.last_call(1 << 40), "0x10000000000: not an address of 32 bits"),
    ],
)
def test_errors_say_what_is_wrong(act: object, message: str, elf: Path) -> None:
    simulation = Simulation("at91x40", elf)
    history = simulation.history()
    simulation.run("25us")
    with pytest.raises(SocscopeError) as error:
        act(history)  # type: ignore[operator]
    assert message in str(error.value)


def test_awaited_output_and_records_belong_to_the_present(elf: Path, tmp_path: Path) -> None:
    simulation = Simulation("at91x40", elf, profile=True)
    history = simulation.history()
    simulation.run("25us")
    history.goto("10us")
    with pytest.raises(OptionError, match="the machine stands in the past: go to the present first"):
        simulation.run("1s", until_output="x")
    with pytest.raises(OptionError, match="the counts are those of the present"):
        simulation.record(tmp_path / "run")
    history.present()
    assert simulation.record(tmp_path / "run").manifest.totals.instructions > 0


def test_counts_are_gone_when_the_past_was_changed(elf: Path) -> None:
    simulation = Simulation("at91x40", elf, profile=True)
    history = simulation.history()
    simulation.run("25us")
    history.goto("10us")
    simulation.machine.poke(0x1000, b"x")
    simulation.run("25us")
    with pytest.raises(OptionError, match="the past was changed"):
        simulation.counts()


def test_states_are_kept_within_a_budget(elf: Path) -> None:
    simulation = Simulation("at91x40", elf)
    history = simulation.history(interval="1us", budget_mb=0)
    simulation.run("1ms")
    assert history.states[0] == 2
    generous = Simulation("at91x40", elf)
    history = generous.history(interval="10us")
    generous.run("1ms")
    assert history.states[0] > 90
    assert generous.machine.state_hash() == simulation.machine.state_hash()
    with pytest.raises(OptionError, match="the states of a history lie a time apart"):
        simulation.history(interval="5cycles")
    with pytest.raises(OptionError, match="a budget of -1 MB: give 0 or more"):
        simulation.history(budget_mb=-1)
