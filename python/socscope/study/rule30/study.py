"""The study: the state in which its runs begin, how one is made, what follows from them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from socscope.platform import of_project
from socscope.simulation import Simulation
from socscope.study.forked import ForkedStudy
from socscope.study.rule30 import engine, linux, outputs, parameters
from socscope.study.rule30.measures import Measured
from socscope.study.rule30.parameters import Rule30Parameters, space
from socscope.study.sheet import Sheet
from socscope.study.space import Value
from socscope.study.study import Result, Say, hash_of


class Rule30(ForkedStudy[Rule30Parameters]):
    """An accelerator under Linux."""

    parameters = Rule30Parameters
    machine_parameters = frozenset({"caches"})
    name = "rule30"

    def text(self) -> str:
        """What is asked, and the choices made."""
        return of_project("studies", "rule30", "README.md").read_text(encoding="utf-8")

    def sources(self) -> Sequence[Path]:
        """What says how a run is made."""
        modules = (engine, linux, parameters)
        return [Path(__file__), *(Path(module.__file__) for module in modules if module.__file__)]

    def space(self, *, quick: bool) -> Mapping[str, Sequence[Rule30Parameters]]:
        """The points by part."""
        return space(quick=quick)

    def inputs(self, parameters: Rule30Parameters, say: Say) -> Mapping[str, str]:
        """The booted state, and the driver and program that come into it later."""
        started = super().inputs(parameters, say)
        folder = linux.programs()
        return {**started, **{name: hash_of(folder / name) for name in (linux.MODULE, linux.PROGRAM)}}

    def machine(self, parameters: Rule30Parameters) -> Simulation:
        """The board with the kernel."""
        return Simulation(
            linux.PLATFORM,
            linux.kernel(),
            initrd=linux.initial_files(),
            append=linux.COMMAND_LINE,
            overrides=engine.cache_overrides(parameters.caches),
        )

    def boot(self, simulation: Simulation, parameters: Rule30Parameters) -> None:
        """Runs to the shell's prompt."""
        linux.boot(simulation)

    def measure(self, simulation: Simulation, parameters: Rule30Parameters) -> Mapping[str, Value]:
        """Adds the engine, brings driver and program in, and runs the program."""
        begun = engine.executed_cycles(simulation)
        script = linux.console(simulation)
        folder = engine.share(simulation, script)
        if parameters.hardware:
            engine.attach(simulation, parameters)
            linux.load(script, f"{folder}/{linux.MODULE}", engine.BASE)
        if parameters.tasks:
            simulation.watch_tasks()
        found = linux.compute(script, folder, parameters)
        return {**found, "executed_cycles": engine.executed_cycles(simulation) - begun}

    def weight(self, parameters: Rule30Parameters) -> float:
        """By the lines, and by the cells where software computes them one by one."""
        per_line = {"char": 12.0 * parameters.length_bits, "bit": 600.0 + parameters.length_bits}
        return parameters.packets * parameters.lines * per_line.get(parameters.mode, 6000.0)

    def sheets(self, results: Mapping[str, Sequence[Result[Rule30Parameters]]]) -> list[Sheet]:
        """The outputs whose runs are there."""
        parts = {name: [Measured(one.parameters, one.run) for one in part] for name, part in results.items()}
        sheets: list[Sheet] = []
        if whole := parts.get("map"):
            sheets += [outputs.crossovers(whole), outputs.whole_map(whole)]
        if coarse := parts.get("coarse"):
            sheets.append(outputs.coarse(coarse))
        if whole:
            sheets += [outputs.driver(whole), outputs.break_even(whole), outputs.jitter(whole)]
        for name, make in (
            ("detail", outputs.split),
            ("designs", outputs.designs),
            ("caches", outputs.caches),
        ):
            if part := parts.get(name):
                sheets.append(make(part))
        return [*sheets, outputs.host(parts)]
