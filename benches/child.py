"""One run of Socscope in a process of its own: times, memory and counts as JSON. `engines.py` starts it."""

import argparse
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from socscope.simulation import Simulation

CPU = "/cpus/cpu@0"
OVERRIDES = {
    "plain": [f"{CPU}:socscope,timing=fixed-cpi"],
    "profile": [f"{CPU}:socscope,timing=fixed-cpi"],
    "exact": [f"{CPU}:socscope,timing=arm7tdmi"],
}


def peak_kib() -> int:
    """The most memory that this process ever held."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def accesses(profile: dict[str, dict[str, list[Any]]]) -> list[list[Any]]:
    """Data accesses by region, width and direction, all contexts together."""
    table = profile["accesses"]
    sums: dict[tuple[str, int, str], int] = {}
    keys = zip(table["region"], table["width_bits"], table["direction"], strict=True)
    for key, count in zip(keys, table["count"], strict=True):
        sums[key] = sums.get(key, 0) + count
    return [[*key, count] for key, count in sorted(sums.items())]


def main() -> None:
    """Runs an image from its first mark to its second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platform")
    parser.add_argument("image", type=Path)
    parser.add_argument("mode", choices=sorted(OVERRIDES))
    parser.add_argument("--engine", choices=["translated", "interpreted"], default="translated")
    parser.add_argument("--result", default="", help="symbol that holds the result; without it, r0 does")
    parser.add_argument(
        "--started", type=int, default=0, help="monotonic clock when this process was started, ns"
    )
    parser.add_argument("--start-only", action="store_true", help="end after the first instruction")
    options = parser.parse_args()

    begin = time.monotonic()
    profiled = options.mode == "profile"
    simulation = Simulation(
        options.platform,
        options.image,
        overrides=OVERRIDES[options.mode],
        profile=profiled,
        engine=options.engine,
    )
    machine = simulation.machine
    machine.step()
    first = time.monotonic()
    said: dict[str, Any] = {
        "start_s": first - begin,
        "process_start_s": first - options.started / 1e9 if options.started else None,
    }
    if options.start_only:
        sys.stdout.write(json.dumps(said) + "\n")
        return
    simulation.run(until_mark=1)
    marked = time.monotonic()
    stop = simulation.run(until_mark=2).stop
    end = time.monotonic()
    # Before the tables are made: they are no part of the run.
    peak = peak_kib()
    if stop.kind != "mark":
        raise SystemExit(f"{options.image}: ended by {stop.kind}: {stop.detail}")
    if options.result:
        address = simulation.image.address_of(options.result)
        result = int.from_bytes(machine.peek(address, 4), "little")
    else:
        result = machine.registers()["r0"]
    memory = sum(region["size"] for region in machine.regions() if region["kind"] in {"ram", "rom"})
    said |= {
        "result": f"{result:08x}",
        "seconds": end - marked,
        "cycles": machine.cycle,
        "peak_kib": peak,
        "guest_kib": memory // 1024,
        "engine": machine.engine_statistics(),
    }
    if profiled:
        profile = machine.profile()
        said["instructions"] = sum(profile["spans"]["instructions"])
        said["accesses"] = accesses(profile)
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
