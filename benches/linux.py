"""How long a host takes for the accelerator study: boot of Linux, restore, fork, and a sample of its map.

The sample is one length of the map, with fewer packets; what the whole map takes follows by the number of
lines. Rows go to build/bench.json.
"""

import argparse
import tempfile
import time
from pathlib import Path

from clock import milliseconds
from rows import Row, merge, show
from socscope.checkpoint import Checkpoint
from socscope.study.carry_out import carry_out
from socscope.study.rule30 import Rule30, Rule30Parameters
from socscope.study.rule30.parameters import LINES, PACKETS, space
from socscope.study.store import host_facts

BOOT_S, RESTORE_MS, FORK_MS, MAP_MINUTES = 20.0, 100.0, 5.0, 30.0
FORKS = 21
LENGTH = 128


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packets", type=int, default=20, help="packets of each run (default 20)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    options = parser.parse_args()
    study, parameters = Rule30(), Rule30Parameters()
    simulation = study.machine(parameters)
    begin = time.perf_counter()
    study.boot(simulation, parameters)
    boot_s = time.perf_counter() - begin
    with tempfile.TemporaryDirectory(prefix="socscope-") as work:
        path = Path(work) / "booted.checkpoint"
        simulation.checkpoint(path)
        found = Checkpoint.read(path)
        restore_ms = milliseconds(lambda: found.core.restore(found.core.build()))
        fork_ms = sorted(milliseconds(simulation.machine.fork) for _ in range(FORKS))[FORKS // 2]
        results = carry_out(
            "rule30",
            Path(work) / "results",
            jobs=options.jobs,
            settings=[f"length_bits={LENGTH}", f"packets={options.packets}"],
            only=["map"],
        )
        # Of all processes together, without the boot, which comes once.
        sample_s = sum(host_facts(run)["host_seconds"] for run in results.runs) / options.jobs
    runs = len(results.runs)
    executed = sum(int(run.manifest.parameters["executed_cycles"]) for run in results.runs)
    share = runs * options.packets * LINES / (len(space(quick=False)["map"]) * PACKETS * LINES)
    rows = [
        Row("boot of Linux to the prompt", boot_s, "s", BOOT_S, "at most"),
        Row("restore of the booted machine", restore_ms, "ms", RESTORE_MS, "at most"),
        Row("fork of the booted machine, median", fork_ms, "ms", FORK_MS, "at most"),
        Row(f"sample of the map: {runs} runs", sample_s, "s"),
        Row("simulated in the sample, all jobs", executed / sample_s / 1e6, "million instructions/s"),
        Row("whole map, from the sample", sample_s / share / 60, "minutes", MAP_MINUTES, "at most"),
    ]
    show(rows, "The accelerator study")
    merge(rows, "linux", {"sample_s": sample_s, "executed": executed})


if __name__ == "__main__":
    main()
