"""Where the host's time goes: the share of translated code, interpreter, translation, devices and the rest.

A sampling profiler (perf, by the processor's clock) watches runs of the comparison's programs. Code without a
file is translated code; the rest is told apart by the crate that a function belongs to. `start` is what the
process does besides: Python, loading, tables. Without perf, only the engine's own counts are shown.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import images
from engines import Sample, WrongRunError, socscope
from rows import CONSOLE, Row, merge

RATE_HZ = 997
MODES = ("plain", "profile", "exact")
CATEGORIES = ("translated", "interpreter", "translation", "devices", "probes", "machine", "start")
CRATES = {
    "socscope_arm": "interpreter",
    "socscope_powerpc": "interpreter",
    "socscope_isa": "interpreter",
    "socscope_timing": "interpreter",
    "socscope_jit": "translation",
    "cranelift": "translation",
    "regalloc2": "translation",
    "socscope_devices": "devices",
    "socscope_device": "devices",
    "socscope_probe": "probes",
    "socscope_time": "machine",
    "socscope_memory": "machine",
    "socscope_machine": "machine",
}
CRATE = re.compile("|".join(sorted(CRATES, key=len, reverse=True)))


def category(module: str, symbol: str) -> str:
    """Whose time a sample is, by the file of its code and the name of its function."""
    if "_core" not in module:
        in_memory = re.match(r"\[unknown\]|\[anon|//anon|anon|memfd:|/memfd:|\[JIT\]|jitted-", module)
        return "translated" if in_memory else "start"
    crate = CRATE.search(symbol)
    return CRATES[crate[0]] if crate else "machine"


def shares(report: str) -> dict[str, float]:
    """Adds up perf's lines (percent, module, symbol) by category."""
    sums = dict.fromkeys(CATEGORIES, 0.0)
    for line in report.splitlines():
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) >= 3 and fields[0].endswith("%"):
            sums[category(fields[1], fields[2])] += float(fields[0].rstrip("%"))
    return sums


def watch(platform: str, image: Path, mode: str, result: str) -> tuple[Sample, dict[str, float]]:
    """Runs an image under perf; gives what the run said, and percents by category."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE_HZ), "-o", str(data), "--"]
        sample = socscope(platform, image, mode, result=result, under=record)
        report = ["perf", "report", "-i", str(data), "--stdio", "-q", "--sort", "dso,symbol", "-t", "\t"]
        said = subprocess.run(report, capture_output=True, text=True, check=False)
    return sample, shares(said.stdout)


def perf_error() -> str | None:
    """Why perf cannot be used here; nothing when it can."""
    try:
        said = subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return "perf is missing: install the Debian package linux-perf"
    return None if said.returncode == 0 else said.stderr.strip().splitlines()[0]


def main() -> None:
    """Measures, prints and merges the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="20 times less work; rows go to bench-quick.json"
    )
    quick = parser.parse_args().quick
    unusable = perf_error()
    if unusable:
        CONSOLE.print(f"Host time by sampling: {unusable}")
    rows: list[Row] = []
    raw: dict[str, object] = {}
    CONSOLE.print(f"{'% of host time':20}{''.join(f'{name:>12}' for name in CATEGORIES)}")
    for program in (one for one in images.PROGRAMS if one.name in {"core", "kernel"}):
        rounds = max(1, program.rounds // (20 if quick else 1))
        for instruction_set in images.INSTRUCTION_SETS:
            platform = "at91eb40a" if program.is_system else "bench"
            result = "bench_result" if program.is_system else ""
            image = (
                images.kernel(platform, instruction_set, rounds)
                if program.is_system
                else images.program(program, instruction_set, rounds)
            )
            for mode in MODES:
                found: dict[str, float] = {}
                name = f"{program.name} {instruction_set}, {mode}"
                try:
                    if unusable:
                        sample = socscope(platform, image, mode, result=result)
                    else:
                        sample, found = watch(platform, image, mode, result)
                except WrongRunError as error:
                    sys.exit(str(error))
                CONSOLE.print(f"{name:20}{''.join(f'{percent:12.1f}' for percent in found.values())}")
                CONSOLE.print(f"{'':4}{sample['engine']}", style="dim")
                raw[name] = {"engine": sample["engine"], "percent": found}
                rows += [Row(f"host time, {name}: {what}", percent, "%") for what, percent in found.items()]
    merge(rows, "host_time", raw, kind="bench-quick" if quick else "bench")


if __name__ == "__main__":
    main()
