"""What a study is: a question, points, a run for each of them, and what follows from the runs."""

import inspect
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from socscope import _core
from socscope.errors import SocscopeError, StudyError
from socscope.record import Run
from socscope.study.parameters import Parameters
from socscope.study.sheet import Sheet
from socscope.study.space import Point
from socscope.version import VERSION

P = TypeVar("P", bound=Parameters)

# Told what is built or booted before the runs begin.
Say = Callable[[str], None]


@dataclass(frozen=True)
class Result(Generic[P]):
    """A run that was made, with the parameters that it was made for."""

    parameters: P
    run: Run


class Study(ABC, Generic[P]):
    """A study. The first paragraph of its class's text is the title; the others say what is asked, and how.

    `parameters` is the class of a run's parameters. Everything that goes into a run stands in the run's key:
    the parameters, what `inputs` says, the compiled core, and the files that `sources` names. Runs with equal
    keys are made once.
    """

    parameters: ClassVar[type[Parameters]] = Parameters
    reference = ""
    """What `socscope.study.find` has found it by, in every process."""

    @property
    def name(self) -> str:
        """The name of the study in commands and records."""
        return type(self).__name__.lower()

    def text(self) -> str:
        """Title, and paragraphs on the question and the choices made: the class's own text by default."""
        return inspect.getdoc(type(self)) or type(self).__name__

    @property
    def title(self) -> str:
        """The heading of the report."""
        return self._parts_of_text()[0].removeprefix("# ")

    @property
    def paragraphs(self) -> Sequence[str]:
        """What the report says below it."""
        return self._parts_of_text()[1:]

    @abstractmethod
    def space(self, *, quick: bool) -> Sequence[P] | Mapping[str, Sequence[P]]:
        """The points, or those of each part of the study; a point may stand in several parts."""

    def parts(self, *, quick: bool, settings: Sequence[str] = ()) -> dict[str, list[P]]:
        """The points of each part, once each; `settings` fix parameters in all of them."""
        space = self.space(quick=quick)
        parts = space if isinstance(space, Mapping) else {"all": space}
        return {
            name: list(dict.fromkeys(point.changed(settings) for point in points))
            for name, points in parts.items()
        }

    def inputs(self, parameters: P, say: Say) -> Mapping[str, str]:
        """Hashes of what goes into a run besides parameters and sources; builds what is not there yet."""
        return {}

    def sources(self) -> Sequence[Path]:
        """The files that say how a run is made: the one of this class, unless the study knows better."""
        return [Path(inspect.getfile(type(self)))]

    def prepare(self, points: Mapping[P, Point], folder: Path, *, jobs: int, say: Say) -> None:
        """Does what several runs need, before the first of them: `points` are those that are missing."""

    @abstractmethod
    def make(self, parameters: P, point: Point, folder: Path) -> None:
        """Makes one run, in a process that makes several, and writes its record to the folder."""

    def weight(self, parameters: P) -> float:
        """How long a run takes, compared with the others: for the estimate; long ones are made first."""
        return 1.0

    @abstractmethod
    def sheets(self, results: Mapping[str, Sequence[Result[P]]]) -> Sequence[Sheet]:
        """The outputs: pure functions of the results of each part. The first one sums the study up."""

    def sources_sha256(self) -> str:
        """Hash of the files that `sources` names."""
        whole = sha256()
        for path in self.sources():
            whole.update(hash_of(path).encode())
        return whole.hexdigest()

    def wanted(
        self, *, quick: bool, settings: Sequence[str] = (), only: Sequence[str] = ()
    ) -> dict[str, list[P]]:
        """The parts that are asked for: all of them, or those that `only` names."""
        parts = self.parts(quick=quick, settings=settings)
        for name in only:
            if name not in parts:
                raise StudyError(f"--part {name}: no such part; the study has {', '.join(parts)}")
        return {name: points for name, points in parts.items() if not only or name in only}

    def point(self, parameters: P, say: Say) -> Point:
        """The run of these parameters, with the hashes of all that goes into it."""
        with self.explained():
            inputs = {
                **self.inputs(parameters, say),
                "study": self.sources_sha256(),
                "core": hash_of(Path(_core.__file__)),
                "version": VERSION,
            }
        return Point(parameters.values(), inputs)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turns what the study's own functions raise into an error that says where."""
        try:
            yield
        except SocscopeError:
            raise
        except Exception as error:
            raise StudyError(located(error, self.sources())) from error

    def _parts_of_text(self) -> list[str]:
        return [part.strip() for part in self.text().split("\n\n") if part.strip()]


@lru_cache(maxsize=64)
def hash_of(path: Path) -> str:
    """Hash of a file that does not change while a study runs."""
    return sha256(path.read_bytes()).hexdigest()


def located(error: Exception, sources: Sequence[Path]) -> str:
    """What was raised, and where in these files."""
    own = {str(path.absolute()) for path in sources}
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if str(Path(frame.filename).absolute()) in own]
    said = f"{type(error).__name__}: {error}"
    return f"{inside[-1].filename}:{inside[-1].lineno}: {said}" if inside else said
