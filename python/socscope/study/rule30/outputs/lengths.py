"""Times by length and latency: the maps, and what the driver costs."""

from collections.abc import Sequence

from socscope.report import charts
from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.rows import (
    LINE,
    PACKET,
    PARAMETERS,
    TOTALS,
    latencies,
    of_mode,
    row,
    ways,
)
from socscope.study.sheet import Sheet

LENGTH = ("length_bits", "length of a line, bits")
MEAN = ("line_ns_mean", "mean time of a line, ns")


def whole_map(runs: Sequence[Measured]) -> Sheet:
    """The whole map: all lengths, all latencies."""
    rows = [row(one) for one in runs]
    pictures = {}
    for mode in ("hw", "hw-mmap"):
        shown = [one for one in runs if one.parameters.mode in ("bit", mode)]
        pictures[f"A line in software (bit) and by {mode}"] = charts.lines(
            [row(one) for one in shown], x=LENGTH, y=MEAN, part="way", parts=ways(shown), magnitudes=True
        )
    pictures["Which way is the fastest one"] = _fastest(runs)
    return Sheet(
        "map",
        "2. The map",
        f"{len(runs)} runs. A line: from its begin to its end in the program; a packet: its lines, one "
        "computed from the other. User: as the kernel accounts it to the program.",
        {**PARAMETERS, **LINE, **PACKET, **TOTALS},
        rows,
        pictures,
        folded=True,
    )


def coarse(runs: Sequence[Measured]) -> Sheet:
    """The coarse map: lengths up to 1020 bits."""
    rows = [row(one) for one in runs]
    return Sheet(
        "coarse",
        "3. The coarse map",
        f"{len(runs)} runs with long lines.",
        {**PARAMETERS, **LINE, **PACKET, **TOTALS},
        rows,
        {
            "A line of up to 1020 bits": charts.lines(
                rows, x=LENGTH, y=MEAN, part="way", parts=ways(runs), magnitudes=True
            )
        },
        folded=True,
    )


def driver(runs: Sequence[Measured]) -> Sheet:
    """The driver against mapped registers."""
    rows = []
    for latency in latencies(runs):
        mapped = {one.parameters.length_bits: one for one in of_mode(runs, "hw-mmap", latency)}
        for one in of_mode(runs, "hw", latency):
            length = one.parameters.length_bits
            if other := mapped.get(length):
                cost = one.line.mean_ns - other.line.mean_ns
                rows.append(
                    {
                        "latency_ns": latency,
                        "length_bits": length,
                        "hw_ns": one.line.mean_ns,
                        "mmap_ns": other.line.mean_ns,
                        "cost_ns": cost,
                        "factor": one.line.mean_ns / other.line.mean_ns,
                        "part": f"{latency} ns",
                    }
                )
    picture = charts.lines(
        rows,
        x=LENGTH,
        y=("cost_ns", "driver minus mapped registers, ns a line"),
        part="part",
        parts=[f"{latency} ns" for latency in latencies(runs)],
    )
    return Sheet(
        "driver",
        "4. What the driver costs",
        "The driver (system calls, an interrupt for each line) against registers that are mapped into the "
        "program.",
        {
            "latency_ns": "Latency, ns",
            "length_bits": "Length, bits",
            "hw_ns": "hw, ns a line",
            "mmap_ns": "hw-mmap, ns a line",
            "cost_ns": "Difference, ns",
            "factor": "Factor",
        },
        rows,
        {"Time of a line that the driver costs": picture},
        folded=True,
    )


def _fastest(runs: Sequence[Measured]) -> charts.Spec:
    """For each length and latency the mode whose line takes the shortest time."""
    fields = []
    for latency in latencies(runs):
        for soft in of_mode(runs, "bit"):
            length = soft.parameters.length_bits
            there = [
                one
                for one in runs
                if one.parameters.length_bits == length and one.parameters.latency_ns == latency
            ]
            best = min((soft, *there), key=lambda one: one.line.mean_ns)
            fields.append({"length_bits": length, "latency_ns": latency, "fastest": best.parameters.mode})
    modes = list(dict.fromkeys(str(one.parameters.mode) for one in runs))
    return charts.grid(fields, x=LENGTH, y=("latency_ns", "latency, ns"), part="fastest", parts=modes)
