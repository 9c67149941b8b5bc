"""Which part of the worst path runs took."""

from itertools import pairwise

import networkx

from socscope.characterize.static.facts import Place, Uncovered


def transitions(graph: networkx.DiGraph) -> set[tuple[int, int]]:
    """All pairs of addresses of which the second instruction may follow on the first."""
    found: set[tuple[int, int]] = set()
    for _, block in graph.nodes(data=True):
        found.update(pairwise(block["steps"]))
    for start, end, way in graph.edges(data=True):
        steps = graph.nodes[start]["steps"]
        if steps and end >= 0:
            target = way["address"] if way["address"] is not None else graph.nodes[end]["address"]
            found.add((steps[-1], target))
    return found


def uncovered(graph: networkx.DiGraph, transitions: frozenset[tuple[int, int]]) -> list[Uncovered]:
    """Stretches and jumps of the worst path that no run took; each place once, in the order of addresses."""
    executed = {address for transition in transitions for address in transition}
    found: dict[int, Uncovered] = {}
    for _, block in graph.nodes(data=True):
        steps = block["steps"]
        if not block["count"] or not steps:
            continue
        place = Place(steps[0], block["function"], block["source"])
        if steps[0] not in executed:
            found[steps[0]] = Uncovered(place, f"{len(steps)} instructions that no run executed")
    for start, end, way in graph.edges(data=True):
        steps = graph.nodes[start]["steps"]
        if not way["count"] or not steps or end < 0:
            continue
        target = way["address"] if way["address"] is not None else graph.nodes[end]["address"]
        last = steps[-1]
        if steps[0] in found or target in found or (last, target) in transitions:
            continue
        place = Place(last, graph.nodes[start]["function"], graph.nodes[start]["source"])
        found[last] = Uncovered(place, f"the way from here to {target:#x}, which no run took")
    return [found[address] for address in sorted(found)]
