"""How much of the processor the transfer takes, and what would change that."""

from collections.abc import Sequence

from socscope.report import charts
from socscope.study.serial_transfer.measures import Measured
from socscope.study.sheet import Sheet


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
        "states that its memories need there, which shows in the executing cycles for each instruction "
        "(those of a stopped clock are not among them). "
        f"Cycles: {label.model}; checked against {label.validated_against}; leaves out {label.leaves_out}.",
        {
            "clock_mhz": "Clock, MHz",
            "seconds": "Time, s",
            "instructions": "Instructions",
            "cpi": "Executing cycles for each instruction",
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
