"""How fast the interpreter runs: guest instructions a second, with and without the profile.

Each program runs in turn without and with the profile in one process, several times; medians and the ratio of
each pair are printed. Absolute numbers depend on the host, ratios hardly do. Rows go to build/bench.json.
"""

import argparse
import statistics
import subprocess
import time
from pathlib import Path

from rows import CONSOLE, Row, merge
from socscope.simulation import Simulation

FOLDER = Path(__file__).parent
BUILD = FOLDER.parent / "build"
PROGRAMS = {"crc32": 60, "sort": 30, "copy": 80}
INSTRUCTION_SETS = {"arm": "-marm", "thumb": "-mthumb"}


def build(program: str, instruction_set: str) -> Path:
    """Compiles a program for the on-chip SRAM of the AT91EB40A."""
    target = BUILD / "benches" / f"{program}-{instruction_set}.elf"
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = [FOLDER / "programs" / name for name in ("start.S", f"{program}.c")]
    flags = ["-mcpu=arm7tdmi", INSTRUCTION_SETS[instruction_set], "-mthumb-interwork", "-O2", "-g"]
    linking = ["-ffreestanding", "-nostdlib", "-T", str(FOLDER / "programs" / "program.ld")]
    rounds = f"-DROUNDS={PROGRAMS[program]}"
    subprocess.run(
        ["arm-none-eabi-gcc", *flags, *linking, rounds, "-o", target, *sources, "-lgcc"], check=True
    )
    return target


def run(image: Path, *, profiled: bool) -> tuple[float, int, str]:
    """Seconds between the marks, instructions between them (0 without the profile), and the state hash."""
    simulation = Simulation("at91eb40a", image, profile=profiled, window="marks", engine="interpreted")
    simulation.run(until_mark=1)
    begin = time.perf_counter()
    simulation.run(until_mark=2)
    seconds = time.perf_counter() - begin
    instructions = sum(simulation.machine.profile()["spans"]["instructions"]) if profiled else 0
    return seconds, instructions, simulation.machine.state_hash()


def measure(program: str, instruction_set: str, rounds: int) -> tuple[list[Row], list[dict[str, object]]]:
    """Runs one program in pairs; gives its rows and the raw times."""
    image = build(program, instruction_set)
    plain, profiled, raw = [], [], []
    for _ in range(rounds):
        seconds, _, state = run(image, profiled=False)
        seconds_profiled, instructions, state_profiled = run(image, profiled=True)
        if state != state_profiled:
            raise SystemExit(f"{image}: the profile changed the state of the machine")
        plain.append(instructions / seconds / 1e6)
        profiled.append(instructions / seconds_profiled / 1e6)
        raw.append(
            {
                "program": image.stem,
                "instructions": instructions,
                "plain_s": seconds,
                "profiled_s": seconds_profiled,
            }
        )
    name = f"interpreter {program} {instruction_set}"
    ratio = statistics.median(with_ / without for with_, without in zip(profiled, plain, strict=True))
    return [
        Row(f"{name}, no probes", statistics.median(plain), "MIPS"),
        Row(f"{name}, full profile", statistics.median(profiled), "MIPS"),
        Row(f"{name}, profiled over plain", ratio, "ratio"),
    ], raw


def main() -> None:
    """Prints the table and writes build/bench.json and the raw times beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="pairs of runs for each program (default 5)")
    rounds = parser.parse_args().rounds
    rows: list[Row] = []
    raw: list[dict[str, object]] = []
    for program in PROGRAMS:
        for instruction_set in INSTRUCTION_SETS:
            found, times = measure(program, instruction_set, rounds)
            rows += found
            raw += times
            for row in found:
                CONSOLE.print(f"{row.name:48} {row.value:9.2f} {row.unit}")
    ratios = [row.value for row in rows if row.unit == "ratio"]
    rows.append(
        Row("interpreter, profiled over plain, geometric mean", statistics.geometric_mean(ratios), "ratio")
    )
    CONSOLE.print(f"{rows[-1].name:48} {rows[-1].value:9.2f} {rows[-1].unit}")
    merge(rows, "interpreter", raw)


if __name__ == "__main__":
    main()
