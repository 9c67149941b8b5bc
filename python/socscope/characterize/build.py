"""From an image and its description to a cost sheet: all services, several at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from socscope.characterize import kernel
from socscope.characterize.dynamic.bench import ARM, Bench, Source
from socscope.characterize.dynamic.measure import MeasuredPath, measure
from socscope.characterize.per_service import OnService, bench_of, each, fresh_bench
from socscope.characterize.services import ServiceFacts, Services
from socscope.errors import CharacterizeError, SocscopeError
from socscope.record.manifest import Timing
from socscope.sheet.model import Kernel, Parameter, Path, Service, Sheet, Static
from socscope.version import VERSION

CORE_OF_ARM = "arm7tdmi"


@dataclass(frozen=True)
class MeasuredService:
    """A service as its runs and its binary show it."""

    name: str
    paths: list[MeasuredPath]
    static: Static | None
    failure: str = ""
    """Why there is no static side, or no trust in it."""
    own_without_effect: Mapping[int, str] = field(default_factory=dict)
    """Annotations of the service that changed nothing, by their number, with the reason."""
    common_without_effect: Mapping[int, str] = field(default_factory=dict)
    """The same for those of all services."""


@dataclass(frozen=True)
class Characterized:
    """A sheet, and what is left of the runs when it is made."""

    sheet: Sheet
    services: list[MeasuredService]
    warnings: list[str] = field(default_factory=list)
    """Annotations without effect: file, place and reason."""

    @property
    def failures(self) -> list[str]:
        """What went wrong with services that are in the sheet all the same."""
        return [service.failure for service in self.services if service.failure]


def characterize(
    source: Source,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    static: bool = True,
    references: Sequence[str] = (),
    on_service: OnService = lambda _name, _done, _total: None,
) -> Characterized:
    """Runs and analyses all services of a description, or those that are named.

    Worst paths are bounded on the source's platform, and on those of `references`.
    Fails with all that is wrong with the cases; nothing is written here.
    """
    bench = fresh_bench(source)
    wanted = _wanted(bench.services, only, source)
    work = partial(_of_service, source, static, tuple(references))
    measured = each(work, [service.name for service in wanted], jobs=jobs, on_service=on_service)
    warnings = _without_effect(source, bench.services, measured)
    return Characterized(_sheet(bench, wanted, measured), measured, warnings)


def _without_effect(source: Source, services: Services, measured: Sequence[MeasuredService]) -> list[str]:
    """Annotations that changed nothing; those of all services only where all were bounded."""
    found = [
        f"{source.services}: service {one.name}, annotations[{number}]: {why}"
        for one in measured
        for number, why in one.own_without_effect.items()
    ]
    bounded = [one for one in measured if one.static is not None]
    if len(bounded) == len(services.service):
        for number in range(len(services.annotation)):
            reasons = {one.common_without_effect.get(number) for one in bounded}
            if None not in reasons:
                why = next(text for text in reasons if text)
                where = f"{source.services}: annotation[{number}]"
                found.append(f"{where}, in no service: {why}" if len(bounded) > 1 else f"{where}: {why}")
    return found


def _wanted(services: Services, only: Sequence[str], source: Source) -> list[ServiceFacts]:
    known = {service.name: service for service in services.service}
    for name in only:
        if name not in known:
            raise CharacterizeError(
                f"{source.services}: no service is called {name}; there are {', '.join(known)}"
            )
    return [service for name, service in known.items() if not only or name in only]


def _of_service(source: Source, static: bool, references: Sequence[str], name: str) -> MeasuredService:
    bench = bench_of(source)
    service = next(one for one in bench.services.service if one.name == name)
    paths = [measure(bench, service, path) for path in service.path]
    if not static:
        return MeasuredService(name, paths, None)
    from socscope.characterize.bound import bounded, reference  # noqa: PLC0415 - not all want it.

    try:
        others = [reference(bench_of(replace(source, platform=one))) for one in references]
        side = bounded(bench, service, paths, others)
    except SocscopeError as error:
        return MeasuredService(name, paths, None, failure=str(error))
    # What runs have said is in the sheet by now; it is large, and must not travel between processes.
    light = [replace(path, entered={}) for path in paths]
    return MeasuredService(
        name,
        light,
        side.static,
        own_without_effect=side.own_without_effect,
        common_without_effect=side.common_without_effect,
    )


def _sheet(bench: Bench, wanted: Sequence[ServiceFacts], measured: Sequence[MeasuredService]) -> Sheet:
    facts, image = bench.services, bench.image
    kernel_code = [
        one for one, out in zip(image.functions, bench.application.left_out, strict=True) if not out
    ]
    services = [
        Service(
            name=service.name,
            summary=service.summary,
            kind=service.kind,
            entry=service.entry,
            parameters=_verified(service, result),
            paths=[
                Path(name=path.name, summary=path.summary, ends=path.ends, parts=one.parts, fit=one.fit)
                for path, one in zip(service.path, result.paths, strict=True)
            ],
            static=result.static,
        )
        for service, result in zip(wanted, measured, strict=True)
    ]
    used = sorted(
        set().union(*(part.sections() for one in services for path in one.paths for part in path.parts))
    )
    return Sheet(
        generator=f"socscope {VERSION}",
        kernel=Kernel(
            name=facts.kernel.name,
            version=facts.kernel.version,
            image_sha256=image.sha256,
            compiler=kernel.compiler(image),
            configuration=facts.kernel.configuration,
            instruction_set=kernel.instruction_set(image, kernel_code),
            core=CORE_OF_ARM if image.machine == ARM else bench.ready.machine.cores[0][0],
        ),
        sections=bench.sections.for_sheet(used),
        services=services,
        accuracy=Timing.model_validate(bench.ready.machine.timing()),
    )


def _verified(service: ServiceFacts, measured: MeasuredService) -> list[Parameter]:
    """The parameters with the values that were run: beyond these nothing was verified."""
    found = []
    for place, parameter in enumerate(service.parameter):
        values = [point[place] for path in measured.paths for point in path.cycles]
        found.append(
            Parameter(
                name=parameter.name, meaning=parameter.meaning, minimum=min(values), maximum=max(values)
            )
        )
    return found
