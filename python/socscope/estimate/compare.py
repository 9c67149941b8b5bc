"""Two sheets side by side on one platform: which service is dearer, and where one overtakes the other."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from socscope.errors import EstimateError
from socscope.estimate import choose
from socscope.estimate.choose import Values
from socscope.estimate.knob import Knob, crossings
from socscope.estimate.price import PathCost, Target
from socscope.estimate.result import Json, PathPrice, doubts, plain, prices
from socscope.sheet.model import Service, Sheet
from socscope.sheet.verified import outside

# A parameter with more values than this is followed only in a range that the user gives.
VALUES_MAX = 4096


@dataclass(frozen=True)
class Side:
    """One of the two: its sheet and where its sections lie."""

    sheet: Sheet
    target: Target


@dataclass(frozen=True)
class Overtaking:
    """From `value` on (for an access time: above it) `dearer` is the dearer one, 0 for the first sheet."""

    along: str
    unit: str
    value: Fraction
    dearer: int

    def as_json(self) -> Json:
        """For other programs."""
        return {"along": self.along, "unit": self.unit, "value": plain(self.value), "dearer": self.dearer}


@dataclass
class Pair:
    """A service of both sheets, each by its dearest path."""

    first: PathPrice
    second: PathPrice
    overtakings: list[Overtaking] = field(default_factory=list)

    @property
    def ratio(self) -> Fraction | None:
        """The second's price over the first's."""
        return self.second.total_ns / self.first.total_ns if self.first.total_ns else None

    def as_json(self) -> Json:
        """For other programs."""
        return {
            "first": self.first.as_json(),
            "second": self.second.as_json(),
            "ratio": None if self.ratio is None else float(self.ratio),
            "overtakings": [one.as_json() for one in self.overtakings],
        }


@dataclass(frozen=True)
class Range:
    """Along what overtakings are sought: a parameter from `first` to `last`, or a knob of the platform."""

    name: str
    first: int | None = None
    last: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Range":
        """Reads `N`, `N=0..64`, `memory.ext`."""
        name, equals, values = text.partition("=")
        first, dots, last = values.partition("..")
        if not equals:
            return cls(name.strip())
        if not (dots and first.strip().isdigit() and last.strip().isdigit() and int(first) < int(last)):
            raise EstimateError(
                f"{text!r}: no range of a parameter; write N=0..64, or memory.NAME without a range"
            )
        if int(last) - int(first) > VALUES_MAX:
            raise EstimateError(f"{text!r}: more than {VALUES_MAX} values; follow it in pieces")
        return cls(name.strip(), int(first), int(last))


@dataclass(frozen=True)
class Comparison:
    """All that two sheets have in common, and what only one has."""

    pairs: list[Pair]
    only_first: list[str]
    only_second: list[str]
    followed: Sequence[Range] = ()
    """What the user wanted overtakings to be sought along."""

    def doubts(self) -> list[str]:
        """Why prices of either sheet may not hold, at what was given or along what was followed."""
        said: dict[str, None] = {}
        for costs in ([pair.first.cost for pair in self.pairs], [pair.second.cost for pair in self.pairs]):
            said |= dict.fromkeys(doubts(costs))
            for along in self.followed:
                for end in (along.first, along.last):
                    ends = {} if end is None else {along.name: end}
                    services = (cost.service for cost in costs)
                    said |= dict.fromkeys(
                        note for one in services for path in one.paths for note in outside(one, path, ends)
                    )
        return list(said)


def compare(
    first: Side,
    second: Side,
    values: Values,
    *,
    services: Sequence[str] = (),
    renamed: Mapping[str, str] | None = None,
    along: Sequence[Range] | None = None,
    on_progress: Callable[[float], None] = lambda _share: None,
) -> Comparison:
    """Prices both sheets' services of the same name (or those of `renamed`, first to second).

    Overtakings are sought along every parameter whose range the sheets give and every memory, or `along`.
    """
    renamed = dict(renamed or {})
    for one, like in renamed.items():
        choose.service(first.sheet, one)
        choose.service(second.sheet, like)
    by_name = {service.name: service for service in second.sheet.services}
    partner = {s.name: renamed.get(s.name, s.name) for s in first.sheet.services}
    chosen = choose.services(first.sheet, services)
    known = [service for service in chosen if partner[service.name] in by_name]
    others = [by_name[partner[service.name]] for service in known]
    if not known:
        raise EstimateError(
            f"{first.sheet.kernel.name} and {second.sheet.kernel.name} have no service in common; "
            "say which are alike: --pair NAME=NAME"
        )
    values.check([*known, *others])
    pairs = []
    for number, (service, other) in enumerate(zip(known, others, strict=True), start=1):
        pair = Pair(prices(first.target, service, values)[0], prices(second.target, other, values)[0])
        pair.overtakings = _overtakings((first, service), (second, other), values, along)
        pairs.append(pair)
        on_progress(number / len(known))
    taken = {service.name for service in others}
    return Comparison(
        pairs,
        [service.name for service in chosen if service not in known],
        [] if services else [name for name in by_name if name not in taken],
        along or (),
    )


_End = tuple[Side, Service]


def _overtakings(
    first: _End, second: _End, values: Values, along: Sequence[Range] | None
) -> list[Overtaking]:
    platform = first[0].target.platform
    ranges = along
    if ranges is None:
        names = dict.fromkeys(p.name for _, service in (first, second) for p in service.parameters)
        ranges = [Range(name) for name in names] + [Range(f"memory.{name}") for name in platform.memories]
    found: list[Overtaking] = []
    for one in ranges:
        if any(one.name == p.name for _, service in (first, second) for p in service.parameters):
            found += _along_parameter(first, second, values, one)
        elif "." in one.name or one.name.endswith(("_ns", "_mhz")):
            found += _along_knob(first, second, values, Knob.parse(one.name, platform))
        elif along is not None and one.first is None:
            raise EstimateError(f"{one.name}: neither a parameter of {first[1].name} nor memory.NAME")
    return found


def _costs(end: _End, values: Mapping[str, int]) -> list[PathCost]:
    side, service = end
    return [side.target.cost(service, path, values) for path in service.paths]


def _along_knob(first: _End, second: _End, values: Values, knob: Knob) -> list[Overtaking]:
    lines = [
        [knob.line(side.target, cost.uses) for cost in _costs((side, service), values.of(service))]
        for side, service in (first, second)
    ]
    found = []
    for x in crossings(lines[0], lines[1]):
        # Just above the crossing the one that rises faster is dearer.
        slopes = [
            max(line.slope for line in side if line.at(x) == max(o.at(x) for o in side)) for side in lines
        ]
        dearer = 0 if slopes[0] > slopes[1] else 1
        # In MHz the order is turned round: a longer cycle is a lower clock.
        found.append(Overtaking(knob.text, knob.unit, knob.outward(x), dearer ^ (knob.unit == "MHz")))
    return found


def _along_parameter(first: _End, second: _End, values: Values, along: Range) -> list[Overtaking]:
    span = list(_span([service for _, service in (first, second)], along))
    if len(span) < 2:
        return []
    sides = [_totals(end, values, along.name, span) for end in (first, second)]
    found = []
    before = 0
    for value, *totals in zip(span, *sides, strict=True):
        sign = (totals[0] > totals[1]) - (totals[0] < totals[1])
        if sign and before and sign != before:
            found.append(Overtaking(along.name, "", Fraction(value), 0 if sign > 0 else 1))
        before = sign or before
    return found


def _totals(end: _End, values: Values, name: str, span: Sequence[int]) -> list[Fraction]:
    """The price of the dearest path for each value of a parameter."""
    side, service = end
    found: list[list[Fraction]] = []
    for path in service.paths:
        given = {**values.of(service), name: span[0]}
        if name not in path.names:
            found.append([side.target.ns(side.target.cost(service, path, given).uses)] * len(span))
        else:
            found.append(side.target.along(service, path, given, name, span))
    return [max(totals) for totals in zip(*found, strict=True)]


def _span(services: Iterable[Service], along: Range) -> Iterable[int]:
    """The values that both services were verified for, or those that the user gives."""
    if along.first is not None and along.last is not None:
        return range(along.first, along.last + 1)
    parameters = [p for service in services for p in service.parameters if p.name == along.name]
    first = max(parameter.minimum for parameter in parameters)
    last = min((p.maximum for p in parameters if p.maximum is not None), default=first)
    return range(first, min(last, first + VALUES_MAX) + 1)
