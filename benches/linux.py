"""How long a host takes for the accelerator study: boot of Linux, restore, fork, and its map of 352 runs.

The map is estimated from a sample, and the rows say so; with --whole it is made. Rows go to build/bench.json.
"""

import argparse
import tempfile
import time
from pathlib import Path

import map_sample
from clock import milliseconds
from rows import CONSOLE, Row, merge, show
from socscope.checkpoint import Checkpoint
from socscope.study.carry_out import carry_out
from socscope.study.pool import Progress
from socscope.study.rule30 import Rule30, Rule30Parameters, linux
from socscope.study.rule30.parameters import space
from socscope.study.store import host_facts
from socscope.study.study import Result

BOOT_S, PROFILED_BOOT_S, RESTORE_MS, FORK_MS, MAP_MINUTES = 20.0, 30.0, 100.0, 5.0, 30.0
FORKS = 21
RESTORES = 5
SHORT_RUNS, SHORT_PACKETS = 9, 5


def booted(work: Path) -> list[Row]:
    """Boot, restore and fork."""
    study, parameters = Rule30(), Rule30Parameters()
    simulation = study.machine(parameters)
    begin = time.perf_counter()
    study.boot(simulation, parameters)
    boot_s = time.perf_counter() - begin
    path = work / "booted.checkpoint"
    simulation.checkpoint(path)
    found = Checkpoint.read(path)
    restores = sorted(milliseconds(lambda: found.core.restore(found.core.build())) for _ in range(RESTORES))
    forks = sorted(milliseconds(simulation.machine.fork) for _ in range(FORKS))
    short = parameters.but(packets=SHORT_PACKETS)
    first, *later = [milliseconds(lambda: study.measure(simulation.fork(), short)) for _ in range(SHORT_RUNS)]
    return [
        Row("boot of Linux to the prompt", boot_s, "s", BOOT_S, "at most"),
        Row("restore of the booted machine, median", restores[RESTORES // 2], "ms", RESTORE_MS, "at most"),
        Row("fork of the booted machine, median", forks[FORKS // 2], "ms", FORK_MS, "at most"),
        Row("short run of a fork, the first one", first, "ms"),
        Row("short run of a fork, later ones, median", sorted(later)[len(later) // 2], "ms"),
    ]


def profiled() -> Row:
    """The boot, with the full profile on."""
    simulation = Rule30().machine(Rule30Parameters())
    simulation.enable_profile("all")
    begin = time.perf_counter()
    linux.boot(simulation)
    seconds = time.perf_counter() - begin
    return Row("boot of Linux to the prompt, profiled", seconds, "s", PROFILED_BOOT_S, "at most")


def sampled(work: Path, jobs: int) -> list[Row]:
    """The map, from a sample."""
    reference = str(Path(map_sample.__file__))
    told: list[Progress] = []
    results = carry_out(reference, work / "sample", jobs=jobs, on_progress=lambda one: tell(one, told))
    runs = [Result(Rule30Parameters.of(run.manifest.parameters), run) for run in results.runs]
    whole = map_sample.estimate([one for one in runs if one.parameters not in map_sample.FIRST])
    name = f"map of {whole.runs} runs, estimated from a sample"
    return of_map(name, whole.seconds / jobs, whole.executed_cycles)


def made(folder: Path, jobs: int) -> list[Row]:
    """The map itself; runs that are in the folder already count with the time that they took."""
    begin = time.perf_counter()
    told: list[Progress] = []
    results = carry_out("rule30", folder, jobs=jobs, only=["map"], on_progress=lambda one: tell(one, told))
    seconds = time.perf_counter() - begin
    if told[-1].kept:
        seconds = sum(float(host_facts(run)["host_seconds"]) for run in results.runs) / jobs
    runs = len(results.runs)
    assert runs == len(space(quick=False)["map"])
    executed = sum(float(run.manifest.parameters["executed_cycles"]) for run in results.runs)
    return of_map(f"map of {runs} runs", seconds, executed)


def of_map(name: str, seconds: float, executed: float) -> list[Row]:
    """The rows of a map: nothing has caches in it, so a cycle that a core executes is an instruction.

    Exceptions that are taken, a cycle each, count as instructions too.
    """
    return [
        Row(f"{name}", seconds / 60, "minutes", MAP_MINUTES, "at most"),
        Row(f"{name}: simulated", executed / 1e9, "thousand million instructions"),
        Row(f"{name}: all jobs together", executed / seconds / 1e6, "MIPS"),
    ]


def tell(state: Progress, told: list[Progress]) -> None:
    """Says how far the runs are, and keeps it."""
    told.append(state)
    CONSOLE.print(f"{state.done} of {state.total} runs  {state.last}", markup=False, soft_wrap=True)


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    parser.add_argument(
        "--whole", type=Path, metavar="FOLDER", help="make the whole map in this folder, or finish it there"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="socscope-") as work:
        rows = [*booted(Path(work)), profiled()]
        rows += made(options.whole, options.jobs) if options.whole else sampled(Path(work), options.jobs)
    show(rows, "The accelerator study")
    for row in rows:
        if row.floor is None:
            CONSOLE.print(f"{row.name}: {row.value:.1f} {row.unit}")
    merge(rows, "linux", {row.name: row.value for row in rows})


if __name__ == "__main__":
    main()
