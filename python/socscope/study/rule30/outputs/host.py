"""What the study cost the host."""

from collections.abc import Mapping, Sequence
from typing import Any

from socscope.study.rule30.measures import Measured
from socscope.study.sheet import Sheet
from socscope.study.store import host_facts


def host(parts: Mapping[str, Sequence[Measured]]) -> Sheet:
    """Simulated instructions and host time, by part of the study and in all. No two hosts agree on these."""
    rows = [_row(name, runs) for name, runs in parts.items()]
    everything = {one.run.folder: one for runs in parts.values() for one in runs}
    rows.append(_row("all", list(everything.values())))
    return Sheet(
        "host",
        "10. What it took",
        "What both cores executed from the fork of the booted system on, and the time of the processes that "
        "simulated it: instructions, and exceptions taken. Cycles asleep, in reset, or kept from the bus by "
        "DMA are not among them. These are the host's numbers, and no result of the study.",
        {
            "part": "Part",
            "runs": "Runs",
            "instructions": "Instructions and exceptions",
            "seconds": "Host, s",
            "mips": "Million instructions a second of a process",
        },
        rows,
    )


def _row(name: str, runs: Sequence[Measured]) -> dict[str, Any]:
    # Without caches each instruction, and each exception taken, is one cycle of executing.
    runs = [one for one in runs if one.parameters.caches == "none"]
    instructions = sum(int(one.run.manifest.parameters["executed_cycles"]) for one in runs)
    seconds = sum(float(host_facts(one.run).get("host_seconds", 0.0)) for one in runs)
    return {
        "part": name,
        "runs": len(runs),
        "instructions": instructions,
        "seconds": seconds,
        "mips": instructions / seconds / 1e6 if seconds else None,
    }
