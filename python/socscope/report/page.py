"""Renders a run record as one HTML page that needs nothing else."""

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from socscope.record import Run, integrity
from socscope.report import summary
from socscope.report.words import cell, count, fixed, percent, seconds

FOLDER = Path(__file__).parent


def environment(*folders: Path) -> Environment:
    """The templates, of other folders too, and how numbers are written in them."""
    made = Environment(
        loader=FileSystemLoader([FOLDER, *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "count": count,
        "fixed": fixed,
        "percent": percent,
        "seconds": seconds,
        "cell": cell,
    }
    made.globals |= {"style": asset(FOLDER / "page.css"), "layer_class": layer_class}
    return made


def render(run: Run) -> str:
    """The page of a run, whose tables must hold together."""
    integrity.check(run)
    functions, functions_left_out = summary.largest_functions(run)
    template = environment().get_template("run.html")
    return template.render(
        run=run,
        manifest=run.manifest,
        totals=run.manifest.totals,
        layers=run.manifest.layer_names,
        instruction_shares=summary.layer_shares(run, "instructions"),
        time_shares=summary.time_shares(run),
        cores=summary.cores(run),
        occupation=summary.occupation(run),
        functions=functions,
        functions_left_out=functions_left_out,
        effective_layers=summary.effective_layers(run),
        accesses=summary.accesses_by_layer(run),
        registers=summary.registers(run),
        serial_lines=summary.serial_lines(run),
        flame=embedded_json(summary.flame(run)),
        flame_script=asset(FOLDER / "flame.js"),
    )


def layer_class(layer: str, layers: list[str]) -> str:
    """The class that gives a layer its colour."""
    if layer in (summary.IDLE, summary.STOPPED, "other"):
        return "idle"
    coloured = [name for name in layers if name not in (summary.IDLE, "other")]
    return f"c{coloured.index(layer) % 8}" if layer in coloured else "c7"


def asset(path: Path) -> Markup:
    """A file of ours that becomes part of the page as it stands."""
    return Markup(path.read_text(encoding="utf-8"))


def embedded_json(value: dict[str, Any]) -> Markup:
    """JSON that cannot end the script element it stands in."""
    return Markup(json.dumps(value, separators=(",", ":")).replace("<", "\\u003c"))
