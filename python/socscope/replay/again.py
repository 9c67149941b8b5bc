"""A recorded run once more, from its input alone."""

from pathlib import Path

from socscope import _core
from socscope.clear import clear_errors
from socscope.errors import RecordError, SocscopeError
from socscope.options import Progress
from socscope.record import Run, sources
from socscope.replay.compare import Difference, differences
from socscope.simulation import Engine, Simulation


class Again:
    """A run that is repeated: the machine as it was built, and its recorded input on the way."""

    def __init__(
        self,
        run: Run,
        *,
        image: Path | None = None,
        engine: Engine = "translated",
        profile: bool | None = None,
    ) -> None:
        """Builds the machine; `profile` is as in the record unless it says otherwise."""
        self.run = run
        rerun = sources.rerun_of(run)
        facts = run.manifest
        self.simulation = Simulation(
            sources.platform_of(run),
            sources.image_of(run, image),
            overrides=facts.platform.overrides,
            profile=facts.profiled if profile is None else profile,
            window=facts.window,
            layers=sources.layers_of(run),
            engine=engine,
        )
        self.simulation.stop = facts.stop
        self._inputs = [
            ((row["cycle"], row["part"], bool(row["settled"])), row["encoded"]) for row in run.rows("input")
        ]
        self._end = (facts.stop.cycle, rerun.part, rerun.settled)
        self.core = self._replay()

    def _replay(self) -> _core.Replay:
        try:
            return _core.Replay(self.simulation.machine, self._inputs, self._end)
        except ValueError as error:
            raise RecordError(f"{self.run.folder}: table input is damaged: {error}") from None

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
        """What differs from the record at the end."""
        return differences(self.run, self.simulation)


def replay(
    run: Run,
    *,
    image: Path | None = None,
    engine: Engine = "translated",
    on_progress: Progress | None = None,
) -> Again:
    """Repeats a run to its end."""
    again = Again(run, image=image, engine=engine)
    again.advance(on_progress=on_progress)
    return again
