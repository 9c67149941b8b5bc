"""What a run touched without a model, said on the terminal."""

import re
from typing import TYPE_CHECKING

from socscope.cli.output import STATUS

if TYPE_CHECKING:
    from socscope.record import Run
    from socscope.simulation import Simulation

NODES_SHOWN = 8


def tell(simulation: "Simulation", record: "Run | None") -> None:
    """Says which nodes without a model were accessed, how often, and where all of it is listed."""
    nodes = counted(simulation.machine.unmodelled())
    if not nodes:
        return
    STATUS.print("What was accessed is not modelled, so results may be wrong:", style="yellow")
    for node, kinds in list(nodes.items())[:NODES_SHOWN]:
        told = ", ".join(f"{count:,} {kind}{'' if count == 1 else 's'}" for kind, count in kinds.items())
        STATUS.print(f"  {node}: {told}", markup=False, style="yellow")
    if len(nodes) > NODES_SHOWN:
        STATUS.print(f"  and {len(nodes) - NODES_SHOWN} others", style="yellow")
    where = (
        f"{record.folder}/manifest.json lists the addresses, under warnings"
        if record is not None
        else "with --profile or --out a record lists the addresses, under warnings of its manifest.json"
    )
    STATUS.print(where, markup=False, style="yellow")


def counted(touched: dict[str, int]) -> dict[str, dict[str, int]]:
    """Accesses by node and kind, the node with the most first."""
    nodes: dict[str, dict[str, int]] = {}
    for what, count in touched.items():
        node, _, kind = what.rpartition(": ")
        nodes.setdefault(re.sub(r" \(no model\)$", "", node), {})[kind] = count
    return dict(sorted(nodes.items(), key=lambda item: (-sum(item[1].values()), item[0])))
