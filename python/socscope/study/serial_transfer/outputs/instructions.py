"""Instructions by class, module and function."""

from collections import defaultdict
from collections.abc import Sequence

from socscope.report import charts, summary
from socscope.report.page import layer_class
from socscope.study.serial_transfer.measures import Measured
from socscope.study.sheet import Sheet

FUNCTIONS_SHOWN = 25
# Classes in the overview, with headings short enough for a terminal.
CLASSES = {
    "application": "Appl. %",
    "kernel": "Kernel %",
    "character drivers": "Drivers %",
    "file system": "Files %",
}


def overview(by_size: Sequence[Measured], sent: Sequence[Measured]) -> Sheet:
    """The main numbers of each size."""
    rows = [
        {
            "role": measured.parameters.role,
            "size_bytes": measured.parameters.size_bytes,
            "overhead_percent": 100 * measured.transfer.overhead,
            "instructions_per_byte": measured.per_byte(measured.busy_instructions),
            **{
                name: 100 * measured.layers[name]["instructions"] / measured.busy_instructions
                for name in CLASSES
            },
            "cpi": measured.run.manifest.totals.cpi,
            "percent": 100 * measured.occupation,
            "seconds": measured.seconds,
        }
        for measured in (*by_size, *sent)
    ]
    return Sheet(
        "overview",
        "Overview",
        f"One file each at {by_size[0].parameters.clock_hz / 1e6:g} MHz. Extra: bytes on the line beyond "
        "the file. Classes: % of the instructions without idle. CPI: cycles that instructions took, the idle "
        "loop's too, without those of a stopped clock. Busy: processor neither asleep nor idle.",
        {
            "role": "Guest",
            "size_bytes": "Bytes",
            "overhead_percent": "Extra %",
            "instructions_per_byte": "Instr. a byte",
            **CLASSES,
            "cpi": "CPI, executing",
            "percent": "Busy %",
            "seconds": "Time, s",
        },
        rows,
    )


def classes(by_size: Sequence[Measured], sent: Sequence[Measured]) -> Sheet:
    """Outputs 2 and 3: instructions by class, their shares, and instructions for each byte."""
    rows = []
    for measured in (*by_size, *sent):
        total = measured.run.manifest.totals.instructions
        for name, row in measured.layers.items():
            busy = None if name == summary.IDLE else 100 * row["instructions"] / measured.busy_instructions
            rows.append(
                {
                    "role": measured.parameters.role,
                    "size_bytes": measured.parameters.size_bytes,
                    "class": name,
                    "instructions": row["instructions"],
                    "percent": 100 * row["instructions"] / total,
                    "percent_without_idle": busy,
                    "per_byte": measured.per_byte(row["instructions"]),
                }
            )
    drawn = [row for row in rows if row["role"] == "receive" and row["class"] != summary.IDLE]
    names = by_size[0].run.manifest.layer_names
    parts = [name for name in names if any(row["class"] == name for row in drawn)]
    colours = {name: layer_class(name, names) for name in parts}
    shares = charts.bars(
        drawn,
        x=("size_bytes", "file size, bytes"),
        y=("percent_without_idle", "share of instructions without idle, %"),
        part="class",
        parts=parts,
        classes=colours,
    )
    each = charts.lines(
        drawn,
        x=("size_bytes", "file size, bytes"),
        y=("per_byte", "instructions for each byte"),
        part="class",
        parts=parts,
        classes=colours,
        logarithmic=True,
    )
    return Sheet(
        "classes",
        "2. Instructions by class",
        "Library functions count to the class that called them. The second share leaves the idle loop out.",
        {
            "role": "Guest",
            "size_bytes": "File, bytes",
            "class": "Class",
            "instructions": "Instructions",
            "percent": "%",
            "percent_without_idle": "% without idle",
            "per_byte": "For each byte",
        },
        rows,
        {
            "Shares of the classes in files that the guest receives": shares,
            "Instructions for each byte of the payload": each,
        },
        folded=True,
    )


def modules(detail: Measured) -> Sheet:
    """Output 3: instructions for each byte by module, that is, by source file."""
    found = detail.query(
        """
        SELECT layer AS class, source AS module, sum(i.instructions)::BIGINT AS instructions
        FROM instructions i JOIN nodes n USING (node)
             JOIN (SELECT function, source FROM functions) USING (function)
        WHERE i.instructions > 0 GROUP BY ALL ORDER BY instructions DESC, class, module
        """
    )
    merged: dict[tuple[str, str], int] = defaultdict(int)
    for row in found:
        is_project = row["module"].startswith("guests/")
        merged[row["class"], row["module"] if is_project else "libraries"] += row["instructions"]
    rows = [
        {"class": layer, "module": module, "instructions": count, "per_byte": detail.per_byte(count)}
        for (layer, module), count in sorted(merged.items(), key=lambda item: (-item[1], item[0]))
    ]
    return Sheet(
        "modules",
        "3. Instructions for each byte, by module",
        f"{detail.parameters.size_bytes} bytes. Modules are source files; libraries stand by their callers.",
        {"class": "Class", "module": "Module", "instructions": "Instructions", "per_byte": "For each byte"},
        rows,
    )


def functions(detail: Measured) -> Sheet:
    """Output 3: the largest functions."""
    layers = summary.effective_layers(detail.run)
    largest, _ = summary.largest_functions(detail.run)
    total = detail.run.manifest.totals.instructions
    rows = [
        {
            "function": row["name"],
            "class": layers[row["function"]],
            "instructions": row["instructions"],
            "percent": 100 * row["instructions"] / total,
            "per_byte": detail.per_byte(row["instructions"]),
        }
        for row in largest[:FUNCTIONS_SHOWN]
    ]
    return Sheet(
        "functions",
        "3. Instructions for each byte, by largest functions",
        f"{detail.parameters.size_bytes} bytes. A library function that several classes call names them all.",
        {
            "function": "Function",
            "class": "Class",
            "instructions": "Instructions",
            "percent": "%",
            "per_byte": "For each byte",
        },
        rows,
    )
