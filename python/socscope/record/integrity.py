"""Whether a record's tables hold together: what counts refer to is there, and parts sum up to the whole."""

from collections.abc import Iterator

import numpy as np

from socscope.errors import RecordError
from socscope.record.parquet import path_of
from socscope.record.run import Run
from socscope.record.tables import INTEGER, TABLES

# What may be negative: roots, code outside all functions, interrupts on no core, what the guest gave.
SIGNED = {"parent", "function", "argument", "core", "result", "number", "pid", "tgid"}
Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Truths = np.ndarray[tuple[int], np.dtype[np.bool_]]


def check(run: Run) -> None:
    """Fails with table, column and row where a record that was read whole cannot be what a run gave."""
    for name in run.table_names:
        check_numbers(run, name)
    if "nodes" in run.table_names:
        _check_contexts(run)
    if run.manifest.profiled:
        _check_sums(run)


def check_numbers(run: Run, name: str) -> None:
    """Fails where a count, a time or an address of a table is negative."""
    for column in _integers(run, name):
        if column not in SIGNED:
            _all(run, name, column, _numbers(run, name, column) >= 0, "is negative")


def _check_contexts(run: Run) -> None:
    nodes = _numbers(run, "nodes", "node")
    places = np.arange(len(nodes))
    _all(run, "nodes", "node", nodes == places, "is not its place among the contexts")
    parents = _numbers(run, "nodes", "parent")
    _all(run, "nodes", "parent", (parents >= -1) & (parents < places), "does not come before its context")
    functions = _numbers(run, "nodes", "function")
    known = np.append(_numbers(run, "functions", "function"), -1)
    _all(run, "nodes", "function", np.isin(functions, known), "is no function")
    for name in {"instructions", "accesses", "io"} & set(run.table_names):
        used = _numbers(run, name, "node")
        _all(run, name, "node", (used >= 0) & (used < len(nodes)), "is no context")
    layers = {*run.manifest.layer_names}
    for name in {"nodes", "layers"} & set(run.table_names):
        known_layer = np.array(
            [layer in layers for layer in run.table(name)["layer"].to_pylist()], dtype=bool
        )
        _all(run, name, "layer", known_layer, "is no layer of the manifest")


def _check_sums(run: Run) -> None:
    totals = run.manifest.totals
    sums = {
        ("instructions", "instructions"): totals.instructions,
        ("layers", "instructions"): totals.instructions,
        ("functions", "instructions"): totals.instructions,
        ("instructions", "cycles"): totals.executing_cycles,
        ("layers", "cycles"): totals.executing_cycles,
    }
    for (name, column), whole in sums.items():
        if (found := sum(map(int, filter(None, run.table(name)[column].to_pylist())))) != whole:
            raise RecordError(
                f"{path_of(run.folder, name)}: damaged: the {column} sum up to {found}, the manifest says "
                f"{whole}; run again"
            )


def _integers(run: Run, name: str) -> Iterator[str]:
    """The columns of whole numbers that a table of the record has."""
    if name in TABLES:
        present = set(run.table(name).column_names)
        for column, (kind, _) in TABLES[name].columns.items():
            if kind == INTEGER and column in present:
                yield column


def _numbers(run: Run, name: str, column: str) -> Numbers:
    values: Numbers = run.table(name)[column].combine_chunks().to_numpy(zero_copy_only=False)
    return values


def _all(run: Run, name: str, column: str, sound: Truths, rule: str) -> None:
    if not sound.all():
        row = int(np.argmin(sound))
        value = run.table(name)[column].to_pylist()[row]
        place = f"{path_of(run.folder, name)}: damaged: column {column}, row {row}"
        raise RecordError(f"{place}: {value!r} {rule}; run again")
