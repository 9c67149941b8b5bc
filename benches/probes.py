"""What each probe costs: the time of a run with it over the time of the same run without any.

The workloads are a calculation, the RTOS with tasks, queues and a timer's interrupts, and a file that goes
from one system to another over a serial line by DMA. Runs with and without a probe take turns in one process,
translation included; a ratio is taken within a round, and the median of the rounds counts. Rows go to
build/bench.json.
"""

import argparse
import statistics
from collections.abc import Callable
from pathlib import Path

import images
from clock import milliseconds
from rows import CONSOLE, Row, merge
from socscope.simulation import Simulation

FIXED = "/cpus/cpu@0:socscope,timing=fixed-cpi"
# Guest work of one run, as a part of the comparison's.
PART = 8
NAMES = {
    "profile": "full profile",
    "closed": "profile outside of its window",
    "history": "history, a state every 10 ms",
}


def calculation() -> Simulation:
    """A sort, and nothing else."""
    program = next(one for one in images.PROGRAMS if one.name == "sort")
    return started("bench", images.program(program, "arm", program.rounds // PART))


def kernel() -> Simulation:
    """The RTOS: calls, changes of tasks, interrupts of a timer."""
    program = next(one for one in images.PROGRAMS if one.name == "kernel")
    return started("at91eb40a", images.kernel("at91eb40a", "arm", program.rounds // PART))


def started(board: str, image: Path) -> Simulation:
    """A board that stands at the first mark."""
    simulation = Simulation(board, image, overrides=[FIXED])
    simulation.run(until_mark=1)
    return simulation


def transfer() -> Simulation:
    """The first study's system in the middle of sending a file to a second one, by DMA."""
    system = images.ROOT / "build" / "guests" / "at91x40-arm" / "system.elf"
    sender, receiver = (Simulation("at91x40", system, overrides=[FIXED]) for _ in range(2))
    sender.connect("usart1", receiver, "usart1")
    sender.send(b"make data.bin 60000 7\rcrc32 data.bin\r")
    sender.run("5s", until_output="60000 data.bin")
    receiver.send(b"kermit -r -S -e 94\r")
    receiver.run("1s", until_output="READY TO RECEIVE")
    sender.send(b"kermit -s data.bin -S -e 94\r")
    sender.run("1200ms")
    return sender


WORKLOADS: dict[str, tuple[Callable[[], Simulation], str]] = {
    "calculation": (calculation, "mark"),
    "kernel": (kernel, "mark"),
    "transfer": (transfer, "4s"),
}


def run(booted: Simulation, end: str, probe: str | None) -> float:
    """Milliseconds that a fork of the workload takes with a probe."""
    simulation = booted.fork()
    if probe == "profile":
        simulation.enable_profile("all")
    elif probe == "closed":
        simulation.enable_profile("commands")
    elif probe == "history":
        simulation.history()
    if end == "mark":
        return milliseconds(lambda: simulation.run(until_mark=2))
    return milliseconds(lambda: simulation.run(end))


def main() -> None:
    """Prints the rows and merges them into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="pairs of runs for each probe (default 5)")
    rounds = parser.parse_args().rounds
    rows, raw = [], {}
    for workload, (make, end) in WORKLOADS.items():
        booted = make()
        for probe, title in NAMES.items():
            pairs = [(run(booted, end, None), run(booted, end, probe)) for _ in range(rounds)]
            ratio = statistics.median(with_it / without for without, with_it in pairs)
            rows.append(Row(f"{title}, {workload}, time over plain", ratio, "ratio"))
            raw[f"{probe} {workload}"] = pairs
            CONSOLE.print(f"{rows[-1].name:60} {ratio:6.2f}")
    merge(rows, "probes", raw)


if __name__ == "__main__":
    main()
