"""Socscope side by side with QEMU, QEMU with a plug-in that counts, and unicorn with hooks.

The same guest programs run in all of them, in turn, several rounds; a ratio is taken within a round, and the
median of the rounds counts. A wrong result, or counts that differ, end the bench. What is measured
stands in docs/how-to/benchmark.md.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import engines
import images
from engines import Sample
from images import InstructionSet, Program
from rich.progress import Progress
from rows import CONSOLE, Row, merge, show

QUICK = 20  # Work of a quick run is this much smaller; unicorn's always is.
MODES = {"plain": "no probes", "profile": "full profile", "exact": "exact cycles"}


@dataclass
class Case:
    """A program in one instruction set, and every sample taken of it."""

    program: Program
    instruction_set: InstructionSet
    samples: list[dict[str, Sample]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"{self.program.name} {self.instruction_set}"

    def ratios(self, over: str, under: str) -> list[float]:
        """Quotients of the times of two engines, round by round."""
        return [one[over]["work_s"] / one[under]["work_s"] for one in self.samples if over in one]

    def median(self, over: str, under: str) -> float:
        """The middle one of the ratios."""
        return statistics.median(self.ratios(over, under))


@dataclass(frozen=True)
class Comparison:
    """The time of one engine over that of another, geometric means over calculations, and over the kernel."""

    name: str
    over: str
    under: str
    calculations: float
    kernel: float | None = None

    def floors(self) -> Iterator[tuple[str, bool, float]]:
        """Its rows: the name, whether it is that of the kernel, and the floor."""
        yield f"calculations, {self.name}", False, self.calculations
        if self.kernel is not None:
            yield f"kernel, {self.name}", True, self.kernel


COMPARISONS = (
    Comparison("no probes, over plain QEMU", "qemu", "plain", 1.4, 4.0),
    Comparison("full profile over plain QEMU", "qemu", "profile", 1.15, 2.5),
    Comparison("full profile over QEMU with plug-in", "plugin", "profile", 1.0, 1.0),
    Comparison("exact ARM7TDMI cycles over plain QEMU", "qemu", "exact", 1.2, 2.2),
    Comparison("full profile over unicorn with hooks", "unicorn", "profile", 5.0),
)


class WrongCountsError(Exception):
    """Two engines disagree on what the guest did."""


def agree(case: Case, one: dict[str, Sample]) -> None:
    """Ends the bench when two engines disagree on the result, or on the counts where both have them."""
    results = {engine: sample["result"] for engine, sample in one.items() if engine != "unicorn"}
    if len(set(results.values())) != 1:
        raise WrongCountsError(f"{case.name}: results differ: {results}")
    if case.program.is_system:
        return
    for what in ("instructions", "accesses"):
        ours, theirs = one["profile"][what], one["plugin"][what]
        if (sorted(ours) != sorted(theirs)) if what == "accesses" else ours != theirs:
            raise WrongCountsError(f"{case.name}: {what} differ: profile {ours}, plug-in {theirs}")


class Bench:
    """Builds everything once, then takes samples."""

    def __init__(self, scale: int) -> None:
        self.scale = scale
        self.plugin = images.plugin()
        self.hooks = images.unicorn()
        self.empty = {isa: images.program(images.EMPTY, isa, 0) for isa in images.INSTRUCTION_SETS}

    def rounds(self, program: Program, scale: int) -> int:
        """How often a program does its work."""
        return max(1, program.rounds // scale)

    def start_up(self) -> dict[str, Sample]:
        """The engines with a program that does nothing."""
        empty = self.empty["arm"]

        def fastest(run: Callable[[], Sample]) -> Sample:
            return min((run() for _ in range(3)), key=lambda sample: float(sample["seconds"]))

        return {
            "qemu": fastest(lambda: engines.qemu(empty)),
            "plugin": fastest(lambda: engines.qemu_counting(empty, self.plugin, "bench")),
            "start": engines.socscope("at91eb40a", images.SYSTEM, "plain", start_only=True),
        }

    def sample(self, case: Case, start: dict[str, Sample]) -> dict[str, Sample]:
        """One round: each engine in turn."""
        take = self._system if case.program.is_system else self._program
        one = take(case)
        for engine, sample in one.items():
            sample["work_s"] = sample["seconds"]
            if engine in {"qemu", "plugin"}:
                # QEMU's time is that of its process. At least a tenth is work, also where a host hiccups.
                sample["work_s"] -= min(start[engine]["seconds"], 0.9 * sample["seconds"])
        agree(case, one)
        return one

    def _program(self, case: Case) -> dict[str, Sample]:
        rounds = self.rounds(case.program, self.scale)
        image = images.program(case.program, case.instruction_set, rounds)
        one = {"qemu": engines.qemu(image)}
        for mode in MODES:
            one[mode] = engines.socscope("bench", image, mode)
        one["plugin"] = engines.qemu_counting(image, self.plugin, "bench")
        smaller = self.rounds(case.program, max(self.scale, QUICK))
        one["unicorn"] = engines.unicorn(
            images.program(case.program, case.instruction_set, smaller), self.hooks, "code"
        )
        # What it would take for the whole work.
        one["unicorn"]["seconds"] *= rounds / smaller
        return one

    def _system(self, case: Case) -> dict[str, Sample]:
        rounds = self.rounds(case.program, self.scale)
        theirs = images.kernel("versatile", case.instruction_set, rounds)
        ours = images.kernel("at91eb40a", case.instruction_set, rounds)
        one = {"qemu": engines.qemu(theirs, serial=True)}
        for mode in MODES:
            one[mode] = engines.socscope("at91eb40a", ours, mode, result="bench_result")
        one["plugin"] = engines.qemu_counting(theirs, self.plugin, "at91eb40a", serial=True)
        return one


def median_of(samples: Sequence[dict[str, Any]], engine: str, key: str) -> float:
    """The middle value that an engine's samples have for a key."""
    return statistics.median(float(one[engine][key]) for one in samples)


def case_rows(case: Case) -> list[Row]:
    """The rows of one case: ratios, and instructions a second."""
    rows = [
        Row(f"{case.name}, {one.name}", case.median(one.over, one.under), "ratio")
        for one in COMPARISONS
        if one.over in case.samples[0]
    ]
    instructions = case.samples[0]["profile"]["instructions"]
    for mode, title in MODES.items():
        seconds = statistics.median(one[mode]["work_s"] for one in case.samples)
        rows.append(Row(f"{case.name}, {title}", instructions / seconds / 1e6, "MIPS"))
    return rows


def summary(cases: Sequence[Case], starts: Sequence[dict[str, Sample]]) -> list[Row]:
    """The rows with floors."""
    rows = []
    for one in COMPARISONS:
        for name, is_kernel, floor in one.floors():
            group = [case for case in cases if case.program.is_system == is_kernel]
            medians = [case.median(one.over, one.under) for case in group]
            if medians:
                rows.append(Row(name, statistics.geometric_mean(medians), "ratio", floor))
    first = median_of(starts, "start", "start_s") * 1e3
    process = median_of(starts, "start", "process_start_s") * 1e3
    beyond = max(
        (sample["peak_kib"] - sample["guest_kib"]) * 1024 / 1e6
        for case in cases
        for one in case.samples
        for engine, sample in one.items()
        if engine in MODES
    )
    rows += [
        Row("start to first guest instruction", first, "ms", 50, "at most"),
        Row("process to first guest instruction", process, "ms"),
        Row("peak host memory beyond guest memory", beyond, "MB", 150, "at most"),
    ]
    return rows


def speeds(instructions: int, samples: Sequence[dict[str, Sample]]) -> str:
    """A line's columns: millions of guest instructions a second in each engine."""
    shown = []
    for engine in ("qemu", *MODES, "plugin", "unicorn"):
        if engine in samples[0]:
            seconds = statistics.median(one[engine]["work_s"] for one in samples)
            shown.append(f"{instructions / seconds / 1e6:9.1f}")
    return " ".join(shown)


def show_cases(cases: Sequence[Case]) -> None:
    """Prints a line a case, of all its rounds."""
    CONSOLE.print("[bold]Medians of the rounds[/]")
    for case in cases:
        CONSOLE.print(f"{case.name:20}{speeds(case.samples[0]['profile']['instructions'], case.samples)}")


def chosen(names: str | None) -> list[Program]:
    """The programs that are named, or all."""
    known = {program.name: program for program in images.PROGRAMS}
    wanted = names.split(",") if names else list(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no such program: {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in wanted]


def measure(cases: Sequence[Case], bench: Bench, rounds: int) -> list[dict[str, Sample]]:
    """Takes all samples, round after round; prints a line for each."""
    starts = []
    heading = " ".join(f"{text:>9}" for text in ("QEMU", "plain", "profile", "exact", "plug-in", "unicorn"))
    with Progress(console=CONSOLE, transient=True) as progress:
        task = progress.add_task("", total=rounds * len(cases))
        for number in range(1, rounds + 1):
            title = f"Round {number} of {rounds}"
            CONSOLE.print(f"[bold]{title}: millions of guest instructions a second[/]\n{'':20}{heading}")
            starts.append(bench.start_up())
            for case in cases:
                progress.update(task, description=case.name)
                one = bench.sample(case, starts[-1])
                case.samples.append(one)
                CONSOLE.print(f"{case.name:20}{speeds(one['profile']['instructions'], [one])}")
                progress.advance(task)
    return starts


def main() -> None:
    """Measures, prints the tables, and writes the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all engines (default 3)")
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK} times less work; rows go to bench-quick.json"
    )
    parser.add_argument("--programs", help="names, separated by commas (default: all)")
    options = parser.parse_args()
    programs = chosen(options.programs)
    cases = [Case(program, isa) for program in programs for isa in images.INSTRUCTION_SETS]
    try:
        bench = Bench(QUICK if options.quick else 1)
        starts = measure(cases, bench, options.rounds)
    except (engines.WrongRunError, WrongCountsError) as error:
        sys.exit(str(error))
    show_cases(cases)
    rows = summary(cases, starts)
    show(rows, "Guest work a second, geometric means")
    raw = {"starts": starts, "cases": {case.name: case.samples for case in cases}}
    kind = "bench" if not options.quick and len(programs) == len(images.PROGRAMS) else "bench-quick"
    merge([*rows, *(row for case in cases for row in case_rows(case))], "comparison", raw, kind=kind)


if __name__ == "__main__":
    main()
