"""Studies whose runs all begin in one state: the machine boots once, and each run forks it."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Generic

from socscope import _core, processes
from socscope.errors import StudyError
from socscope.record.sources import CHECKPOINTS, IMAGES
from socscope.simulation import Simulation
from socscope.study import reads
from socscope.study.sheet import Sheet
from socscope.study.space import Point, Value
from socscope.study.study import P, Result, Say, Study, hash_of

START = "start"


class ForkedStudy(Study[P], Generic[P]):
    """A study in three functions: `machine` builds, `boot` brings it to where runs begin, `measure` is a run.

    `machine_parameters` names the parameters that machine and boot depend on; by default on none of them, and
    all runs begin in one and the same state.
    """

    machine_parameters: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def machine(self, parameters: P) -> Simulation:
        """The machine before its first instruction."""

    def boot(self, simulation: Simulation, parameters: P) -> None:
        """Brings it to the state in which the runs begin."""

    @abstractmethod
    def measure(self, simulation: Simulation, parameters: P) -> Mapping[str, Value]:
        """One run, from that state on; gives what was found besides what the record tells.

        It checks that the work was really done, and raises StudyError when it was not.
        """

    def sheets(self, results: Mapping[str, Sequence[Result[P]]]) -> Sequence[Sheet]:
        """A table for each part: parameters and what was found."""
        return [_table(self.title, name, part) for name, part in results.items()]

    def inputs(self, parameters: P, say: Say) -> Mapping[str, str]:
        """The state in which the run begins, named by what it is made from."""
        origin = self._origin(parameters)
        known: dict[str, str] = self.__dict__.setdefault("_starts", {})
        text = json.dumps(origin, sort_keys=True)
        if text not in known:
            say(f"machine {_described(origin)}".rstrip())
            known[text] = self._start(self.machine(parameters), origin)
        return {START: known[text]}

    def prepare(self, points: Mapping[P, Point], folder: Path, *, jobs: int, say: Say) -> None:
        """Boots the states that are not there yet, or were made from something that has changed."""
        todo = {
            point.inputs[START]: parameters
            for parameters, point in points.items()
            if not _checkpoint(folder, point).is_file() or reads.changed(_notes(folder, point))
        }
        failures: list[str] = []
        for parameters in todo.values():
            say(f"boots {_described(self._origin(parameters))}".rstrip())
        processes.each(
            partial(_boot, self.reference, folder),
            [points[parameters] for parameters in todo.values()],
            jobs=jobs,
            on_result=lambda _number, _none: None,
            on_failure=lambda _number, failure: failures.append(failure),
        )
        if failures:
            raise StudyError("the guest does not come to where the runs begin:\n" + "\n".join(failures))

    def make(self, parameters: P, point: Point, folder: Path) -> None:
        """Forks the state, measures, records."""
        results = folder.parents[1]
        reads.inherit(_notes(results, point))
        state = _checkpoint(results, point)
        simulation = _restored(state, state.stat().st_mtime_ns).fork()
        found = self.measure(simulation, parameters)
        simulation.record(
            folder,
            command=["study", self.name],
            parameters={**point.parameters, **found},
            images=folder.parent / IMAGES,
        )

    def _origin(self, parameters: P) -> dict[str, Value]:
        return {name: value for name, value in parameters.values().items() if name in self.machine_parameters}

    def _start(self, simulation: Simulation, origin: dict[str, Value]) -> str:
        """The name of the state after the boot: of all that goes into it."""
        parts = [
            simulation.platform.sha256,
            *simulation.overrides,
            simulation.image.sha256,
            simulation.machine.state_hash(),
            hash_of(Path(_core.__file__)),
            self.sources_sha256(),
            json.dumps(origin, sort_keys=True),
        ]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _boot(reference: str, folder: Path, point: Point) -> None:
    """Boots the state of a point, in a process of its own."""
    from socscope.study.find import find  # noqa: PLC0415 - it imports the studies.

    reads.watch()
    study = find(reference)
    assert isinstance(study, ForkedStudy)
    parameters = study.parameters.of(point.parameters)
    with reads.noted(_notes(folder, point), folder), study.explained():
        simulation = study.machine(parameters)
        study.boot(simulation, parameters)
        simulation.checkpoint(_checkpoint(folder, point))


def _checkpoint(folder: Path, point: Point) -> Path:
    return folder / CHECKPOINTS / f"{point.inputs[START]}.checkpoint"


def _notes(folder: Path, point: Point) -> Path:
    """What was read to make the state."""
    return _checkpoint(folder, point).with_suffix(".json")


# Runs are sorted by nothing that a state depends on; each is kept by each process.
@lru_cache(maxsize=8)
def _restored(path: Path, _made_ns: int) -> Simulation:
    return Simulation.restore(path)


def _described(origin: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} {value}" for name, value in origin.items())


def _table(title: str, name: str, results: Sequence[Result[P]]) -> Sheet:
    rows = [dict(result.run.manifest.parameters) for result in results]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    shown = {column: column.replace("_", " ") for column in columns}
    whole = [{column: row.get(column) for column in columns} for row in rows]
    return Sheet(name, title if name == "all" else name, "What was found, for each run.", shown, whole)
