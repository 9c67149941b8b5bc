"""Graphs as pictures, by the program `dot` of Graphviz."""

import shutil
import subprocess

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
    """The blocks of the entry's own context; what it calls is one box for each call."""
    lines = [STYLE]
    own = {node for node, block in graph.nodes(data=True) if node >= 0 and block["context"] == 0}
    shown: dict[int, str] = {node: f"b{node}" for node in own} | {-1: "end", -2: "stop"}
    names = {function: data["name"] for function, data in calls.nodes(data=True)}
    for node in sorted(own):
        lines.append(_block(f"b{node}", graph.nodes[node], graph.nodes[node]["steps"]))
    boxes: dict[int, str] = {}
    ways: dict[tuple[str, str, str], int] = {}
    returns: dict[str, set[tuple[str, int]]] = {}
    for start, end, way in graph.edges(data=True):
        if start in own and (end in shown):
            key = (shown[start], shown[end], way["kind"])
            ways[key] = ways.get(key, 0) + way["count"]
        elif start in own:
            context = graph.nodes[end]["context"]
            boxes.setdefault(context, f"c{context}")
            key = (shown[start], f"c{context}", "call")
            ways[key] = ways.get(key, 0) + way["count"]
            function = graph.nodes[end]["address"]
            lines.append(_call(f"c{context}", names.get(function, f"{function:#x}"), way["count"]))
        elif end in own:
            for context in boxes or [0]:
                returns.setdefault(f"c{context}", set())
            key = (f"@{start}", shown[end], "return")
            ways[key] = ways.get(key, 0) + way["count"]
    lines += _ways(graph, ways, boxes)
    for name, node, text in (("end", -1, "return"), ("stop", -2, "stop")):
        if node in graph:
            lines.append(f'{name} [label="{text}", shape=oval];')
    return _svg("digraph {\n" + "\n".join(lines) + "\n}")


def _ways(graph: networkx.DiGraph, ways: dict[tuple[str, str, str], int], boxes: dict[int, str]) -> list[str]:
    """Edges as text. A return comes from deep inside a call; its box is the one that can reach it."""
    entered: dict[str, set[int]] = {}
    for context, name in boxes.items():
        first = [n for n, block in graph.nodes(data=True) if n >= 0 and block["context"] == context]
        inside = set(first)
        for node in first:
            inside |= {n for n in networkx.descendants(graph, node) if n >= 0 and graph.nodes[n]["context"]}
            break
        entered[name] = inside
    joined: dict[tuple[str, str, str], int] = {}
    for (start, end, kind), count in ways.items():
        source = start
        if start.startswith("@"):
            node = int(start[1:])
            source = next((name for name, inside in entered.items() if node in inside), "")
            if not source:
                continue
        joined[source, end, kind] = joined.get((source, end, kind), 0) + count
    return [_way(start, end, kind, count) for (start, end, kind), count in joined.items()]


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


def _block(name: str, block: dict[str, object], steps: list[int]) -> str:
    count = block["count"]
    size = f"{len(steps)} instructions" if len(steps) != 1 else "1 instruction"
    parts = [f"{block['address']:#x}", str(block["source"]).rpartition("/")[2], size]
    if count:
        parts.append(f"{count} times")
    marked = f', color="{WORST}", fillcolor="{PALE}", penwidth=1.6' if count else ""
    label = "\\n".join(_quoted(part) for part in parts if part)
    return f'{name} [label="{label}"{marked}];'


def _call(name: str, function: str, count: int) -> str:
    marked = f', color="{WORST}", fillcolor="{PALE}", penwidth=1.6' if count else ""
    return f'{name} [label="{_quoted(function)}()", shape=component, style=filled{marked}];'


def _way(start: str, end: str, kind: str, count: int) -> str:
    style = []
    if count:
        style.append(f'color="{WORST}", penwidth=1.8, label="{count}"')
    if kind == "fall":
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
