"""Where the time of a run goes: the program in user and kernel mode, interrupts, others, on both cores."""

from collections.abc import Mapping, Sequence
from typing import Any

from socscope.report import charts
from socscope.study.rule30.linux import PROGRAM
from socscope.study.rule30.measures import RUN_BEGINS, RUN_ENDS, Measured
from socscope.study.rule30.outputs.rows import PARAMETERS, place
from socscope.study.sheet import Sheet

PROGRAM_USER, PROGRAM_KERNEL = "program, user", "program, kernel"
INTERRUPTS, OTHERS, IDLE = "interrupts", "other tasks", "idle"
# What each core did between the marks at the begin and the end of the run.
WINDOW = f"""
    WITH run AS (
        SELECT min(cycle) FILTER (number = {RUN_BEGINS}) AS first,
               max(cycle) FILTER (number = {RUN_ENDS}) AS last
        FROM marks
    )
    SELECT core, task, state, sum(least(end_cycle, last) - greatest(start_cycle, first))::BIGINT AS cycles
    FROM task_spans, run WHERE end_cycle > first AND start_cycle < last GROUP BY ALL ORDER BY ALL
"""
PARTS = (PROGRAM_USER, PROGRAM_KERNEL, INTERRUPTS, OTHERS, IDLE)


def split(runs: Sequence[Measured]) -> Sheet:
    """The cycles of each core between the begin and the end of the run, by what they went into."""
    rows: list[dict[str, Any]] = []
    for one in runs:
        rows += _rows(one)
    shown = [row for row in rows if row["core"] == 0]
    picture = charts.bars(
        shown,
        x=("way", "mode, latency"),
        y=("percent", "% of the time of core 0"),
        part="part",
        parts=PARTS,
        classes={part: f"c{place}" if part != IDLE else IDLE for place, part in enumerate(PARTS)},
    )
    return Sheet(
        "split",
        "7. User and kernel",
        "Cycles of each core while the program runs, by what they went into: exact, from the kernel's own "
        "state at each switch, without any change of it. The program is pinned to core 0. `socscope "
        "timeline` shows both cores of a record over time.",
        {
            **PARAMETERS,
            "core": "Core",
            "part": "Part",
            "cycles": "Cycles",
            "percent": "% of the core's time",
            "run": "Record",
        },
        rows,
        {"Time of core 0 while the program runs": picture},
        folded=True,
    )


def _rows(one: Measured) -> list[dict[str, Any]]:
    cycles: dict[tuple[int, str], int] = {}
    for row in one.run.query(WINDOW).to_pylist():
        key = row["core"], _part(row)
        cycles[key] = cycles.get(key, 0) + row["cycles"]
    cores = sorted({core for core, _ in cycles})
    whole = {core: sum(count for (of, _), count in cycles.items() if of == core) for core in cores}
    return [
        {
            **place(one),
            "core": core,
            "part": part,
            "cycles": cycles.get((core, part), 0),
            "percent": 100 * cycles.get((core, part), 0) / whole[core] if whole[core] else 0.0,
            "run": one.run.folder.name,
        }
        for core in cores
        for part in PARTS
    ]


def _part(row: Mapping[str, Any]) -> str:
    if row["state"] == "interrupt":
        return INTERRUPTS
    if row["state"] == "idle":
        return IDLE
    if row["task"] == PROGRAM:
        return PROGRAM_USER if row["state"] == "user" else PROGRAM_KERNEL
    return OTHERS
