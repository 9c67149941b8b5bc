"""A sheet held against what it was not made from: the same cases, run on simulated platforms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from socscope.characterize.dynamic.bench import Source
from socscope.characterize.dynamic.runs import points, some
from socscope.characterize.per_service import OnService, bench_of, each, fresh_bench
from socscope.characterize.services import PathFacts, ServiceFacts
from socscope.errors import CharacterizeError, SocscopeError
from socscope.estimate.price import Target
from socscope.estimate.simulated import simple, simulated
from socscope.sheet.model import Path, Service, Sheet

VALUES_MAX = 12
OTHERS_MAX = 3
"""Values of each parameter besides those of the description."""


@dataclass(frozen=True)
class Checked:
    """One run of a path, and what the sheet says of it."""

    platform: str
    service: str
    path: str
    parameters: Mapping[str, int]
    simulated_cycles: int
    detailed: Fraction
    """The estimate with all access times over the simulated time."""
    simple: Fraction
    """The same with one access time for each memory and width."""

    @property
    def safe(self) -> bool:
        """Whether no estimate is below the simulated time."""
        return min(self.detailed, self.simple) >= 1


@dataclass(frozen=True)
class Failed:
    """A run that came to nothing, or a service whose paths could not be run."""

    platform: str
    service: str
    path: str
    parameters: Mapping[str, int]
    why: str


@dataclass(frozen=True)
class Validation:
    """What came of all runs on a platform."""

    checked: list[Checked]
    failed: list[Failed]


def validate(
    sheet: Sheet,
    source: Source,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    on_service: OnService = lambda _name, _done, _total: None,
) -> Validation:
    """Runs every path of a sheet on a simulated platform, for several values of each parameter.

    Fails when the image is not the sheet's. A case that does not run there ends nothing: it is among those
    that failed.
    """
    bench = fresh_bench(source)
    if bench.image.sha256 != sheet.kernel.image_sha256:
        raise CharacterizeError(
            f"{source.image}: is not the image of the sheet ({sheet.kernel.name} "
            f"{sheet.kernel.version}): their hashes differ; give that image, or characterize this one"
        )
    known = {service.name: service for service in sheet.services}
    for name in only:
        if name not in known:
            raise CharacterizeError(f"no service is called {name}; the sheet has {', '.join(known)}")
    wanted = [name for name in known if not only or name in only]
    runs = each(partial(_of_service, source, sheet), wanted, jobs=jobs, on_service=on_service)
    return Validation(
        [one for run in runs for one in run.checked], [one for run in runs for one in run.failed]
    )


def _of_service(source: Source, sheet: Sheet, name: str) -> Validation:
    bench = bench_of(source)
    service = next(one for one in sheet.services if one.name == name)
    done = Validation([], [])

    def failed(path: str, why: str, values: Mapping[str, int] | None = None) -> None:
        done.failed.append(Failed(source.platform, name, path, values or {}, why))

    facts = next((one for one in bench.services.service if one.name == name), None)
    if facts is None:
        failed("", f"{source.services}: describes no service {name}")
        return done
    machine = bench.ready.machine
    target = simulated(machine, sheet.sections, source.platform)
    plain = simple(target)
    for path in service.paths:
        cases = next((one for one in facts.path if one.name == path.name), None)
        if cases is None:
            failed(path.name, f"{source.services}: service {service.name} has no path {path.name}")
            continue
        for values in _values(facts, cases, path):
            try:
                cycles = bench.episode(facts, cases, values).cycles
                detailed, simple_ = (_cycles(on, service, path, values) / cycles for on in (target, plain))
            except SocscopeError as error:
                failed(path.name, str(error), values)
                continue
            done.checked.append(
                Checked(
                    platform=source.platform,
                    service=service.name,
                    path=path.name,
                    parameters=values,
                    simulated_cycles=cycles,
                    detailed=detailed,
                    simple=simple_,
                )
            )
    return done


def _cycles(target: Target, service: Service, path: Path, values: Mapping[str, int]) -> Fraction:
    return target.ns(target.cost(service, path, values).uses) / target.platform.cycle_ns


def _values(service: ServiceFacts, cases: PathFacts, path: Path) -> list[dict[str, int]]:
    """Values to run a path for: those of the description, and others that the sheet says were run."""
    fitted, verified = points(service, cases)
    known = [*verified, *fitted]
    listed = some(known, VALUES_MAX)
    names = [parameter.name for parameter in service.parameter]
    varied = [place for place, name in enumerate(names) if name not in cases.fixed]
    # Of several parameters the case may not take every combination.
    for place in varied if len(varied) == 1 else ():
        name = names[place]
        others = {point[place] for point in known}
        run = [
            value for first, last in path.fit.values.get(name, ()) for value in dict.fromkeys((first, last))
        ]
        for number, value in enumerate(some([one for one in run if one not in others], OTHERS_MAX)):
            base = known[number % len(known)]
            listed.append((*base[:place], value, *base[place + 1 :]))
    return [dict(zip(names, point, strict=True)) for point in listed]
