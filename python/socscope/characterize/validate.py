"""A sheet held against what it was not made from: the same cases, run on simulated platforms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from socscope.characterize.dynamic.bench import Source
from socscope.characterize.dynamic.runs import points
from socscope.characterize.per_service import OnService, bench_of, each, fresh_bench
from socscope.characterize.services import PathFacts, ServiceFacts
from socscope.errors import CharacterizeError
from socscope.estimate.price import Target
from socscope.estimate.simulated import simple, simulated
from socscope.sheet.model import Path, Service, Sheet

VALUES_MAX = 12


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


def validate(
    sheet: Sheet,
    source: Source,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    on_service: OnService = lambda _name, _done, _total: None,
) -> list[Checked]:
    """Runs every path of a sheet on a simulated platform, for several values of each parameter.

    Fails when the image is not the sheet's, or a case does not run there.
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
    return [one for checked in runs for one in checked]


def _of_service(source: Source, sheet: Sheet, name: str) -> list[Checked]:
    bench = bench_of(source)
    service = next(one for one in sheet.services if one.name == name)
    facts = next((one for one in bench.services.service if one.name == name), None)
    if facts is None:
        raise CharacterizeError(f"{source.services}: describes no service {name}")
    machine = bench.ready.machine
    target = simulated(machine, sheet.sections, source.platform)
    plain = simple(target)
    found = []
    for path in service.paths:
        cases = next((one for one in facts.path if one.name == path.name), None)
        if cases is None:
            raise CharacterizeError(f"{source.services}: service {service.name} has no path {path.name}")
        for values in _values(facts, cases):
            cycles = bench.episode(facts, cases, values).cycles
            found.append(
                Checked(
                    platform=source.platform,
                    service=service.name,
                    path=path.name,
                    parameters=values,
                    simulated_cycles=cycles,
                    detailed=_cycles(target, service, path, values) / cycles,
                    simple=_cycles(plain, service, path, values) / cycles,
                )
            )
    return found


def _cycles(target: Target, service: Service, path: Path, values: Mapping[str, int]) -> Fraction:
    return target.ns(target.cost(service, path, values).uses) / target.platform.cycle_ns


def _values(service: ServiceFacts, path: PathFacts) -> list[dict[str, int]]:
    """Values to run a path for, those first that its formulas were not made from."""
    fitted, verified = points(service, path)
    listed = [*verified, *fitted]
    if len(listed) > VALUES_MAX:
        listed = [listed[number * (len(listed) - 1) // (VALUES_MAX - 1)] for number in range(VALUES_MAX)]
    names = [parameter.name for parameter in service.parameter]
    return [dict(zip(names, point, strict=True)) for point in listed]
