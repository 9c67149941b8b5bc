"""The outputs of the study as sheets, in the order of the question."""

from collections import defaultdict
from collections.abc import Sequence

from socscope.report import charts, summary
from socscope.report.page import layer_class
from socscope.study.kermit.overhead import ORIGINS
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
        "the file. Classes: % of the instructions without idle. Busy: processor neither asleep nor idle.",
        {
            "role": "Guest",
            "size_bytes": "Bytes",
            "overhead_percent": "Extra %",
            "instructions_per_byte": "Instr. a byte",
            **CLASSES,
            "cpi": "CPI",
            "percent": "Busy %",
            "seconds": "Time, s",
        },
        rows,
    )


def overhead(by_size: Sequence[Measured], sent: Sequence[Measured]) -> Sheet:
    """Output 1: bytes on the line that are not payload, by their origin."""
    rows = []
    for measured in (*by_size, *sent):
        transfer, parameters = measured.transfer, measured.parameters
        for origin in ORIGINS:
            ways = transfer.bytes_by_origin[origin]
            rows.append(
                {
                    "role": parameters.role,
                    "size_bytes": parameters.size_bytes,
                    "origin": origin,
                    "bytes_to_guest": ways["in"],
                    "bytes_from_guest": ways["out"],
                    "percent": 100 * transfer.share(origin),
                }
            )
    drawn = [row for row in rows if row["role"] == "receive"]
    picture = charts.bars(
        drawn,
        x=("size_bytes", "file size, bytes"),
        y=("percent", "overhead, % of the payload"),
        part="origin",
        parts=ORIGINS,
    )
    return Sheet(
        "overhead",
        "1. Protocol overhead",
        "Bytes on the line beyond the payload, by origin. Transcoding is what prefixes add to the data. "
        "Session set-up includes its answers and its end.",
        {
            "role": "Guest",
            "size_bytes": "File, bytes",
            "origin": "Origin",
            "bytes_to_guest": "Bytes to the guest",
            "bytes_from_guest": "Bytes from the guest",
            "percent": "% of the payload",
        },
        rows,
        {"Overhead of files that the guest receives": picture},
        folded=True,
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


def accesses(detail: Measured) -> Sheet:
    """Output 4: data accesses to main memory by class and width, and their ratio to instructions."""
    found = detail.query(
        """
        SELECT layer AS class, width_bits,
               coalesce(sum(count) FILTER (direction = 'read'), 0)::BIGINT AS reads,
               coalesce(sum(count) FILTER (direction = 'write'), 0)::BIGINT AS writes
        FROM accesses JOIN nodes USING (node)
        WHERE region NOT IN (SELECT device FROM io) GROUP BY ALL ORDER BY class, width_bits
        """
    )
    rows = [
        {
            **row,
            "accesses": row["reads"] + row["writes"],
            "per_instruction": (row["reads"] + row["writes"]) / detail.layers[row["class"]]["instructions"],
            "width": f"{row['width_bits']} bit",
        }
        for row in found
    ]
    widths = ["8 bit", "16 bit", "32 bit"]
    picture = charts.bars(
        rows,
        x=("class", "class"),
        y=("accesses", "data accesses"),
        part="width",
        parts=widths,
    )
    return Sheet(
        "accesses",
        "4. Data accesses to main memory",
        f"{detail.parameters.size_bytes} bytes. Accesses of the processor to RAM, ROM and on-chip SRAM, "
        "without those to device registers and without DMA.",
        {
            "class": "Class",
            "width_bits": "Width, bits",
            "reads": "Reads",
            "writes": "Writes",
            "per_instruction": "For each instruction of the class",
        },
        rows,
        {"Data accesses by class and width": picture},
    )


def registers(detail: Measured) -> Sheet:
    """Output 5: register accesses by device, and by register group."""
    rows = detail.query(
        """
        SELECT device, "group", coalesce(sum(count) FILTER (direction = 'read'), 0)::BIGINT AS reads,
               coalesce(sum(count) FILTER (direction = 'write'), 0)::BIGINT AS writes
        FROM io GROUP BY ALL ORDER BY device, "group"
        """
    )
    for row in rows:
        row["per_byte"] = detail.per_byte(row["reads"] + row["writes"])
    link = [
        {"group": row["group"], "direction": direction, "count": row[direction]}
        for row in rows
        if row["device"] == "usart1"
        for direction in ("reads", "writes")
    ]
    picture = charts.bars(
        link,
        x=("group", "register group of the link's UART"),
        y=("count", "accesses"),
        part="direction",
        parts=["reads", "writes"],
    )
    return Sheet(
        "registers",
        "5. Register accesses",
        f"{detail.parameters.size_bytes} bytes. The UART of the link is usart1; usart0 is the console.",
        {
            "device": "Device",
            "group": "Register group",
            "reads": "Reads",
            "writes": "Writes",
            "per_byte": "Accesses for each byte",
        },
        rows,
        {"Accesses to the link's UART": picture},
    )


def dma(by_size: Sequence[Measured], sent: Sequence[Measured]) -> Sheet:
    """Output 6: DMA transfers of the link by direction."""
    rows = [
        {
            "role": measured.parameters.role,
            "size_bytes": measured.parameters.size_bytes,
            **{name: row[name] for name in ("device", "channel", "transfers", "bytes", "bytes_mean")},
        }
        for measured in (*by_size, *sent)
        for row in measured.run.rows("dma")
    ]
    return Sheet(
        "dma",
        "6. DMA transfers",
        "Transfers of the peripheral data controller; those of usart0 carry the application's messages.",
        {
            "role": "Guest",
            "size_bytes": "File, bytes",
            "device": "Device",
            "channel": "Channel",
            "transfers": "Transfers",
            "bytes": "Bytes",
            "bytes_mean": "Mean length, bytes",
        },
        rows,
    )


def occupation(by_clock: Sequence[Measured]) -> Sheet:
    """Output 7: how much of the processor the transfer takes, from 10 to 40 MHz."""
    rows = []
    for measured in by_clock:
        totals = measured.run.manifest.totals
        rows.append(
            {
                "clock_mhz": measured.parameters.clock_hz / 1e6,
                "seconds": measured.seconds,
                "instructions": totals.instructions,
                "cpi": totals.cpi,
                "busy_cycles": measured.busy_cycles,
                "percent": 100 * measured.occupation,
                "series": "measured",
            }
        )
    picture = charts.lines(
        rows,
        x=("clock_mhz", "processor clock, MHz"),
        y=("percent", "processor occupied, %"),
        part="series",
        parts=["measured"],
    )
    label = by_clock[0].run.manifest.timing
    return Sheet(
        "occupation",
        "7. Occupation of the processor",
        f"{by_clock[0].parameters.size_bytes} bytes, each clock run by itself. Occupied is the time in which "
        "the core neither sleeps nor runs the idle loop. The clocks are those whose baud rate divisor gives "
        "115.2 kbit/s (at 40 MHz it is 1.4 % off). The guest of each clock is built for it and sets the wait "
        "states that its memories need there, which shows in the cycles for each instruction. "
        f"Cycles: {label.model}; checked against {label.validated_against}; leaves out {label.leaves_out}.",
        {
            "clock_mhz": "Clock, MHz",
            "seconds": "Time, s",
            "instructions": "Instructions",
            "cpi": "Cycles for each instruction",
            "busy_cycles": "Occupied cycles",
            "percent": "Occupied, %",
        },
        rows,
        {"Processor occupied by the transfer": picture},
    )


def variants(base: Measured, others: Sequence[Measured]) -> Sheet:
    """Output 8: what other buffer sizes, packets and encodings change."""
    rows = []
    usual = base.parameters.values()
    for measured in (base, *others):
        changed = {
            name: value for name, value in measured.parameters.values().items() if value != usual[name]
        }
        totals = measured.run.manifest.totals
        rows.append(
            {
                "variant": ", ".join(f"{name} {value}" for name, value in changed.items()) or "as it is",
                "instructions_per_byte": measured.per_byte(measured.busy_instructions),
                "busy_cycles_per_byte": measured.per_byte(measured.busy_cycles),
                "interrupts": totals.interrupts,
                "seconds": measured.seconds,
                "line_bytes": measured.transfer.line_bytes,
                "percent": 100 * measured.occupation,
            }
        )
    return Sheet(
        "variants",
        "8. What would help",
        f"{base.parameters.size_bytes} bytes, one thing changed at a time.",
        {
            "variant": "Variant",
            "instructions_per_byte": "Instructions for each byte",
            "busy_cycles_per_byte": "Occupied cycles for each byte",
            "interrupts": "Interrupts",
            "seconds": "Time, s",
            "line_bytes": "Bytes on the line",
            "percent": "Occupied, %",
        },
        rows,
    )


def errors(noisy: Sequence[Measured]) -> Sheet:
    """The same transfer over a line that flips bits."""
    rows = []
    for measured in noisy:
        transfer = measured.transfer
        rows.append(
            {
                "size_bytes": measured.parameters.size_bytes,
                "bit_error_rate": measured.parameters.bit_error_rate,
                "bits_flipped": measured.run.manifest.parameters["bits_flipped"],
                "retransmitted_packets": transfer.retransmitted_packets,
                "refused_packets": transfer.refused_packets,
                "overhead_percent": 100 * transfer.overhead,
                "seconds": measured.seconds,
                "instructions_per_byte": measured.per_byte(measured.busy_instructions),
            }
        )
    return Sheet(
        "errors",
        "Bit errors on the line",
        "Packets of at most 94 bytes, each acknowledged. Every file arrived intact.",
        {
            "size_bytes": "File, bytes",
            "bit_error_rate": "Bit-error rate",
            "bits_flipped": "Bits flipped",
            "retransmitted_packets": "Packets sent again",
            "refused_packets": "Packets refused",
            "overhead_percent": "Overhead, %",
            "seconds": "Time, s",
            "instructions_per_byte": "Instructions for each byte",
        },
        rows,
    )
