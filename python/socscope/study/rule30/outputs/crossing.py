"""When the accelerator is faster than software, and how fast it must be."""

from collections.abc import Sequence

from socscope.study.rule30.crossover import Point, crossings
from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.rows import latencies, of_mode
from socscope.study.sheet import Sheet

HARDWARE = ("hw", "hw-mmap")


def crossovers(runs: Sequence[Measured]) -> Sheet:
    """For each latency the length from which on the accelerator is the faster one."""
    software = of_mode(runs, "bit")
    rows = []
    for mode in HARDWARE:
        for latency in latencies(runs):
            points = _points(software, of_mode(runs, mode, latency))
            found = crossings(points)
            for one in found:
                rows.append(
                    {
                        "mode": mode,
                        "latency_ns": latency,
                        "crossover_bits": one.x,
                        "low_bits": one.low,
                        "high_bits": one.high,
                        "between": f"{one.below:g} to {one.above:g}",
                        "faster": f"{mode} from here on" if one.b_wins else "software from here on",
                    }
                )
            if not found and points:
                always = "always" if points[0].difference <= 0 else "never"
                rows.append(
                    {
                        "mode": mode,
                        "latency_ns": latency,
                        "crossover_bits": None,
                        "low_bits": None,
                        "high_bits": None,
                        "between": f"{points[0].x:g} to {points[-1].x:g}",
                        "faster": f"{mode} {always}",
                    }
                )
    return Sheet(
        "crossovers",
        "1. When is the accelerator faster than software?",
        "The mean time of a line against that of packed software (bit), by length. The crossing is "
        "interpolated between the two lengths that were run; low and high are where it would lie if the "
        "mean times were two standard errors off.",
        {
            "mode": "Mode",
            "latency_ns": "Latency, ns",
            "crossover_bits": "Crossover, bits",
            "low_bits": "low",
            "high_bits": "high",
            "between": "Lengths run",
            "faster": "Faster",
        },
        rows,
    )


def break_even(runs: Sequence[Measured]) -> Sheet:
    """For each length the longest latency at which the accelerator is still as fast as software."""
    rows = []
    for soft in of_mode(runs, "bit"):
        length = soft.parameters.length_bits
        shown: dict[str, object] = {"length_bits": length, "bit_ns": soft.line.mean_ns}
        for mode in HARDWARE:
            by_latency = [
                Point(
                    latency,
                    soft.line.mean_ns,
                    one.line.mean_ns,
                    soft.line.error_ns,
                    one.line.error_ns,
                )
                for latency in latencies(runs)
                for one in of_mode(runs, mode, latency)
                if one.parameters.length_bits == length
            ]
            found = crossings(by_latency)
            wins = bool(by_latency) and by_latency[0].difference <= 0
            shown[f"{mode}_ns"] = found[-1].x if found else None
            shown[f"{mode}_says"] = "" if found else "all" if wins else "none"
        rows.append(shown)
    return Sheet(
        "break_even",
        "5. How fast must it be?",
        "The longest latency at which a line by the accelerator takes no longer than in software, "
        "interpolated between the latencies that were run; all or none of them where there is no crossing.",
        {
            "length_bits": "Length, bits",
            "bit_ns": "Software, ns a line",
            "hw_ns": "hw: latency up to, ns",
            "hw_says": "",
            "hw-mmap_ns": "hw-mmap: latency up to, ns",
            "hw-mmap_says": "",
        },
        rows,
        folded=True,
    )


def _points(software: Sequence[Measured], hardware: Sequence[Measured]) -> list[Point]:
    by_length = {one.parameters.length_bits: one.line for one in hardware}
    return [
        Point(
            soft.parameters.length_bits,
            soft.line.mean_ns,
            line.mean_ns,
            soft.line.error_ns,
            line.error_ns,
        )
        for soft in software
        if (line := by_length.get(soft.parameters.length_bits))
    ]
