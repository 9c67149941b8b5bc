"""Where two runs part: both are run again side by side, in ever smaller steps around the difference."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socscope import _core
from socscope.clear import clear_errors
from socscope.record import Run
from socscope.replay.again import Again, Devices

# Instructions between two looks; each is the longest stretch that is walked again with the next.
STRIDES = (1 << 22, 1 << 16, 1 << 10, 1)
LAST_INPUTS = 3

# Called with the cycle that both runs have reached.
OnWalk = Callable[[int], None]


@dataclass(frozen=True)
class Side:
    """One of the runs where they part: what it executes next."""

    cycle: int
    time_ps: int
    pc: int
    function: str
    source: str
    registers: dict[str, int] = field(repr=False)
    last_inputs: list[str]


@dataclass(frozen=True)
class Divergence:
    """The first difference: both runs before the instruction that does not do the same."""

    instructions: int
    what: str
    first: Side
    second: Side

    @property
    def registers(self) -> dict[str, tuple[int, int]]:
        """The registers that differ."""
        one, other = self.first.registers, self.second.registers
        return {name: (one[name], other[name]) for name in one if one[name] != other.get(name, one[name])}


def diff(
    first: Run,
    second: Run,
    *,
    images: tuple[Path | None, Path | None] = (None, None),
    devices: Devices = tuple,
    on_walk: OnWalk = lambda _cycle: None,
) -> Divergence | None:
    """The first instruction that two runs of one image do not do alike; None when they are the same.

    On equal platforms the cycles of each instruction count too; where an option changes them, only what is
    executed and accessed.
    """
    pair = (_Walker(first, images[0], devices), _Walker(second, images[1], devices))
    timed = built_alike(first, second)
    for stride in STRIDES:
        if not _walk(pair, stride, timed, on_walk):
            return _at_the_end(pair, timed)
    return _divergence(pair, timed)


def built_alike(first: Run, second: Run) -> bool:
    """Whether both machines were built alike and run one image: then states and cycles can be compared."""
    if first.manifest.image.sha256 != second.manifest.image.sha256:
        return False
    one, other = first.manifest.platform, second.manifest.platform
    return (one.dtb_sha256, sorted(one.overrides)) == (other.dtb_sha256, sorted(other.overrides))


class _Walker:
    """One run, walked along."""

    def __init__(self, run: Run, image: Path | None, devices: Devices) -> None:
        self.again = Again(run, image=image, profile=False, devices=devices)
        self.way = (0, 0)
        self.kept = self.way
        self.registers: dict[str, int] = {}

    @property
    def core(self) -> _core.Replay:
        return self.again.core

    def walk(self, count: int, *, timed: bool) -> None:
        with clear_errors():
            self.way = self.core.walk(count, timed)

    def keep(self) -> None:
        self.core.keep()
        self.kept = self.way

    def back(self) -> None:
        self.core.back()
        self.way = self.kept

    def state(self, *, timed: bool) -> tuple[Any, ...]:
        """What two runs must agree on between two instructions."""
        machine = self.again.simulation.machine
        return (machine.registers(), machine.cycle if timed else 0)

    def side(self) -> Side:
        machine = self.again.simulation.machine
        image = self.again.simulation.images.of(machine.turn)
        registers = machine.registers()
        pc = machine.nominal_address(machine.pc)
        function = image.function_at(pc)
        origin = function.origin if function else None
        source = f"{origin.source}:{origin.line}" if origin and origin.line else ""
        return Side(
            machine.cycle,
            machine.time_ps,
            pc,
            image.describe(pc),
            source,
            registers,
            self._last_inputs(machine.cycle),
        )

    def _last_inputs(self, cycle: int) -> list[str]:
        passed = [row for row in self.again.run.rows("input") if row["cycle"] <= cycle]
        return [described(row) for row in passed[-LAST_INPUTS:]]


def described(row: dict[str, Any]) -> str:
    """An input in words."""
    said = row["detail"] or (repr(row["bytes"])[1:] if row["bytes"] else "")
    return f"cycle {row['cycle']}: {row['kind']} {row['target']} {said}".replace("  ", " ").strip()


def _walk(pair: tuple[_Walker, _Walker], stride: int, timed: bool, on_walk: OnWalk) -> bool:
    """Goes on until the ways differ, then back to where they did not; False when they never differ."""
    one, other = pair
    while True:
        for walker in pair:
            walker.keep()
        before = one.way
        for walker in pair:
            walker.walk(stride, timed=timed)
        on_walk(one.again.simulation.machine.cycle)
        ended = one.way[0] - before[0] < stride
        if one.way != other.way or (not ended and one.state(timed=timed) != other.state(timed=timed)):
            for walker in pair:
                walker.back()
            return True
        if ended:
            return False


def _at_the_end(pair: tuple[_Walker, _Walker], timed: bool) -> Divergence | None:
    """Both did the same to their end; still, the states may differ."""
    one, other = pair
    machines = [walker.again.simulation.machine for walker in pair]
    if not timed:
        return None
    if machines[0].state_hash() == machines[1].state_hash():
        return None
    return Divergence(
        one.way[0], "all instructions are the same, but not the state at the end", one.side(), other.side()
    )


def _divergence(pair: tuple[_Walker, _Walker], timed: bool) -> Divergence:
    one, other = pair
    first, second = one.side(), other.side()
    for walker in pair:
        walker.walk(1, timed=timed)
    if one.way[0] != other.way[0]:
        what = "one run ends here, the other goes on"
    elif one.side().pc != other.side().pc:
        what = "the next instruction differs"
    elif one.state(timed=False) != other.state(timed=False):
        what = "this instruction leaves other values in the registers"
    elif timed and one.state(timed=True) != other.state(timed=True):
        what = "this instruction takes another time"
    else:
        what = "this instruction accesses other addresses"
    return Divergence(one.kept[0], what, first, second)
