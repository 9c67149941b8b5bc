"""How long a step back takes, over 10 s of history of the serial study's system.

The shell works all the time: it makes a file and sums it up, again and again. From places all over the
history one step back is taken; the longest counts. Rows go to build/bench.json.
"""

import argparse
import random
import statistics
import subprocess
import time
from pathlib import Path

from clock import milliseconds
from rows import CONSOLE, Row, merge, show
from socscope.history import History
from socscope.simulation import Simulation

ROOT = Path(__file__).parents[1]
LENGTH_S = 10
COMMAND = b"make data.bin 100000 1\rcrc32 data.bin\r"
DONE = b" 100000 data.bin\r\n$ "
FLOOR_MS = 100
NAME = "reverse-step over 10 s of history"


def image() -> Path:
    """The system's image; built once."""
    command: list[str | Path] = [ROOT / "scripts" / "guest", "system", "BOARD=at91x40", "ISA=arm"]
    folder = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return Path(folder) / "system.elf"


def work(*, history: bool) -> tuple[Simulation, History | None, float]:
    """Runs for 10 s of simulated time; gives also the seconds that it took."""
    simulation = Simulation("at91x40", image())
    kept = simulation.history() if history else None
    begin = time.perf_counter()
    simulation.run("1s", until_output="$ ")
    while (left_ps := LENGTH_S * 10**12 - simulation.machine.time_ps) > 0:
        simulation.send(COMMAND)
        simulation.run(f"{left_ps}ps", until_output=DONE)
    return simulation, kept, time.perf_counter() - begin


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=40, help="places to step back from (default 40)")
    places = parser.parse_args().places
    _, _, plain_s = work(history=False)
    simulation, history, kept_s = work(history=True)
    assert history is not None
    machine = simulation.machine
    first = milliseconds(machine.history_back)
    chosen = random.Random(1)
    gotos, steps, again = [], [], []
    for _ in range(places):
        place = chosen.randrange(LENGTH_S * 10**12)
        gotos.append(milliseconds(lambda at=place: machine.history_goto(at)))  # type: ignore[misc]
        steps.append(milliseconds(machine.history_back))
        again += [milliseconds(machine.history_back) for _ in range(20)]
    history.present()
    call = milliseconds(lambda: history.last_call("init_main"))
    history.present()
    write = milliseconds(lambda: history.last_write("running_id"))
    history.present()
    states, size = history.states
    rows = [
        Row(NAME, max([*steps, first]), "ms", FLOOR_MS, "at most"),
        Row("reverse-step from the present", first, "ms"),
        Row("reverse-step at any place, median", statistics.median(steps), "ms"),
        Row("reverse-step again, median", statistics.median(again), "ms"),
        Row("go to any time of 10 s, longest", max(gotos), "ms"),
        Row("reverse-continue to a breakpoint 10 s ago", call, "ms"),
        Row("reverse-continue to a watchpoint 10 s ago", write, "ms"),
        Row("run of 10 s with history over without", kept_s / plain_s, "ratio"),
        Row("history of 10 s, host memory", size / 2**20, "MiB"),
    ]
    raw = {"gotos_ms": gotos, "steps_ms": steps, "again_ms": again, "states": states}
    merge(rows, "time travel", raw)
    show(rows, "Time travel")
    for row in rows[1:]:
        CONSOLE.print(f"{row.name:48} {row.value:9.2f} {row.unit}")


if __name__ == "__main__":
    main()
