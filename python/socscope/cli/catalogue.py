"""What there is: platforms and device models."""

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from socscope import platform
from socscope.cli.output import OUT, Json, command, print_json
from socscope.errors import SocscopeError


@command
def platforms(as_json: Json = False) -> None:
    """List the platforms that come with Socscope."""
    rows = []
    for name in platform.names():
        loaded = platform.load(name)
        compatible = loaded.property("/", "compatible") or ""
        rows.append(
            {
                "name": name,
                "model": loaded.property("/", "model") or "",
                "compatible": compatible.split(),
                "path": str(platform.find(name)),
            }
        )
    if as_json:
        print_json(rows)
        return
    table = Table("Platform", "Model", "Device tree", box=box.SIMPLE)
    for row in rows:
        table.add_row(str(row["name"]), str(row["model"]), str(row["path"]))
    OUT.print(table)


@command
def devices(
    name: Annotated[
        str | None, typer.Argument(help="Part of a title or `compatible`: shows the manual pages.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the device models and the nodes that a platform may have, or show the manual pages of some."""
    # The compiled module is loaded only where it is needed: the other commands work without it.
    from socscope import _core  # noqa: PLC0415

    models = sorted(_core.device_models(), key=lambda model: str(model["title"]))
    nodes = _core.node_models()
    if name is not None:
        models = [model for model in models if _matches(model, name.lower())]
        nodes = [node for node in nodes if name.lower() in node["title"] or name in node["properties"]]
        if not models and not nodes:
            raise SocscopeError(f"{name}: no device model has this in its title or compatible")
    if as_json:
        print_json([*models, *nodes])
    elif name is None:
        table = Table("Device", "Compatible", "Registers", box=box.SIMPLE)
        for model in models:
            count = sum(register["count"] for register in model["registers"])
            table.add_row(model["title"], "\n".join(model["compatible"]), str(count))
        OUT.print(table)
        table = Table("Other nodes of a tree", "Which they are", "Properties", box=box.SIMPLE)
        for node in nodes:
            table.add_row(node["title"], node["found_by"], str(len(node["properties"])))
        OUT.print(table)
    else:
        for model in models:
            _manual_page(model)
        for node in nodes:
            _node_page(node)


def _matches(model: dict[str, Any], text: str) -> bool:
    return any(
        text in known.lower() for known in (model["title"], *model["compatible"], *model["properties"])
    )


def _manual_page(model: dict[str, Any]) -> None:
    OUT.print(model["title"], style="bold")
    facts = [
        ("Compatible", ", ".join(model["compatible"])),
        ("After", model["data_sheet"]),
        ("Leaves out", model["limits"]),
        ("Inputs", ", ".join(model["inputs"])),
        ("Outputs", ", ".join(model["outputs"])),
        ("Ports", ", ".join(model["ports"])),
        *((f"Property {name}", meaning) for name, meaning in model["properties"].items()),
    ]
    for title, text in facts:
        if text:
            OUT.print(f"{title}: {text}", markup=False)
    table = Table("Offset", "Register", "Access", "Reset", "Group", "Purpose", box=box.SIMPLE)
    for register in model["registers"]:
        several = register["count"] > 1
        table.add_row(
            f"{register['offset']:#04x}" + (f" + {register['stride']:#x}·n" if several else ""),
            register["name"] + (f"0..{register['count'] - 1}" if several else ""),
            register["permission"],
            f"{register['reset']:#x}",
            register["group"],
            register["summary"],
        )
    OUT.print(table)
    fields = Table("Register", "Bits", "Field", "Access", "Purpose", box=box.SIMPLE)
    for register in model["registers"]:
        for field in register["fields"]:
            fields.add_row(*field_row(register, field))
    if fields.row_count:
        OUT.print(fields)


def _node_page(node: dict[str, Any]) -> None:
    OUT.print(node["title"].capitalize(), style="bold")
    OUT.print(f"Which: {node['found_by']}", markup=False)
    for name, meaning in node["properties"].items():
        OUT.print(f"Property {name}: {meaning}", markup=False)
    OUT.print()


def field_row(register: dict[str, Any], field: dict[str, Any]) -> list[str]:
    """A field's line: register, highest and lowest bit, name, access, purpose."""
    first, last = field["lsb"], field["lsb"] + field["width"] - 1
    bits = str(first) if first == last else f"{last}:{first}"
    access = "one clears" if field["on_write"] == "one-clears" else field["access"]
    return [register["name"], bits, field["name"], access, field["summary"]]
