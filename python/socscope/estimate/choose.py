"""Which services and paths are meant, and with which parameters."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from socscope.errors import EstimateError
from socscope.sheet.model import Parameter, Path, Service, Sheet

Rest = Literal["minimum", "maximum"]


@dataclass(frozen=True)
class Values:
    """Values of parameters: for every service that has them, for one service, and for what is left out."""

    everywhere: Mapping[str, int] = field(default_factory=dict)
    by_service: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rest: Rest | None = None

    @classmethod
    def parse(cls, texts: Iterable[str], rest: Rest | None = None) -> "Values":
        """Reads `N=13` and `SERVICE.N=13`."""
        everywhere: dict[str, int] = {}
        by_service: dict[str, dict[str, int]] = {}
        for text in texts:
            found = re.fullmatch(r"(?:(.+)\.)?([A-Za-z_]\w*)=(-?\d{1,15})", text.strip())
            if found is None:
                raise EstimateError(
                    f"{text!r}: no value of a parameter; write N=13, or SERVICE.N=13 for one service"
                )
            service, name, value = found.groups()
            (by_service.setdefault(service, {}) if service else everywhere)[name] = int(value)
        return cls(everywhere, by_service, rest)

    def of(self, service: Service) -> dict[str, int]:
        """The values for a service; a parameter without value is left out."""
        given = {**self.everywhere, **self.by_service.get(service.name, {})}
        found = {}
        for parameter in service.parameters:
            value = given.get(parameter.name, self._rest(service, parameter))
            if value is not None:
                found[parameter.name] = value
        return found

    def _rest(self, service: Service, parameter: Parameter) -> int | None:
        if self.rest == "minimum":
            return parameter.minimum
        if self.rest == "maximum" and parameter.maximum is None:
            raise EstimateError(
                f"service {service.name}: the parameter {parameter.name} ({parameter.meaning}) has no "
                f"maximum in the sheet; give --with {parameter.name}=..."
            )
        return parameter.maximum if self.rest == "maximum" else None

    def check(self, services: Sequence[Service]) -> None:
        """Fails when a value is given for a parameter that no chosen service has."""
        known = {parameter.name for service in services for parameter in service.parameters}
        for name in self.everywhere:
            if name not in known:
                raise EstimateError(
                    f"{name}: no chosen service has this parameter; "
                    + (f"there are {', '.join(sorted(known))}" if known else "they have none")
                )
        by_name = {service.name: service for service in services}
        for service_name, values in self.by_service.items():
            if service_name not in by_name:
                raise EstimateError(f"{service_name}: is not among the chosen services")
            own = {parameter.name for parameter in by_name[service_name].parameters}
            for name in sorted(set(values) - own):
                raise EstimateError(
                    f"service {service_name} has no parameter {name}; "
                    + (f"it has {', '.join(sorted(own))}" if own else "it has none")
                )


def services(sheet: Sheet, names: Sequence[str]) -> list[Service]:
    """The services of these names; all without names."""
    return [service(sheet, name) for name in names] or list(sheet.services)


def service(sheet: Sheet, name: str) -> Service:
    """The service of this name; fails with those that are meant, perhaps."""
    known = {one.name: one for one in sheet.services}
    if name not in known:
        raise EstimateError(
            f"{name}: the sheet of {sheet.kernel.name} has no such service; {_similar(name, known)}"
        )
    return known[name]


def paths(of: Service, name: str | None) -> list[Path]:
    """The path of this name; all without a name."""
    known = {one.name: one for one in of.paths}
    if name is not None and name not in known:
        raise EstimateError(f"{name}: service {of.name} has no such path; it has {', '.join(known)}")
    return [known[name]] if name is not None else list(of.paths)


def _similar(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=5, cutoff=0.5)
    if near:
        return f"did you mean {', '.join(near)}?"
    return f"there are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
