"""When the accelerator is faster than software, and how fast it must be."""

from collections.abc import Sequence

from socscope.study.rule30.crossover import Crossing, Point, crossings, sampled
from socscope.study.rule30.measures import Measured
from socscope.study.rule30.outputs.rows import latencies, of_mode
from socscope.study.sheet import Sheet

HARDWARE = ("hw", "hw-mmap")


def crossovers(runs: Sequence[Measured]) -> Sheet:
    """For each latency the lengths between which one overtakes the other."""
    software = of_mode(runs, "bit")
    rows = []
    for mode in HARDWARE:
        for latency in latencies(runs):
            points = _points(software, of_mode(runs, mode, latency))
            found = crossings(points)
            rows += [_row(mode, latency, one) for one in found]
            if not found and points:
                always = "always" if points[0].difference <= 0 else "never"
                rows.append(
                    {
                        "mode": mode,
                        "latency_ns": latency,
                        "low_bits": None,
                        "high_bits": None,
                        "crossover_bits": None,
                        "faster": f"{mode} {always}, at the lengths that were run",
                    }
                )
    lengths = sampled([Point(one.parameters.length_bits, 0, 0) for one in software], "lengths")
    return Sheet(
        "crossovers",
        "1. When is the accelerator faster than software?",
        "The mean time of a line against that of packed software (bit), by length. A crossing lies between "
        "two lengths that were run: at the first the one is the faster by more than two standard errors, at "
        f"the second the other. The guess is a straight line's. {lengths}",
        {
            "mode": "Mode",
            "latency_ns": "Latency, ns",
            "low_bits": "Crossover from, bits",
            "high_bits": "to, bits",
            "crossover_bits": "guess, bits",
            "faster": "Faster",
        },
        rows,
    )


def _row(mode: str, latency_ns: int, one: Crossing) -> dict[str, object]:
    faster = {True: f"{mode} from there on", False: "software from there on", None: "not decided"}
    return {
        "mode": mode,
        "latency_ns": latency_ns,
        "low_bits": one.low,
        "high_bits": one.high,
        "crossover_bits": one.x,
        "faster": faster[one.b_wins],
    }


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
            shown[f"{mode}_low_ns"] = found[-1].low if found else None
            shown[f"{mode}_high_ns"] = found[-1].high if found else None
            shown[f"{mode}_says"] = "" if found else "all" if wins else "none"
        rows.append(shown)
    return Sheet(
        "break_even",
        "5. How fast must it be?",
        "The longest latency at which a line by the accelerator takes no longer than in software lies "
        "between two latencies that were run, and the guess is a straight line's; all or none of them where "
        "there is no crossing.",
        {
            "length_bits": "Length, bits",
            "bit_ns": "Software, ns a line",
            "hw_low_ns": "hw: latency between, ns",
            "hw_high_ns": "and, ns",
            "hw_ns": "guess, ns",
            "hw_says": "",
            "hw-mmap_low_ns": "hw-mmap: latency between, ns",
            "hw-mmap_high_ns": "and, ns",
            "hw-mmap_ns": "guess, ns",
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
