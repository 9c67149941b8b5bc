"""Graphs as pictures, by the program `dot` of Graphviz."""

import shutil
import subprocess
from typing import Any

import networkx

from socscope.errors import CharacterizeError

INK, WORST, PALE = "#334155", "#c2410c", "#fff7ed"
TIME_MAX_S = 120
STYLE = (
    f"graph [rankdir=TB, bgcolor=transparent, nodesep=0.25, ranksep=0.35];\n"
    f'node [shape=box, style="rounded,filled", fillcolor=white, color="{INK}", fontname="Helvetica", '
    f'fontsize=10, margin="0.1,0.05"];\n'
    f'edge [color="{INK}", fontname="Helvetica", fontsize=9, arrowsize=0.6];\n'
)


def control_flow(graph: networkx.DiGraph, calls: networkx.DiGraph) -> str:
    """The blocks of the entry's own context; each call that it makes is one box."""
    lines = [STYLE]
    names = {function: data["name"] for function, data in calls.nodes(data=True)}
    boxes: dict[int, tuple[str, int]] = {}
    ways: dict[tuple[str, str, bool], int] = {}
    for node, block in sorted(graph.nodes(data=True)):
        if node >= 0 and not block["call"]:
            lines.append(_block(_name(node, block), block, block["steps"]))
    for start, end, way in graph.edges(data=True):
        begin, after = graph.nodes[start], graph.nodes[end]
        if begin["call"] and begin["call"] == after["call"]:
            continue
        if after["call"]:
            address = after["address"]
            _, count = boxes.get(after["call"], ("", 0))
            boxes[after["call"]] = (names.get(address, f"{address:#x}"), count + way["count"])
        key = (_name(start, begin), _name(end, after), way["kind"] == "fall")
        ways[key] = ways.get(key, 0) + way["count"]
    lines += [_call(f"c{call}", function, count) for call, (function, count) in boxes.items()]
    lines += [_way(start, end, falls, count) for (start, end, falls), count in ways.items()]
    for node, text in ((-1, "return"), (-2, "stop")):
        if node in graph:
            lines.append(f'{_name(node, graph.nodes[node])} [label="{text}", shape=oval];')
    return _svg("digraph {\n" + "\n".join(lines) + "\n}")


def _name(node: int, block: dict[str, Any]) -> str:
    if node < 0:
        return f"e{-node}"
    return f"c{block['call']}" if block["call"] else f"b{node}"


def call_graph(calls: networkx.DiGraph) -> str:
    """Functions and their calls."""
    lines = [STYLE]
    for function, data in calls.nodes(data=True):
        lines.append(f'f{function} [label="{_quoted(data["name"])}"];')
    for caller, function, data in calls.edges(data=True):
        sites = len(data.get("sites", ()))
        label = f' [label="{sites} places"]' if sites > 1 else ""
        lines.append(f"f{caller} -> f{function}{label};")
    return _svg("digraph {\n" + "\n".join(lines) + "\n}")


def _block(name: str, block: dict[str, Any], steps: list[int]) -> str:
    count = block["count"]
    marked = f', color="{WORST}", fillcolor="{PALE}", penwidth=1.6' if count else ""
    if not steps:
        return f'{name} [label="if", shape=diamond, style=filled, margin=0{marked}];'
    size = f"{len(steps)} instructions" if len(steps) != 1 else "1 instruction"
    parts = [f"{block['address']:#x}", str(block["source"]).rpartition("/")[2], size]
    if count:
        parts.append(f"{count} times" if count > 1 else "once")
    label = "\\n".join(_quoted(part) for part in parts if part)
    return f'{name} [label="{label}"{marked}];'


def _call(name: str, function: str, count: int) -> str:
    marked = f', color="{WORST}", fillcolor="{PALE}", penwidth=1.6' if count else ""
    return f'{name} [label="{_quoted(function)}()", shape=component, style=filled{marked}];'


def _way(start: str, end: str, falls: bool, count: int) -> str:
    style = []
    if count:
        style.append(f'color="{WORST}", penwidth=1.8, label="{count}"')
    if falls:
        style.append("weight=4")
    return f"{start} -> {end} [{', '.join(style)}];"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _svg(text: str) -> str:
    dot = shutil.which("dot")
    if dot is None:
        raise CharacterizeError(
            "pictures of graphs need the program dot, which is not on PATH: install Graphviz "
            "(Debian and Ubuntu: apt-get install graphviz)"
        )
    try:
        done = subprocess.run(
            [dot, "-Tsvg"], input=text, capture_output=True, text=True, timeout=TIME_MAX_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise CharacterizeError(
            f"dot has not drawn the graph within {TIME_MAX_S} s; it is too large"
        ) from None
    if done.returncode != 0:
        raise CharacterizeError(f"dot has not drawn the graph: {done.stderr.strip()[:200]}")
    return done.stdout
