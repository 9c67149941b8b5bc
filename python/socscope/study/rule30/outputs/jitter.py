"""How evenly lines and packets are computed."""

from collections.abc import Sequence

from socscope.report import charts
from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.lengths import LENGTH
from socscope.study.rule30.outputs.rows import PARAMETERS, row, ways
from socscope.study.sheet import Sheet


def jitter(runs: Sequence[Measured]) -> Sheet:
    """The longest time over the mean one."""
    rows = [row(one) for one in runs]
    picture = charts.lines(
        rows,
        x=LENGTH,
        y=("line_jitter", "longest line over the mean one"),
        part="way",
        parts=ways(runs),
    )
    return Sheet(
        "jitter",
        "6. Jitter",
        "The longest time over the mean: of lines, and of packets. Timer interrupts and the scheduler "
        "strike single lines; a packet evens them out.",
        {
            **PARAMETERS,
            "line_ns_mean": "Line mean, ns",
            "line_ns_max": "max",
            "line_jitter": "Jitter of lines",
            "packet_ns_mean": "Packet mean, ns",
            "packet_ns_max": "max",
            "packet_jitter": "Jitter of packets",
        },
        rows,
        {"Jitter of lines by length": picture},
        folded=True,
    )
