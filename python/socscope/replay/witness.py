"""A recorded run once more, with an ear to all that a user can see of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from socscope import _core
from socscope.record import Run
from socscope.record.marks import with_magic
from socscope.replay.again import Again, Devices
from socscope.replay.objects import Memory, Place
from socscope.simulation import Simulation

# Numbers of the marks at registers: no mark of a run is as large.
FIRST_NUMBER = 1 << 31

# Called with how far the run is, 0 to 1.
OnShare = Callable[[float], None]
# What was seen, as two runs compare it, and as it is shown.
Key = str | int | tuple[str | int, ...]


@dataclass(frozen=True)
class Event:
    """Something that a user can see, with what it is compared by.

    `meaning` is what a value says where it is an address of the image: other images have it elsewhere.
    """

    time_ps: int
    key: Key
    shown: str
    meaning: tuple[str, Place] | None = None

    def same_as(self, other: "Event") -> bool:
        """Whether both are the same thing, at whatever time."""
        return self.key == other.key or (self.meaning is not None and self.meaning == other.meaning)


@dataclass(frozen=True)
class Witness:
    """What was seen of a run: sequences of events by what they are of, and its machine at the end."""

    run: Run
    memory: Memory
    console: dict[str, list[Event]] = field(repr=False)
    writes: list[Event] = field(repr=False)
    transfers: dict[str, list[Event]] = field(repr=False)
    marks: list[Event] = field(repr=False)
    warnings: list[str] = field(repr=False)


def witness(run: Run, image: Path | None, devices: Devices, on_share: OnShare) -> Witness:
    """Repeats a run to its end, with every register's writes marked and DMA counted."""
    again = Again(run, image=image, devices=devices, profile=False, listen=_listen)
    again.advance(on_progress=lambda cycle, _: on_share(again.share(cycle)))
    simulation = again.simulation
    machine = simulation.machine
    memory = Memory(simulation.image, machine)
    writes, marks = _marked(memory)
    return Witness(
        run=run,
        memory=memory,
        console={port: _characters(machine, port) for port in machine.ports()},
        writes=writes,
        transfers=_transfers(machine, run),
        marks=marks,
        warnings=machine.warnings(),
    )


def _listen(simulation: Simulation) -> None:
    """Counts DMA, and marks the writes of all registers that software can write."""
    simulation.enable_again("all", ())
    tables: dict[str, list[dict[str, Any]]] = {
        compatible: model["registers"]
        for model in _core.device_models()
        for compatible in model["compatible"]
    }
    number = FIRST_NUMBER
    for device in simulation.machine.devices():
        known = next((tables[one] for one in device["compatible"] if one in tables), [])
        for register in known:
            if register["permission"] != "read-only":
                name = f"{device['name']}:{register['name']}"
                simulation.machine.mark_device(number, name, device["name"], register["name"], "write")
                number += 1


def _marked(memory: Memory) -> tuple[list[Event], list[Event]]:
    """Register writes, and marks of the guest and of those who ran it."""
    writes, marks = [], []
    found = with_magic(memory.machine.marks(), memory.machine.marked())
    columns = [found[name] for name in ("number", "name", "argument", "core", "time_ps")]
    for number, name, argument, core, time_ps in zip(*columns, strict=True):
        if number >= FIRST_NUMBER:
            place = memory.place(argument)
            meaning = place and (name, place)
            writes.append(Event(time_ps, (name, argument), f"{name} = {argument:#x}", meaning))
        else:
            named = f" ({name})" if name else ""
            shown = f"mark {number}{named} with {argument:#x} on core {core}"
            marks.append(Event(time_ps, (number, name, argument, core), shown))
    return writes, marks


def _characters(machine: _core.Machine, port: str) -> list[Event]:
    times, directions, values = machine.serial_log(port)
    return [
        Event(time_ps, value, repr(chr(value)))
        for time_ps, direction, value in zip(times, directions, values, strict=True)
        if direction == "out"
    ]


def _transfers(machine: _core.Machine, run: Run) -> dict[str, list[Event]]:
    """DMA transfers by channel, in the order of their starts."""
    stop = run.manifest.stop
    cycle_ps = Fraction(stop.time_ps, stop.cycle) if stop.cycle else Fraction(0)
    columns = machine.profile()["dma_transfers"]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    found: dict[str, list[Event]] = {}
    for row in sorted(rows, key=lambda row: int(row["start_cycle"])):
        shown = f"{row['direction']} of {row['bytes']} bytes in {row['region']}"
        key = (row["direction"], row["bytes"], row["region"], row["width_bits"])
        channel = found.setdefault(f"{row['device']} {row['channel']}", [])
        channel.append(Event(int(row["start_cycle"] * cycle_ps), key, shown))
    return found
