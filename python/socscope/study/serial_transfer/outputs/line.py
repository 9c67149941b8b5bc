"""What the line carried: overhead by origin, and what bit errors cost."""

from collections.abc import Sequence

from socscope.report import charts
from socscope.study.kermit.overhead import ORIGINS
from socscope.study.serial_transfer.measures import Measured
from socscope.study.sheet import Sheet


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
