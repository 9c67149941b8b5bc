"""A small image, and a profile of a run of it that is known to the last count."""

import copy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from socscope.image import Image
from socscope.layers import Layers
from socscope.record import Run, open_run
from socscope.record.counts import build, empty_profile
from socscope.record.manifest import ImageFacts, Manifest, PlatformFacts, Stop, Timing
from socscope.record.write import write

COMPILER = "arm-none-eabi-gcc"

MAIN_C = """
extern int copy_bytes(char *to, const char *from, int count);
char buffer[8];
int driver_send(const char *text);
int main(void) { return driver_send("abc"); }
"""
DRIVER_C = """
extern int copy_bytes(char *to, const char *from, int count);
extern char buffer[8];
__attribute__((noinline)) static int twice(int x) { volatile int y = x; return y + y; }
int driver_send(const char *text) { return copy_bytes(buffer, text, 4) + twice(3); }
"""
SECOND_C = """
__attribute__((noinline)) static int twice(int x) { volatile int y = x; return 2 * y; }
int rtos_idle(void) { return twice(5); }
"""
LIBRARY_C = """
int copy_bytes(char *to, const char *from, int count) {
    int i; for (i = 0; i < count; i++) to[i] = from[i]; return i;
}
"""
START_S = """
    .text
    .global _start
_start:
    ldr sp, =0x2000
    bl main
    bl rtos_idle
done:
    mov r0, r0
    b done
"""

RULES = """
[[rule]]
layer = "idle"
symbol = "rtos_idle"

[[rule]]
layer = "drivers"
source = "*drivers/*"

[[rule]]
layer = "library"
source = ""

[[rule]]
layer = "application"
source = "*"
"""


@pytest.fixture(scope="session")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ARM image: an application, a driver, two static functions of one name, a library without DWARF."""
    folder = tmp_path_factory.mktemp("image")
    (folder / "drivers").mkdir()
    sources = {
        "main.c": MAIN_C,
        "drivers/driver.c": DRIVER_C,
        "second.c": SECOND_C,
        "library.c": LIBRARY_C,
        "start.S": START_S,
    }
    objects = []
    for name, text in sources.items():
        (folder / name).write_text(text)
        debug = [] if name == "library.c" else ["-g"]
        thumb = ["-mthumb"] if name == "second.c" else []
        output = f"{Path(name).stem}.o"
        _compile(folder, "-O1", *debug, *thumb, "-c", name, "-o", output)
        objects.append(output)
    _compile(folder, "-nostdlib", "-Ttext=0x100", "-Tdata=0x1000", *objects, "-lgcc", "-o", "image.elf")
    return folder / "image.elf"


def _compile(folder: Path, *options: str) -> None:
    assert shutil.which(COMPILER), f"{COMPILER} is missing: run make packages"
    subprocess.run(
        [COMPILER, "-mcpu=arm7tdmi", "-mthumb-interwork", f"-ffile-prefix-map={folder}=.", *options],
        cwd=folder,
        check=True,
    )


@pytest.fixture(scope="session")
def image(elf: Path) -> Image:
    return Image.read(elf)


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    path = tmp_path / "layers.toml"
    path.write_text(RULES)
    return Layers.read(path)


@pytest.fixture
def profile(image: Image) -> dict[str, dict[str, list[Any]]]:
    """100 instructions in 250 cycles of a window of 1000: main -> driver_send -> library, then idle."""
    numbers = {function.name: function.id for function in image.functions}
    counted = copy.deepcopy(empty_profile())
    counted["nodes"] = {
        "node": [0, 1, 2, 3, 4, 5, 6],
        "core": [0, 0, 0, 0, 0, 0, 0],
        "parent": [-1, 0, 1, 2, 0, 4, 5],
        "function": [
            numbers["_start"],
            numbers["main"],
            numbers["driver_send"],
            numbers["copy_bytes"],
            numbers["rtos_idle"],
            numbers["driver_send"],
            numbers["copy_bytes"],
        ],
        "entry": ["root", "call", "call", "call", "call", "exception", "call"],
        "entered": [0, 1, 2, 3, 4, 5, 6],
    }
    counted["instructions"] = {
        "node": [0, 1, 2, 3, 4, 5, 6],
        "region": ["rom", "rom", "rom", "rom", "rom", "sram", "rom"],
        "instructions": [4, 6, 10, 40, 20, 8, 12],
        "cycles": [10, 15, 25, 100, 50, 20, 30],
    }
    counted["accesses"] = {
        "node": [2, 3, 3, 6],
        "region": ["ram", "ram", "rom", "ram"],
        "width_bits": [32, 8, 8, 8],
        "direction": ["write", "write", "read", "write"],
        "count": [2, 4, 4, 3],
    }
    counted["io"] = {
        "node": [2, 2, 5],
        "device": ["usart1", "usart1", "usart1"],
        "register": ["US_TPR", "US_TCR", "US_CSR"],
        "group": ["DMA", "DMA", "status"],
        "direction": ["write", "write", "read"],
        "count": [1, 1, 2],
    }
    counted["dma_transfers"] = {
        "device": ["usart1", "usart1"],
        "channel": ["transmit", "transmit"],
        "region": ["ram", "ram"],
        "direction": ["read", "read"],
        "width_bits": [8, 8],
        "accesses": [4, 2],
        "bytes": [4, 2],
        "start_cycle": [200, 500],
        "end_cycle": [400, 600],
    }
    counted["exceptions"] = {
        "core": [0, 0],
        "number": [2, 6],
        "count": [1, 3],
        "exception": ["software interrupt", "interrupt"],
    }
    counted["interrupts"] = {
        "core": [0, 0],
        "source": ["usart1", "tc0"],
        "count": [2, 0],
        "spurious": [0, 1],
        "measured": [2, 0],
        "latency_cycles_min": [20, 0],
        "latency_cycles_total": [50, 0],
        "latency_cycles_max": [30, 0],
        "handler_measured": [1, 0],
        "handler_cycles_min": [90, 0],
        "handler_cycles_total": [90, 0],
        "handler_cycles_max": [90, 0],
    }
    counted["marks"] = {
        "number": [1, 2],
        "argument": [0, 7],
        "core": [0, 0],
        "cycle": [100, 1100],
        "time_ps": [2_500_000, 27_500_000],
    }
    counted["spans"] = {
        "core": [0],
        "start_cycle": [100],
        "end_cycle": [1100],
        "start_ps": [2_500_000],
        "end_ps": [27_500_000],
        "instructions": [100],
        "stopped_cycles": [740],
        "bus_held_cycles": [10],
    }
    return counted


@pytest.fixture
def run(tmp_path: Path, image: Image, layers: Layers, profile: dict[str, dict[str, list[Any]]]) -> Run:
    """A record of that run."""
    serial = {"usart1": ([10, 20, 30, 40], ["in", "in", "out", "out"], b"ab\x00\xff")}
    counts = build(profile, image, layers, serial)
    manifest = Manifest(
        socscope="0.1.0",
        platform=PlatformFacts(name="at91x40", dtb_sha256="0" * 64),
        image=ImageFacts(name="image.elf", sha256=image.sha256),
        command=["run", "at91x40", "image.elf"],
        profiled=True,
        window="all",
        layer_names=layers.names(),
        stop=Stop(kind="time", detail="the time is up", cycle=2000, time_ps=50_000_000),
        state_hash="1" * 64,
        timing=Timing(
            model="ARM7TDMI", validated_against="hand counts", known_error="none", leaves_out="nothing"
        ),
        totals=counts.totals,
    )
    write(tmp_path / "run", manifest, counts.tables)
    return open_run(tmp_path / "run")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser in which pages of ours are opened as their readers do."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield started
        started.close()
