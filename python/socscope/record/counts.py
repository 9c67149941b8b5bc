"""From what the core counted to the tables of a record."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pyarrow as pa

from socscope.errors import RecordError
from socscope.image import Function, Image
from socscope.layers import Layers
from socscope.record.inclusive import NOTHING, sums_by_function
from socscope.record.manifest import ModuleFunction, Totals
from socscope.record.marks import with_magic
from socscope.record.tables import COUNTED, TABLES, TASKS

Columns = dict[str, list[Any]]
# Source of code that belongs to programs of a kernel's: layer rules can name it.
PROGRAM = "(program)"
# The core's number of what stands above all that is counted without its callers, and its name and source.
FOLDED, FOLDED_NAME = -(1 << 63), "(folded)"
SerialLog = tuple[list[int], list[str], bytes]


@dataclass(frozen=True)
class Counts:
    """The tables of a record and the sums over them."""

    tables: dict[str, pa.Table] = field(repr=False)
    totals: Totals


def build(
    profile: Mapping[str, Columns],
    image: Image,
    layers: Layers,
    serial: Mapping[str, SerialLog],
    inputs: Columns | None = None,
    *,
    modules: Sequence[ModuleFunction] = (),
    tasks: Mapping[str, Mapping[str, Any]] | None = None,
    caches: Columns | None = None,
    marked: Columns | None = None,
) -> Counts:
    """Works the core's counts out into tables, and checks that the parts sum up to the totals.

    `modules` are functions behind those of the image, `tasks` the columns that awareness of the operating
    system gives, `caches` those of the timing model.
    """
    _check_columns(profile)
    columns: dict[str, Columns] = {name: {**profile[name]} for name in COUNTED}
    nodes = columns["nodes"]
    if nodes["node"] != list(range(len(nodes["node"]))):
        raise RecordError("contexts are not numbered 0, 1, 2, ...: the profile is damaged")
    # Where nothing was counted, functions are not looked at: a kernel's debug information takes long to read.
    functions = _with_modules(image.functions, modules) if nodes["node"] else []
    functions = _with_programs(nodes, functions, profile.get("programs"))
    functions = _with_folded(nodes, functions)
    nodes["layer"] = layers.of_nodes(nodes["parent"], nodes["function"], functions)
    interrupts = columns["interrupts"]
    interrupts["latency_cycles_mean"] = [
        total / measured if measured else 0.0
        for total, measured in zip(interrupts["latency_cycles_total"], interrupts["measured"], strict=True)
    ]
    columns["functions"] = _functions(columns, functions, layers)
    columns["layers"] = _layers(columns, layers)
    columns["marks"] = with_magic(columns["marks"], marked)
    columns["dma"] = _dma(columns["dma_transfers"], profile.get("dma_sums"))
    columns["console"] = _console(serial)
    columns["input"] = inputs or {name: [] for name in TABLES["input"].columns}
    columns["caches"] = caches or {name: [] for name in TABLES["caches"].columns}
    for name, table in TASKS.items():
        columns[name] = dict((tasks or {}).get(name) or {column: [] for column in table.columns})
    totals = _totals(columns)
    tables = {}
    for name, table in TABLES.items():
        try:
            tables[name] = pa.table(columns[name], schema=table.schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise RecordError(f"table {name}: the profile is damaged: {error}") from None
    return Counts(tables, totals)


def empty_profile() -> dict[str, Columns]:
    """The counts of a run in which nothing was counted."""
    return {name: {column: [] for column in table.columns} for name, table in COUNTED.items()}


def _check_columns(profile: Mapping[str, Columns]) -> None:
    for name, table in COUNTED.items():
        if name not in profile or set(profile[name]) != set(table.columns):
            given = sorted(profile.get(name, {}))
            raise RecordError(f"table {name}: the core gives {given}, the record has {sorted(table.columns)}")


def _with_modules(functions: list[Function], modules: Sequence[ModuleFunction]) -> list[Function]:
    placed = enumerate(modules, start=len(functions))
    return [
        *functions,
        *(
            Function.outside(
                number,
                f"{one.name} [{one.module}]",
                f"(module {one.module})",
                start=one.start,
                size=one.size,
                section=one.section,
            )
            for number, one in placed
        ),
    ]


def _with_programs(nodes: Columns, functions: list[Function], programs: Columns | None) -> list[Function]:
    """The functions of the image, and behind them those that stand for programs of a kernel's.

    Contexts get their numbers.
    """
    if not programs:
        return functions
    known = {function: rest for function, *rest in zip(*programs.values(), strict=True)}
    met = dict.fromkeys(function for function in nodes["function"] if function in known)
    number_of = {function: len(functions) + place for place, function in enumerate(met)}
    nodes["function"] = [number_of.get(function, function) for function in nodes["function"]]
    return [
        *functions,
        *(Function.outside(number_of[one], _program(*known[one]), PROGRAM) for one in met),
    ]


def _with_folded(nodes: Columns, functions: list[Function]) -> list[Function]:
    """What stands above all that was folded, behind the functions, where there is any."""
    if FOLDED not in nodes["function"]:
        return functions
    number = len(functions)
    nodes["function"] = [number if function == FOLDED else function for function in nodes["function"]]
    return [*functions, Function.outside(number, FOLDED_NAME, FOLDED_NAME)]


def _program(pid: int, tgid: int, task: str) -> str:
    """The name of what stands for all code of a task's programs, known or not."""
    if pid < 0:
        return "(programs)"
    return f"(program {task}, process {pid})" if pid == tgid else f"(program {task}, thread {pid} of {tgid})"


def _functions(columns: Mapping[str, Columns], functions: list[Function], layers: Layers) -> Columns:
    nodes = columns["nodes"]
    of = sums_by_function(nodes, columns["instructions"])
    found: Columns = {name: [] for name in TABLES["functions"].columns}

    def add(number: int, *facts: str | int) -> None:
        row = (number, *facts, *of.get(number, NOTHING))
        for values, value in zip(found.values(), row, strict=True):
            values.append(value)

    if of.get(-1, NOTHING).instructions:
        add(-1, "(outside all functions)", "", 0, "", 0, 0, layers.names()[-1])
    for function in functions:
        origin, layer = function.origin, layers.of_function(function)
        add(
            function.id,
            function.name,
            origin.source,
            origin.line,
            function.section,
            function.start,
            function.size,
            layer,
        )
    return found


def _layers(columns: Mapping[str, Columns], layers: Layers) -> Columns:
    layer_of = columns["nodes"]["layer"]
    sums: dict[str, Counter[str]] = {name: Counter() for name in layers.names()}
    counted = columns["instructions"]
    for node, count, took in zip(counted["node"], counted["instructions"], counted["cycles"], strict=True):
        sums[layer_of[node]]["instructions"] += count
        sums[layer_of[node]]["cycles"] += took
    for table, kinds in (
        ("accesses", {"read": "reads", "write": "writes"}),
        ("io", {"read": "register_reads", "write": "register_writes"}),
    ):
        counted = columns[table]
        for node, direction, count in zip(
            counted["node"], counted["direction"], counted["count"], strict=True
        ):
            sums[layer_of[node]][kinds[direction]] += count
    measures = [name for name in TABLES["layers"].columns if name != "layer"]
    return {"layer": list(sums), **{name: [of[name] for of in sums.values()] for name in measures}}


def _dma(transfers: Columns, added_up: Columns | None) -> Columns:
    """Sums by channel and memory; `added_up` has the numbers of transfers of rows that stand for several."""
    key = ("device", "channel", "region", "direction", "width_bits")
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for *place, accesses, moved in zip(
        *(transfers[name] for name in (*key, "accesses", "bytes")), strict=True
    ):
        row = sums[tuple(place)]
        row[0] += 1
        row[1] += accesses
        row[2] += moved
    if added_up:
        for *place, count in zip(*(added_up[name] for name in (*key, "transfers")), strict=True):
            # One row stood for them so far.
            sums[tuple(place)][0] += count - 1
    ordered = sorted(sums.items())
    found: Columns = {name: [place[i] for place, _ in ordered] for i, name in enumerate(key)}
    for i, name in enumerate(("transfers", "accesses", "bytes")):
        found[name] = [row[i] for _, row in ordered]
    found["bytes_mean"] = [row[2] / row[0] for _, row in ordered]
    return found


def _console(serial: Mapping[str, SerialLog]) -> Columns:
    found: Columns = {name: [] for name in TABLES["console"].columns}
    for port, (times, directions, values) in sorted(serial.items()):
        characters = zip(directions, times, values, strict=True)
        for direction, run in groupby(characters, key=lambda character: character[0]):
            together = list(run)
            row = (port, direction, together[0][1], together[-1][1], bytes(value for _, _, value in together))
            for column, value in zip(found.values(), row, strict=True):
                column.append(value)
    return found


def _totals(columns: Mapping[str, Columns]) -> Totals:
    spans, counted, layers = columns["spans"], columns["instructions"], columns["layers"]
    cycles = sum(spans["end_cycle"]) - sum(spans["start_cycle"])
    times: Counter[int] = Counter()
    for core, start_ps, end_ps in zip(spans["core"], spans["start_ps"], spans["end_ps"], strict=True):
        times[core] += end_ps - start_ps
    totals = Totals(
        instructions=sum(spans["instructions"]),
        cycles=cycles,
        stopped_cycles=sum(spans["stopped_cycles"]),
        bus_held_cycles=sum(spans["bus_held_cycles"]),
        time_ps=max(times.values(), default=0),
        reads=sum(layers["reads"]),
        writes=sum(layers["writes"]),
        register_reads=sum(layers["register_reads"]),
        register_writes=sum(layers["register_writes"]),
        dma_bytes=sum(columns["dma"]["bytes"]),
        interrupts=sum(columns["interrupts"]["count"]),
    )
    _agree("instructions", "contexts", sum(counted["instructions"]), totals.instructions)
    _agree("instructions", "layers", sum(layers["instructions"]), totals.instructions)
    _agree("cycles", "contexts", sum(counted["cycles"]), totals.executing_cycles)
    return totals


def _agree(what: str, parts: str, sum_of_parts: int, total: int) -> None:
    if sum_of_parts != total:
        raise RecordError(f"the {what} of all {parts} sum up to {sum_of_parts}, the whole run has {total}")
