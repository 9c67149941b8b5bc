"""How long it takes to fork a machine with 64 MB of memory, all of it written, and to save and restore it.

Rows go to build/bench.json.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from clock import milliseconds
from rows import Row, merge, show
from socscope import _core, platform

FLOOR_MS = 1.0
MEMORY_MB = 64
MEMORY_AT = 0x2000_0000
TREE = """/dts-v1/;
/include/ "at91x40.dts"
/ { large: memory@20000000 { device_type = "memory"; reg = <0x20000000 0x4000000>; }; };
"""


def machine() -> _core.Machine:
    """A board with a large memory that holds something everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.dts"
        path.write_text(TREE.replace("/dts-v1/;\n", ""))
        made = _core.Machine(platform.load(str(path)).dtb, "large")
    block = bytes(range(1, 256)) * 257
    for at in range(0, MEMORY_MB << 20, len(block)):
        made.poke(MEMORY_AT + at, block[: (MEMORY_MB << 20) - at])
    return made


def main() -> None:
    """Prints the table and merges the rows into build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=101, help="forks to take (default 101)")
    rounds = parser.parse_args().rounds
    made = machine()
    times = []
    for _ in range(rounds):
        # Between two forks the machine goes on: it copies what it writes.
        made.poke(MEMORY_AT, bytes(64 << 10))
        times.append(milliseconds(made.fork))
    begin = time.perf_counter()
    data = made.checkpoint([None], [{}])
    saved_ms = (time.perf_counter() - begin) * 1e3
    checkpoint = _core.Checkpoint(data)
    restored_ms = milliseconds(lambda: checkpoint.restore(checkpoint.build()))
    rows = [
        Row(f"fork of a {MEMORY_MB} MB machine, median", statistics.median(times), "ms", FLOOR_MS, "at most"),
        Row(f"checkpoint of a {MEMORY_MB} MB machine", saved_ms, "ms"),
        Row(f"restore of a {MEMORY_MB} MB machine", restored_ms, "ms"),
    ]
    show(rows, "Forks and checkpoints")
    merge(rows, "fork", {"fork_ms": times})


if __name__ == "__main__":
    main()
