"""What the study adds to the running machine: the engine, the shared folder; and the caches of its cores."""

import importlib.util
from functools import cache

from socscope.console import Console
from socscope.device import Device
from socscope.errors import StudyError
from socscope.platform import ROOT
from socscope.simulation import Simulation
from socscope.study.rule30 import linux
from socscope.study.rule30.parameters import Caches, Rule30Parameters

# A free page of the register space of the chip, and a source of the interrupt controller that nothing has.
BASE = 0xFFE8_0000
INTERRUPT = 60
NAME = "rule30"
FOLDER = "/mnt"
MOUNT = f"mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host {FOLDER}"
EXTENDED = ("hw-dma",)


def attach(simulation: Simulation, parameters: Rule30Parameters) -> None:
    """Adds the engine to the running machine."""
    extended = parameters.mode in EXTENDED
    simulation.add(
        _engine()(
            at=BASE,
            name=NAME,
            interrupt=INTERRUPT,
            interrupt_number=INTERRUPT,
            latency_ns=parameters.latency_ns,
            batch=extended,
            dma=extended,
        )
    )


def share(simulation: Simulation, script: Console) -> str:
    """Lets the guest see driver and program; gives the folder where it finds them."""
    simulation.share(linux.programs(), read_only=True)
    linux.command(script, f"mkdir -p {FOLDER} && {MOUNT}")
    return FOLDER


def instructions(simulation: Simulation) -> int:
    """Instructions that all cores have executed so far."""
    return simulation.machine.cycle * simulation.machine.core_count


def cache_overrides(caches: Caches) -> list[str]:
    """What of the platform makes the caches."""
    if caches == "none":
        return []
    raise StudyError(f"caches {caches}: this platform has no model of them yet")


@cache
def _engine() -> type[Device]:
    """The class of the engine."""
    path = ROOT / "examples" / "rule30.py"
    spec = importlib.util.spec_from_file_location("socscope_rule30_engine", path)
    if spec is None or spec.loader is None:
        raise StudyError(f"{path} is missing: set SOCSCOPE_ROOT to the project's folder")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: type[Device] = module.Rule30
    return found
