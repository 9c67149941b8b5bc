"""What several sheets show of a run."""

from collections.abc import Sequence
from typing import Any

from socscope.study.rule30.measures import Measured

PARAMETERS = {"mode": "Mode", "length_bits": "Length, bits", "latency_ns": "Latency, ns"}
LINE = {
    "line_ns_min": "Line min, ns",
    "line_ns_mean": "mean",
    "line_ns_max": "max",
}
PACKET = {
    "packet_ns_min": "Packet min, ns",
    "packet_ns_mean": "mean",
    "packet_ns_max": "max",
}
TOTALS = {
    "line_ns_user": "Line in user mode, ns",
    "packet_ns_user": "Packet in user mode, ns",
    "user_percent": "User, %",
}


def place(measured: Measured) -> dict[str, Any]:
    """The parameters that a row shows; software has no latency."""
    parameters = measured.parameters
    return {
        "mode": parameters.mode,
        "length_bits": parameters.length_bits,
        "latency_ns": parameters.latency_ns if parameters.hardware else None,
        "caches": parameters.caches,
        "way": way(measured),
    }


def row(measured: Measured) -> dict[str, Any]:
    """All columns of a run whose lines have times of their own."""
    line, packet = measured.line, measured.packet
    whole = measured.user_ns + measured.system_ns
    return {
        **place(measured),
        "line_ns_min": line.min_ns,
        "line_ns_mean": line.mean_ns,
        "line_ns_max": line.max_ns,
        "packet_ns_min": packet.min_ns,
        "packet_ns_mean": packet.mean_ns,
        "packet_ns_max": packet.max_ns,
        "line_ns_user": measured.user_of(line.mean_ns),
        "packet_ns_user": measured.user_of(packet.mean_ns),
        "user_percent": 100 * measured.user_ns / whole if whole else None,
        "line_jitter": line.jitter,
        "packet_jitter": packet.jitter,
    }


def way(measured: Measured) -> str:
    """The mode, with the latency where it has one."""
    parameters = measured.parameters
    return f"{parameters.mode}, {parameters.latency_ns} ns" if parameters.hardware else parameters.mode


def ways(measured: Sequence[Measured]) -> list[str]:
    """All of them, in their order."""
    return list(dict.fromkeys(way(one) for one in measured))


def of_mode(measured: Sequence[Measured], mode: str, latency_ns: int | None = None) -> list[Measured]:
    """The runs of one mode, of one latency if it is given, by length."""
    found = [
        one
        for one in measured
        if one.parameters.mode == mode and (latency_ns is None or one.parameters.latency_ns == latency_ns)
    ]
    return sorted(found, key=lambda one: one.parameters.length_bits)


def latencies(measured: Sequence[Measured]) -> list[int]:
    """The latencies of the runs of the accelerator."""
    return sorted({one.parameters.latency_ns for one in measured if one.parameters.hardware})
