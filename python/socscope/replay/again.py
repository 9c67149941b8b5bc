"""A recorded run once more, from its input alone."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from socscope import _core
from socscope.clear import clear_errors
from socscope.device.device import Device
from socscope.errors import RecordError, SocscopeError
from socscope.image import Image
from socscope.options import Progress
from socscope.record import Run, integrity, sources
from socscope.record.manifest import Begin
from socscope.record.write import MANIFEST
from socscope.replay.compare import Difference, differences, state_differences
from socscope.replay.start import Start
from socscope.simulation import Engine, Simulation

# Makes the devices written in Python that a run had, once for each time that it is run again.
Devices = Callable[[], Sequence[Device]]


class Again:
    """A run that is repeated: the machine as it was built, and its recorded input on the way."""

    def __init__(
        self,
        run: Run,
        *,
        image: Path | Image | None = None,
        engine: Engine = "translated",
        profile: bool | None = None,
        devices: Devices = tuple,
        start: Start | None = None,
        goal: Start | None = None,
        listen: Callable[[Simulation], None] = lambda _simulation: None,
    ) -> None:
        """Builds the machine; `profile` is as in the record unless it says otherwise.

        `listen` sets probes of one's own before the first instruction.
        The run is repeated from power-on, or from the checkpoint `start` on its way; to its end, or to the
        checkpoint `goal`.
        """
        self.run = run
        self._rerun = sources.rerun_of(run)
        self._start, self._goal = start, goal
        facts = run.manifest
        profile = facts.profiled if profile is None else profile
        begin = self._rerun.profile_from if facts.profiled else None
        loaded, layers = sources.image_of(run, image), sources.layers_of(run)
        self.simulation = (
            Simulation(
                sources.platform_of(run),
                loaded,
                overrides=facts.platform.overrides,
                layers=layers,
                engine=engine,
            )
            if start is None
            else start.restore(loaded, layers, engine)
        )
        listen(self.simulation)
        if profile and begin is None:
            self._enable_profile()
        self.simulation.stop = facts.stop
        self._give(devices())
        integrity.check_numbers(run, "input")
        self._inputs = [
            ((row["cycle"], row["part"], bool(row["settled"])), row["encoded"]) for row in run.rows("input")
        ]
        if goal is not None:
            self.core = self._replay(self._inputs[: goal.place.inputs], goal.moment)
            return
        stages: list[tuple[Begin, Callable[[], None]]] = []
        if profile and begin is not None:
            stages.append((begin, self._enable_profile))
        if self._rerun.tasks_from is not None:
            stages.append((self._rerun.tasks_from, self.simulation.watch_tasks))
        for point in self._rerun.marks:
            stages.append((point.since, partial(self.simulation.mark_again, point)))
        for at, action in sorted(stages, key=lambda stage: stage[0].order):
            # What a checkpoint holds is behind its own beginning.
            if not at.at_power_on and (start is None or at.cycle):
                self.core = self._replay(self._inputs[: at.inputs], at.place)
                self.advance()
            action()
        self.core = self._replay(self._inputs, (facts.stop.cycle, self._rerun.part, self._rerun.settled))

    def _enable_profile(self) -> None:
        try:
            self.simulation.enable_again(self.run.manifest.window, self._rerun.module_functions)
        except (ValueError, OverflowError) as error:
            place = f"{self.run.folder / MANIFEST}: damaged at rerun.module_functions"
            raise RecordError(f"{place}: {error}; run again") from None

    def _give(self, devices: Sequence[Device]) -> None:
        missing = sorted(set(self._rerun.devices) - {device.name for device in devices})
        if missing:
            raise RecordError(
                f"{self.run.folder}: the run had devices written in Python, which a record cannot hold: "
                f"give {', '.join(missing)} from Python, with devices="
            )
        for device in devices:
            self.simulation.machine.give_device(device.model(), device, device.name)
            self.simulation.devices[device.name] = device
            device.joined(self.simulation)

    def _replay(self, inputs: list[tuple[sources.Place, bytes]], end: sources.Place) -> _core.Replay:
        try:
            return _core.Replay(self.simulation.machine, inputs, end)
        except ValueError as error:
            raise RecordError(f"{self.run.folder}: table input is damaged: {error}") from None

    @property
    def middle(self) -> int:
        """The cycle halfway between the begin of the profile, or of the repeated run, and the end."""
        begin = self._rerun.profile_from
        return (max(begin.cycle if begin else 0, self._first) + self._last) // 2

    def share(self, cycle: int) -> float:
        """How far the repeated run is at a cycle, 0 to 1."""
        return min((cycle - self._first) / max(self._last - self._first, 1), 1.0)

    @property
    def _first(self) -> int:
        return self._start.place.cycle if self._start else 0

    @property
    def _last(self) -> int:
        return self._goal.place.cycle if self._goal else self.run.manifest.stop.cycle

    def advance(self, cycle: int | None = None, on_progress: Progress | None = None) -> None:
        """Goes on to a cycle, or to the end."""
        try:
            with clear_errors():
                self.core.advance(cycle, on_progress)
        except SocscopeError as error:
            raise RecordError(f"{self.run.folder}: {error}") from None

    def over_checkpoint(self) -> None:
        """Writes the machine into a checkpoint, and goes on with another one that is read from it."""
        with clear_errors():
            self.core.over_checkpoint()

    def differences(self) -> list[Difference]:
        """What differs from the record at the end, or from the checkpoint that was to be reached."""
        if self._goal is not None:
            return state_differences(self.simulation, self._goal.place.cycle, self._goal.state_hash)
        return differences(self.run, self.simulation)


def replay(
    run: Run,
    *,
    image: Path | None = None,
    engine: Engine = "translated",
    devices: Devices = tuple,
    on_progress: Progress | None = None,
) -> Again:
    """Repeats a run to its end. `devices` makes those written in Python that the run had."""
    again = Again(run, image=image, engine=engine, devices=devices)
    again.advance(on_progress=on_progress)
    return again
