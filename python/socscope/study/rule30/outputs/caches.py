"""The same runs with models of caches: does the answer change?"""

from collections.abc import Sequence

from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.rows import PARAMETERS, row
from socscope.study.sheet import Sheet


def caches(runs: Sequence[Measured]) -> Sheet:
    """Three configurations beside the machine without caches, where an instruction takes one cycle."""
    plain = {
        (one.parameters.mode, one.parameters.latency_ns): one.line.mean_ns
        for one in runs
        if one.parameters.caches == "none"
    }
    rows = []
    for one in runs:
        place = one.parameters.mode, one.parameters.latency_ns
        factor = one.line.mean_ns / plain[place] if place in plain else None
        rows.append({**row(one), "factor": factor})
    return Sheet(
        "caches",
        "9. With caches",
        "Size of each first-level cache, and cycles of an access to memory. none: an instruction takes one"
        " cycle wherever it and its data lie.",
        {
            "caches": "Caches",
            **PARAMETERS,
            "line_ns_mean": "Line mean, ns",
            "line_ns_max": "max",
            "line_jitter": "Jitter",
            "factor": "Over none",
        },
        rows,
    )
