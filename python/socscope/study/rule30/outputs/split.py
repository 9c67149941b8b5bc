"""Where a run's time goes: user and kernel mode on both cores."""

from collections.abc import Sequence

from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.rows import PARAMETERS, row
from socscope.study.sheet import Sheet


def split(runs: Sequence[Measured]) -> Sheet:
    """User and kernel, as the kernel accounts them to the program."""
    rows = []
    for one in runs:
        total = one.total_ns
        rows.append(
            {
                **row(one),
                "run": one.run.folder.name,
                "total_us": total / 1000,
                "user_us": one.user_ns / 1000,
                "system_us": one.system_ns / 1000,
                "other_percent": 100 * (1 - (one.user_ns + one.system_ns) / total),
            }
        )
    return Sheet(
        "split",
        "7. User and kernel",
        "Time of the whole run, and what of it the kernel accounts to the program, in user mode and in its"
        " own; the rest are other tasks, interrupts and idleness on core 0.",
        {
            **PARAMETERS,
            "total_us": "Run, µs",
            "user_us": "User, µs",
            "system_us": "Kernel, µs",
            "other_percent": "Other, %",
            "run": "Record",
        },
        rows,
    )
