"""From what the core found of a kernel's tasks to columns of a run record."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from socscope.awareness.linux.kernel import Kernel

# The core's numbers for what a core does, with the states of the record.
IDLE, USER, KERNEL, SYSTEM_CALL, FAULT, INTERRUPT, TIMER = range(7)
STATES = ("idle", "user", "kernel", "kernel", "kernel", "interrupt", "interrupt")

Columns = dict[str, Any]


def columns(found: Mapping[str, Any], kernel: Kernel) -> dict[str, Columns]:
    """The tables `task_spans`, `task_times` and `system_calls`, column by column.

    `found` is what `Machine.linux()` gives: the tasks, and columns of numbers as bytes. Of very many
    stretches those behind the first come as sums.
    """
    tasks = found["tasks"]
    spans, calls = _numbers(found["spans"]), _numbers(found["calls"])
    return {
        "task_spans": _spans(spans, tasks, kernel),
        "task_times": _times(spans, _numbers(found["sums"]), tasks),
        "system_calls": _calls(calls, tasks, kernel),
    }


def _numbers(table: Mapping[str, bytes]) -> dict[str, np.ndarray]:
    return {name: np.frombuffer(column, dtype="<i8") for name, column in table.items()}


def _taken(texts: list[str], places: np.ndarray) -> "pa.Array[Any]":
    """A text for each row, by its place in a list."""
    return pa.array(texts, pa.string()).take(pa.array(places))


def _of_tasks(rows: np.ndarray, tasks: list[tuple[int, int, str]]) -> Columns:
    numbers = np.array([task[:2] for task in tasks], dtype=np.int64).reshape(-1, 2)[rows]
    return {
        "pid": numbers[:, 0],
        "tgid": numbers[:, 1],
        "task": _taken([name for _, _, name in tasks], rows),
    }


def _spans(spans: dict[str, np.ndarray], tasks: list[tuple[int, int, str]], kernel: Kernel) -> Columns:
    activity, number = spans["activity"], spans["number"]
    known, places = np.unique(np.stack([activity, number]), axis=1, return_inverse=True)
    details = [_detail(int(one), int(which), kernel) for one, which in known.T]
    times = {name: spans[name] for name in ("core", "start_cycle", "end_cycle", "start_ps", "end_ps")}
    return {
        **times,
        **_of_tasks(spans["task"], tasks),
        "state": _taken(list(STATES), activity),
        "detail": _taken(details, places.reshape(-1)),
        "number": number,
    }


def _detail(activity: int, number: int, kernel: Kernel) -> str:
    match activity:
        case _ if activity == SYSTEM_CALL:
            return kernel.system_call(number)
        case _ if activity == FAULT:
            return kernel.fault(number)
        case _ if activity == INTERRUPT:
            return f"interrupt {number}" if number >= 0 else "interrupt"
        case _ if activity == TIMER:
            return "timer"
    return ""


def _times(
    spans: dict[str, np.ndarray], sums: dict[str, np.ndarray], tasks: list[tuple[int, int, str]]
) -> Columns:
    """Sums by core, task and state, in this order."""

    def both(name: str) -> np.ndarray:
        return np.concatenate([spans[name], sums[name]])

    # The first number of each state stands for all of them.
    state = np.array([STATES.index(name) for name in STATES])[both("activity")]
    keys = np.stack([both("core"), both("task"), state])
    known, places = np.unique(keys, axis=1, return_inverse=True)
    places = places.reshape(-1)
    cycles = np.zeros(known.shape[1], dtype=np.int64)
    # Whole numbers: a sum of weights in floating point would lose some above 2**53.
    lengths = spans["end_cycle"] - spans["start_cycle"]
    np.add.at(cycles, places, np.concatenate([lengths, sums["cycles"]]))
    counts = np.zeros_like(cycles)
    np.add.at(counts, places, np.concatenate([np.ones_like(lengths), sums["spans"]]))
    return {
        "core": known[0],
        **_of_tasks(known[1], tasks),
        "state": _taken(list(STATES), known[2]),
        "cycles": cycles,
        "spans": counts,
    }


def _calls(calls: dict[str, np.ndarray], tasks: list[tuple[int, int, str]], kernel: Kernel) -> Columns:
    known, places = np.unique(calls["number"], return_inverse=True)
    times = {name: calls[name] for name in ("core", "start_cycle", "end_cycle", "start_ps", "end_ps")}
    return {
        **times,
        **_of_tasks(calls["task"], tasks),
        "number": calls["number"],
        "call": _taken([kernel.system_call(int(number)) for number in known], places.reshape(-1)),
        "result": calls["result"],
    }
