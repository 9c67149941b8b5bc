"""Sheets, platforms and mappings for the tests of pricing, and the worked example from the literature."""

from pathlib import Path
from typing import Any

from socscope.cli import app
from socscope.sheet import Sheet
from typer.testing import CliRunner

EXAMPLE = Path(__file__).parents[3] / "examples/create-thread"
SHEET = EXAMPLE / "create-thread.sheet.json"
SDRAM = EXAMPLE / "external-sdram.toml"
SRAM = EXAMPLE / "internal-sram.toml"
SECTIONS = EXAMPLE / "sections.toml"
LABEL = {"model": "m", "validated_against": "v", "known_error": "e", "leaves_out": "l"}

DETAILED_PLATFORM = """
name = "16-bit external"
core_mhz = 50
[memory.sram]
access_cycles = 1
[memory.ext]
fetch_ns = {n16 = 45.5, s16 = 30.3, n32 = 75.8, s32 = 60.6}
read_ns = 60
write_cycles = {8 = 4, n = 3, 32 = 5}
turnaround_cycles = 1
"""
DETAILED_MAPPING = """
[map]
text = "ext"
stack = "sram"
heap = "ext"
"""


def typed(*arguments: str | Path, status: int = 0) -> tuple[str, str]:
    """What a command prints: its result and its messages."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done.stdout, done.stderr


def count(
    section: str, operation: str, number: int | str, width: int | None = None, sequence: str | None = None
) -> dict[str, Any]:
    """A count as JSON."""
    return {
        "section": section, "operation": operation, "width": width, "sequence": sequence, "count": number,
    }  # fmt: skip


def part(name: str, *counts: dict[str, Any], **rest: Any) -> dict[str, Any]:  # noqa: ANN401 - any field.
    """A part as JSON."""
    return {"name": name, "counts": list(counts), **rest}


def service(name: str, *parts: dict[str, Any], names: str = "", **rest: Any) -> dict[str, Any]:  # noqa: ANN401
    """A service with one path as JSON, and parameters of these letters."""
    parameters = [{"name": one, "meaning": f"the {one}s", "minimum": 1, "maximum": 8} for one in names]
    return {
        "name": name,
        "parameters": parameters,
        "paths": [{"name": "worst", "parts": list(parts)}],
        **rest,
    }


def sheet(*services: dict[str, Any], name: str = "k", sections: str = "text stack heap") -> Sheet:
    """A sheet of services."""
    return Sheet.model_validate(
        {
            "kernel": {"name": name, "instruction_set": "arm"},
            "sections": [{"name": one, "kind": "data"} for one in sections.split()],
            "services": list(services),
            "accuracy": LABEL,
        }
    )


def detailed() -> Sheet:
    """One service with all that a detailed sheet holds."""
    return sheet(
        service(
            "send",
            part("1", count("text", "fetch", 4, 16, "nonsequential"), count("stack", "write", 2, 32)),
            part(
                "2",
                count("text", "fetch", "2*L", 16, "sequential"),
                count("heap", "read", 1, 32, "nonsequential"),
                count("heap", "write", 3, 8, "sequential"),
                count("heap", "write", 1, 16, "nonsequential"),
                repetition="N",
                blocking="interrupts",
                internal_cycles=5,
                taken_branches=7,
                turnarounds={"heap": 2},
            ),
            part("3", count("text", "fetch", 1, 32, "nonsequential"), blocking="scheduler"),
            names="NL",
        )
    )
