"""One run of a PowerPC program by the whole simulator: its user time, as JSON. `powerpc.py` starts it."""

import argparse
import json
import os
import sys
from pathlib import Path

from socscope.simulation import Simulation

PLATFORM = "bench-powerpc"


def main() -> None:
    """Runs an image to its symbol `finished`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("image", type=Path)
    parser.add_argument("--profile", action="store_true", help="with the full profile")
    parser.add_argument("--engine", choices=["translated", "interpreted"], default="translated")
    options = parser.parse_args()
    simulation = Simulation(PLATFORM, options.image, profile=options.profile, engine=options.engine)
    begin = os.times().user
    stop = simulation.run(until_symbol="finished").stop
    seconds = os.times().user - begin
    if stop.kind != "address":
        raise SystemExit(f"{options.image}: ended by {stop.kind}: {stop.detail}")
    machine = simulation.machine
    said = {
        "seconds": seconds,
        "result": f"{machine.registers()['r3'] & 0xFF:02x}",
        "instructions": machine.cycle,
        "engine": machine.engine_statistics(),
    }
    if options.profile:
        said["counted"] = sum(machine.profile()["spans"]["instructions"])
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
