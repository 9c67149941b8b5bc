"""What the report says of a run: its tables summed up for people."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from socscope.layers import OTHER
from socscope.record import Run

FUNCTIONS_SHOWN = 40
STOPPED = "core stopped"
IDLE = "idle"


@dataclass(frozen=True)
class Share:
    """A part of a whole."""

    name: str
    count: int
    fraction: float


def shares(counts: dict[str, int]) -> list[Share]:
    """Parts of their sum; those without a count are left out."""
    whole = sum(counts.values())
    return [Share(name, count, count / whole) for name, count in counts.items() if count]


def layer_shares(run: Run, measure: str) -> list[Share]:
    """Shares of the layers in the order of the rules."""
    return shares({row["layer"]: row[measure] for row in run.rows("layers")})


@dataclass(frozen=True)
class CoreShare:
    """What one core of several did in the window."""

    core: int
    instructions: int
    exceptions: int
    cycles: int
    stopped_cycles: int
    bus_held_cycles: int

    @property
    def stopped(self) -> float:
        """Fraction of its cycles in which its clock was off."""
        return self.stopped_cycles / self.cycles if self.cycles else 0.0


def cores(run: Run) -> list[CoreShare]:
    """What each core did; nothing of a machine with one."""
    spans = [row for row in run.rows("spans") if "core" in row]
    numbers = sorted({row["core"] for row in spans})
    if len(numbers) < 2:
        return []
    taken = run.rows("exceptions")
    found = []
    for number in numbers:
        own = [row for row in spans if row["core"] == number]
        found.append(
            CoreShare(
                number,
                instructions=sum(row["instructions"] for row in own),
                exceptions=sum(row["count"] for row in taken if row["core"] == number),
                cycles=sum(row["end_cycle"] - row["start_cycle"] for row in own),
                stopped_cycles=sum(row["stopped_cycles"] for row in own),
                bus_held_cycles=sum(row["bus_held_cycles"] for row in own),
            )
        )
    return found


def time_shares(run: Run) -> list[Share]:
    """Where the window's cycles went: layers, DMA on the bus, the stopped core."""
    totals = run.manifest.totals
    cycles = {row["layer"]: row["cycles"] for row in run.rows("layers")}
    return shares({**cycles, "DMA on the bus": totals.bus_held_cycles, STOPPED: totals.stopped_cycles})


def occupation(run: Run) -> float:
    """Fraction of the window in which the core had work: neither stopped nor in the idle layer."""
    totals = run.manifest.totals
    idle = sum(row["cycles"] for row in run.rows("layers") if row["layer"] == IDLE)
    return 1 - (totals.stopped_cycles + idle) / totals.cycles if totals.cycles else 0.0


def largest_functions(run: Run) -> tuple[list[dict[str, Any]], int]:
    """Functions by their instructions, and the number of those that executed but are not shown."""
    ran = [row for row in run.rows("functions") if row["instructions"]]
    ran.sort(key=lambda row: (-row["instructions"], row["function"]))
    return ran[:FUNCTIONS_SHOWN], max(len(ran) - FUNCTIONS_SHOWN, 0)


def effective_layers(run: Run) -> dict[int, str]:
    """For each function the layers that its instructions counted to, the largest first."""
    layer_of = {row["node"]: (row["function"], row["layer"]) for row in run.rows("nodes")}
    counts: dict[int, Counter[str]] = {}
    for row in run.rows("instructions"):
        function, layer = layer_of[row["node"]]
        counts.setdefault(function, Counter())[layer] += row["instructions"]
    return {
        function: ", ".join(layer for layer, _ in sorted(of.items(), key=lambda item: (-item[1], item[0])))
        for function, of in counts.items()
    }


def accesses_by_layer(run: Run) -> list[dict[str, Any]]:
    """Data accesses by layer and region, with widths and directions as columns."""
    return run.query(
        """
        SELECT layer, region,
               sum(count) FILTER (direction = 'read' AND width_bits = 8)::BIGINT AS read_8,
               sum(count) FILTER (direction = 'read' AND width_bits = 16)::BIGINT AS read_16,
               sum(count) FILTER (direction = 'read' AND width_bits = 32)::BIGINT AS read_32,
               sum(count) FILTER (direction = 'write' AND width_bits = 8)::BIGINT AS write_8,
               sum(count) FILTER (direction = 'write' AND width_bits = 16)::BIGINT AS write_16,
               sum(count) FILTER (direction = 'write' AND width_bits = 32)::BIGINT AS write_32,
               sum(count)::BIGINT AS total
        FROM accesses JOIN nodes USING (node) GROUP BY ALL ORDER BY total DESC, layer, region
        """
    ).to_pylist()


def registers(run: Run) -> list[dict[str, Any]]:
    """Register accesses by device, group and register."""
    return run.query(
        """
        SELECT device, "group", register,
               coalesce(sum(count) FILTER (direction = 'read'), 0)::BIGINT AS reads,
               coalesce(sum(count) FILTER (direction = 'write'), 0)::BIGINT AS writes
        FROM io GROUP BY ALL ORDER BY device, "group", register
        """
    ).to_pylist()


def flame(run: Run) -> dict[str, Any]:
    """The tree of contexts as columns: parent, function, layer, own instructions and cycles."""
    own: dict[int, list[int]] = {}
    for row in run.rows("instructions"):
        counts = own.setdefault(row["node"], [0, 0])
        counts[0] += row["instructions"]
        counts[1] += row["cycles"]
    names = {row["function"]: row["name"] for row in run.rows("functions")}
    nodes = run.rows("nodes")
    needed = set(own)
    for row in reversed(nodes):
        if row["node"] in needed and row["parent"] >= 0:
            needed.add(row["parent"])
    kept = [row for row in nodes if row["node"] in needed]
    several = sorted({row["core"] for row in kept if "core" in row})
    if len(several) > 1:
        kept = _below_cores(kept, several)
        names |= {_core_number(core): f"core {core}" for core in several}
    place = {row["node"]: index for index, row in enumerate(kept)}
    functions = sorted({row["function"] for row in kept})
    number = {function: index for index, function in enumerate(functions)}
    layers = run.manifest.layer_names
    return {
        "functions": [names.get(function, "(outside all functions)") for function in functions],
        "layers": layers,
        "parent": [place.get(row["parent"], -1) for row in kept],
        "function": [number[row["function"]] for row in kept],
        "layer": [layers.index(row["layer"]) for row in kept],
        "entry": [row["entry"] for row in kept],
        "instructions": [own.get(row["node"], [0, 0])[0] for row in kept],
        "cycles": [own.get(row["node"], [0, 0])[1] for row in kept],
    }


def _core_number(core: int) -> int:
    """What stands for a core among the functions and contexts."""
    return -2 - core


def _below_cores(nodes: list[dict[str, Any]], cores: list[int]) -> list[dict[str, Any]]:
    """The contexts, with a root for each core."""
    root = {"parent": -1, "layer": OTHER, "entry": "root"}
    roots = [{**root, "node": _core_number(core), "function": _core_number(core)} for core in cores]
    below = [
        {**row, "parent": row["parent"] if row["parent"] >= 0 else _core_number(row["core"])} for row in nodes
    ]
    return roots + below


def serial_lines(run: Run) -> list[dict[str, Any]]:
    """Characters on each serial port."""
    return run.query(
        """
        SELECT port, coalesce(sum(octet_length(bytes)) FILTER (direction = 'in'), 0)::BIGINT AS received,
               coalesce(sum(octet_length(bytes)) FILTER (direction = 'out'), 0)::BIGINT AS sent
        FROM console GROUP BY port ORDER BY port
        """
    ).to_pylist()
