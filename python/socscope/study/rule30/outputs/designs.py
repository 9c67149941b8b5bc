"""The designs that were asked for beside further ones: do these help?"""

from collections.abc import Sequence

from socscope.report import charts
from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.rows import PARAMETERS, latencies, place
from socscope.study.rule30.parameters import FURTHER_DESIGNS
from socscope.study.sheet import Sheet

TEXT = (
    "A packet's time for each of its lines: with batches a line has no time of its own. hw-poll: the "
    "driver polls instead of waiting for the interrupt; hw-batch: one system call for a packet; hw-dma: "
    "one call and one interrupt for a packet, and the accelerator writes the lines to memory; hwo-mmap: "
    "mapped registers, and the output becomes the next input in the accelerator. Gain: the time of hw over"
    " this one's."
)


def designs(runs: Sequence[Measured]) -> Sheet:
    """All designs at some lengths and all latencies."""
    hw = {
        (one.parameters.length_bits, one.parameters.latency_ns): _line_ns(one)
        for one in runs
        if one.parameters.mode == "hw"
    }
    rows = []
    for one in runs:
        compared = one.parameters.length_bits, one.parameters.latency_ns
        line_ns = _line_ns(one)
        rows.append(
            {
                **place(one),
                "each_ns": line_ns,
                "gain": hw[compared] / line_ns if compared in hw else None,
                "asked": "" if one.parameters.mode in FURTHER_DESIGNS else "asked for",
            }
        )
    pictures = {}
    for length in sorted({one.parameters.length_bits for one in runs}):
        drawn = [one for one in rows if one["length_bits"] == length and one["latency_ns"] is not None]
        if len(latencies(runs)) > 1 and drawn:
            pictures[f"Time for each line of {length} bits, by latency"] = charts.lines(
                drawn,
                x=("latency_ns", "latency, ns"),
                y=("each_ns", "time for each line, ns"),
                part="mode",
                parts=list(dict.fromkeys(one["mode"] for one in drawn)),
                logarithmic=True,
                magnitudes=True,
            )
    return Sheet(
        "designs",
        "8. Further designs",
        TEXT,
        {**PARAMETERS, "each_ns": "For each line, ns", "gain": "Gain over hw", "asked": ""},
        rows,
        pictures,
        folded=True,
    )


def _line_ns(one: Measured) -> float:
    return one.packet.mean_ns / one.parameters.lines
