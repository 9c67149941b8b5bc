"""Writes the reference pages that are made from the code: models, commands, tables, the checkpoint format."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from socscope import _core
from socscope.cli.catalogue import field_row
from socscope.record.tables import TABLES
from socscope.sheet import file as sheet_file
from sources import block, commented, module_comment


def table(columns: list[str], rows: list[list[str]]) -> str:
    """Returns a table in Markdown, or nothing for no rows."""
    if not rows:
        return ""
    lines = [columns, ["---"] * len(columns), *rows]
    return (
        "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines) + "\n"
    )


def register_row(register: dict[str, Any]) -> list[str]:
    """Returns a register's line; an array shows its size and stride."""
    name, offset = register["name"], f"0x{register['offset']:02X}"
    if register["count"] > 1:
        name += f"[0..{register['count'] - 1}]"
        offset += f" + 0x{register['stride']:X}·n"
    return [
        offset,
        name,
        register["permission"],
        f"0x{register['reset']:X}",
        register["group"],
        register["summary"],
    ]


def device_page(model: dict[str, Any]) -> str:
    """Returns the manual page of one device model."""
    lines = {"inputs": "Input lines", "outputs": "Output lines", "ports": "Ports"}
    return "\n".join(
        [
            f"## {model['title']}\n",
            f"Compatible: {', '.join(f'`{name}`' for name in model['compatible'])}\n",
            f"After: {model['data_sheet']}\n",
            f"Left out: {model['limits']}\n",
            *(f"{title}: {', '.join(model[key])}\n" for key, title in lines.items() if model[key]),
            table(
                ["Property", "Meaning"],
                [[f"`{name}`", meaning] for name, meaning in model["properties"].items()],
            ),
            table(
                ["Offset", "Register", "Access", "Reset", "Group", "Purpose"],
                [register_row(register) for register in model["registers"]],
            ),
            table(
                ["Register", "Bits", "Field", "Access", "Purpose"],
                [
                    field_row(register, field)
                    for register in model["registers"]
                    for field in register["fields"]
                ],
            ),
        ]
    )


def devices_page() -> str:
    """Returns the manual of all device models."""
    models = sorted(_core.device_models(), key=lambda model: str(model["title"]))
    return "# Device models\n\n" + "\n".join(device_page(model) for model in models)


def tables_page() -> str:
    """Returns the tables of a run record, column by column."""
    pages = ["# Tables of a run record\n"]
    for name, described in TABLES.items():
        rows = [[f"`{column}`", str(kind), meaning] for column, (kind, meaning) in described.columns.items()]
        pages.append(
            f"## {name}\n\nA row is {described.row}.\n\n{table(['Column', 'Type', 'Meaning'], rows)}"
        )
    return "\n".join(pages)


CHECKPOINT = "crates/checkpoint/src/file"
FIELD, PART, MESSAGE = r"pub (\w+):", r"(\w+):", r'#\[error\(\s*"((?:[^"\\]|\\.)*)"'


def checkpoint_page() -> str:
    """Returns the format of checkpoint files: layout, sections, facts, and what is refused."""
    contents = f"{CHECKPOINT}/contents.rs"
    parts = commented(block("crates/machine/src/state/snapshot/saved.rs", "\nparts! {"), PART)
    facts = commented(block(contents, "pub struct Facts {"), FIELD)
    machine = commented(block(contents, "pub struct MachineFacts {"), FIELD)
    errors = commented(block(f"{CHECKPOINT}/error.rs", "pub enum CheckpointError {"), MESSAGE)
    return "\n".join(
        [
            "# Checkpoint files\n",
            module_comment(f"{CHECKPOINT}/mod.rs"),
            "",
            "## The state of a machine\n",
            table(["Section", "What it holds"], [[f"`N/{name}`", meaning] for name, meaning in parts]),
            "## Facts\n\n`socscope checkpoint info --json` says them, without restoring anything.\n",
            table(["Fact", "Meaning"], [[f"`{name}`", meaning] for name, meaning in facts]),
            "Of each machine:\n",
            table(["Fact", "Meaning"], [[f"`{name}`", meaning] for name, meaning in machine]),
            "## What is refused\n",
            table(["Why", "Message"], [[meaning, f"`{message}`"] for message, meaning in errors]),
        ]
    )


def commands_page() -> str:
    """Returns the reference of the commands, as the command line describes itself."""
    said = subprocess.run(
        [sys.executable, "-m", "typer", "socscope.cli", "utils", "docs", "--name", "socscope"],
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout


def write(folder: Path) -> None:
    """Writes all pages into the folder; those that did not change keep their time stamp."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "checkpoint.md": checkpoint_page(),
        "commands.md": commands_page(),
        "devices.md": devices_page(),
        "tables.md": tables_page(),
        # Kept with the sources, for those who read sheets without Socscope.
        "../sheet.schema.json": sheet_file.schema(),
    }
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
