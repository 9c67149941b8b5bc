"""The engines of the comparison: each runs an image in a fresh process and says how long that took."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

FOLDER = Path(__file__).parent
QEMU = "qemu-system-arm"
MACHINE = [QEMU, "-M", "versatilepb", "-cpu", "arm926", "-m", "64", "-nodefaults", "-display", "none"]
QUIET = ["-monitor", "none", "-semihosting-config", "enable=on,target=native"]
# Addresses of platforms/bench.dts, and of the AT91EB40A after its remap.
REGIONS = {
    "bench": ["region=code/0/fffff", "region=data/100000/10fffff"],
    "at91eb40a": ["region=sram/0/3ffff", "region=flash/1000000/11fffff"],
}

Sample = dict[str, Any]


class WrongRunError(Exception):
    """An engine did not run the program to its end."""


def symbol(image: Path, name: str) -> int:
    """The address of a symbol."""
    with image.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        found = table.get_symbol_by_name(name) if isinstance(table, SymbolTableSection) else None
        if not found:
            raise WrongRunError(f"{image}: no symbol {name}")
        return int(found[0]["st_value"])


def _run(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> tuple[float, str]:
    begin = time.monotonic()
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        raise WrongRunError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return seconds, done.stdout + done.stderr


def socscope(
    platform: str,
    image: Path,
    mode: str,
    *,
    result: str = "",
    engine: str = "translated",
    under: Sequence[str] = (),
    start_only: bool = False,
) -> Sample:
    """Socscope: the time between the marks, translation included; `under` is a program that watches it."""
    command: list[str | Path] = [*under, sys.executable, FOLDER / "child.py", platform, image, mode]
    options = ["--engine", engine, "--result", result, "--started", str(time.monotonic_ns())]
    _, said = _run([*command, *options, *(["--start-only"] if start_only else [])])
    found = [line for line in said.splitlines() if line.startswith("{")]
    sample: Sample = json.loads(found[-1])
    return sample


def qemu(image: Path, *, serial: bool = False) -> Sample:
    """Plain QEMU: the time of the whole process."""
    console = ["-serial", "stdio" if serial else "none"]
    # The board has a sound chip; without this QEMU looks for a sound card.
    seconds, said = _run([*MACHINE, *console, *QUIET, "-kernel", image], {"QEMU_AUDIO_DRV": "none"})
    return {"seconds": seconds, "result": _result(said)}


def qemu_counting(image: Path, plugin: Path, platform: str, *, serial: bool = False) -> Sample:
    """QEMU with the plug-in: the time of the whole process, and what was counted."""
    console = ["-serial", "stdio" if serial else "none"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts.json"
        options = [str(plugin), f"out={out}", *REGIONS[platform]]
        if platform == "bench":
            first, last = symbol(image, "finished"), symbol(image, "finished_end")
            options.append(f"excluded={first:x}/{last - 1:x}")
        counting = ["-plugin", ",".join(options), "-kernel", str(image)]
        command = [*MACHINE, *console, *QUIET, *counting]
        seconds, said = _run(command, {"QEMU_AUDIO_DRV": "none"})
        return {"seconds": seconds, "result": _result(said), **json.loads(out.read_text())}


def unicorn(image: Path, hooks: Path, mode: str) -> Sample:
    """Unicorn with hooks in C: the time of its emulation alone, and what was counted."""
    _, said = _run([hooks, image, f"{symbol(image, 'finished'):x}", mode])
    sample: Sample = json.loads(said)
    return sample


def _result(said: str) -> str:
    """The guest prints eight digits on a line of their own; QEMU may have warnings."""
    found = re.findall(r"^[0-9a-f]{8}$", said, re.MULTILINE)
    if len(found) != 1:
        raise WrongRunError(f"QEMU: expected one result of the guest, found {len(found)}:\n{said}")
    return str(found[0])
