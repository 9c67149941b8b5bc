"""Accesses to memory and device registers, and DMA."""

from collections.abc import Sequence

from socscope.report import charts
from socscope.study.serial_transfer.measures import Measured
from socscope.study.sheet import Sheet


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
