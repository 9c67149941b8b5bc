"""What the study adds to the running machine: the engine, the shared folder; and the caches of its cores."""

import shutil
import tempfile
from pathlib import Path

from socscope.console import Console
from socscope.simulation import Simulation
from socscope.study.rule30 import linux
from socscope.study.rule30.parameters import Caches, Rule30Parameters

# A free page of the register space of the chip, and a source of the interrupt controller that nothing has.
BASE = 0xFFEE_4000
INTERRUPT = 60
NAME = "rule30"
FOLDER = "/mnt"
MOUNT = f"mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host {FOLDER}"
CPUS = ("/cpus/PowerPC,8641@0", "/cpus/PowerPC,8641@1")
# Of the core's first-level caches, whatever their size.
CACHE_LINE_BYTES, CACHE_WAYS = 32, 8
# Modes that need an engine with its extensions.
EXTENDED = ("hw-dma",)


def attach(simulation: Simulation, parameters: Rule30Parameters) -> None:
    """Adds the engine to the running machine."""
    extensions = {"socscope,batch": True, "socscope,dma": True} if parameters.mode in EXTENDED else {}
    simulation.add_model(
        "socscope,rule30",
        BASE,
        name=NAME,
        interrupt=INTERRUPT,
        properties={"socscope,latency-ns": parameters.latency_ns, **extensions},
    )


def share(simulation: Simulation, script: Console) -> str:
    """Lets the guest see driver and program, and nothing else; gives the folder where it finds them."""
    with tempfile.TemporaryDirectory(prefix="socscope-") as folder:
        for name in (linux.MODULE, linux.PROGRAM):
            shutil.copy(linux.programs() / name, Path(folder) / name)
        simulation.share(folder, read_only=True)
    linux.command(script, f"mkdir -p {FOLDER} && {MOUNT}")
    return FOLDER


def executed_cycles(simulation: Simulation) -> int:
    """Cycles in which the cores executed: neither asleep nor kept from the bus by DMA.

    Without caches these are the instructions, and the exceptions taken: each takes one cycle.
    """
    return sum(simulation.machine.core_cycles()["executing"])


def cache_overrides(caches: Caches) -> list[str]:
    """What of the platform makes the caches."""
    if caches == "none":
        return []
    size_kb, memory_cycles = caches.split("k-")
    size = int(size_kb) << 10
    return [
        f"{cpu}:{name}={value}"
        for cpu in CPUS
        for name, value in (
            ("socscope,timing", "caches"),
            ("socscope,memory-cycles", memory_cycles),
            ("i-cache-size", size),
            ("d-cache-size", size),
            ("i-cache-sets", size // (CACHE_LINE_BYTES * CACHE_WAYS)),
            ("d-cache-sets", size // (CACHE_LINE_BYTES * CACHE_WAYS)),
        )
    ]
