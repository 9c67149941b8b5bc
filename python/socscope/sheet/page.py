"""A cost sheet as one HTML page: it prints, and it prices itself anew when an access time is moved."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path as File
from typing import Any

from markupsafe import Markup

from socscope.errors import EstimateError, FormulaError
from socscope.estimate.choose import Values
from socscope.estimate.mapping import REST, Placement
from socscope.estimate.platform import (
    BRANCH,
    CYCLE,
    IDLE,
    READ_AFTER_WRITE,
    SELECT,
    TURNAROUND,
    Entry,
    Platform,
    Time,
)
from socscope.estimate.price import INCLUDED, Target
from socscope.estimate.result import plain, price, shown
from socscope.report.page import FOLDER as REPORT
from socscope.report.page import asset, embedded_json, environment
from socscope.sheet.model import Count, Part, Path, Service, Sheet
from socscope.sheet.picture import sanitised
from socscope.sheet.verified import of_path, upper_bound

FOLDER = File(__file__).parent
# What an access costs on a page that was made without a platform, until a slider is moved.
UNKNOWN_NS = Fraction(10)


@dataclass(frozen=True)
class Row:
    """A line of a path's table: what is counted, with its formula in each part."""

    section: str
    what: str
    formulas: list[str]


def render(sheet: Sheet, target: Target | None = None, values: Values | None = None) -> str:
    """The page; without a target every section is a memory of its own, and every time is 10 ns."""
    on = target or nowhere(sheet)
    given = values or Values(rest="minimum")
    entries = _entries(sheet, on)
    template = environment(FOLDER).get_template("page.html")
    return template.render(
        sheet=sheet,
        target=target,
        memories={
            name: [e for e in entries if e.memory == name]
            for name in dict.fromkeys(e.memory for e in entries)
        },
        entry_id={entry: number for number, entry in enumerate(entries)},
        entry_label=_label,
        entry_value=lambda entry: plain(_time(on.platform, entry).value),
        entry_fixed=lambda entry: entry.key in IDLE,
        entry_unit=lambda entry: "cycles" if _time(on.platform, entry).in_cycles else "ns",
        prices={
            (service.name, path.name): _price(on, service, path, given) for service, path in _paths(sheet)
        },
        start=lambda service, parameter: _start(given, service).get(parameter.name, parameter.minimum),
        rows=rows,
        successions=successions,
        verified=of_path,
        upper_bound=upper_bound,
        pictures=_pictures(sheet),
        data=embedded_json(_data(sheet, on, entries)),
        script=asset(FOLDER / "page.js"),
        sort_script=asset(REPORT / "sort.js"),
        own_style=asset(FOLDER / "page.css"),
    )


def nowhere(sheet: Sheet) -> Target:
    """A platform for a sheet alone: a memory for each section."""
    times = {Entry(section.name, "access"): Time(UNKNOWN_NS) for section in sheet.sections}
    core = {CYCLE: Time(UNKNOWN_NS), BRANCH: Time(UNKNOWN_NS)}
    memories = {section.name: section.name for section in sheet.sections}
    return Target(Platform("no platform", times | core), Placement({**memories, REST: ""}))


def rows(path: Path) -> list[Row]:
    """The counts of a path, a line for each kind of access, a column for each part."""
    kinds: _Kinds = {}
    for part in path.parts:
        for count in part.counts:
            _put(kinds, (count.section, _kind(count)), part, str(count.count))
        for section, formula in part.turnarounds.items():
            _put(kinds, (section, "turnaround"), part, str(formula))
    # A section's accesses stand together, though parts make their first ones in any order.
    order = list(dict.fromkeys(section for section, _ in kinds))
    found = _rows({key: kinds[key] for key in sorted(kinds, key=lambda key: order.index(key[0]))}, path)
    found.append(Row("", "taken branches", [str(part.taken_branches) for part in path.parts]))
    found.append(Row("", "internal cycles", [str(part.internal_cycles) for part in path.parts]))
    executed: _Kinds = {}
    for part in path.parts:
        for section, formula in part.instructions.items():
            _put(executed, (section, "instructions executed"), part, str(formula))
    return found + _rows(executed, path)


def successions(path: Path) -> list[Row]:
    """Which access follows which, a line for each pair, a column for each part."""
    kinds: _Kinds = {}
    for part in path.parts:
        for one in part.successions:
            what = f"{one.operation}, then {one.next_operation} of {one.next_section}"
            _put(kinds, (one.section, what + ("" if one.direct else ", later")), part, str(one.count))
    return _rows(dict(sorted(kinds.items())), path)


_Kinds = dict[tuple[str, str], dict[str, str]]


def _rows(kinds: _Kinds, path: Path) -> list[Row]:
    parts = [part.name for part in path.parts]
    return [Row(section, what, [by.get(name, "") for name in parts]) for (section, what), by in kinds.items()]


def _put(kinds: _Kinds, key: tuple[str, str], part: Part, formula: str) -> None:
    by = kinds.setdefault(key, {})
    by[part.name] = f"{by[part.name]} + {formula}" if part.name in by else formula


def _kind(count: Count) -> str:
    sequence = (count.sequence or "").replace("_", " ")
    crosses = count.crosses_from and f"from {count.crosses_from}"
    return " ".join(filter(None, (count.operation, count.width and f"{count.width} bit", sequence, crosses)))


def _paths(sheet: Sheet) -> list[tuple[Service, Path]]:
    return [(service, path) for service in sheet.services for path in service.paths]


def _entries(sheet: Sheet, on: Target) -> list[Entry]:
    """The access times that the sheet uses, in the platform's order; the core's last."""
    used = {
        entry
        for _, path in _paths(sheet)
        for part in path.parts
        for _, entry, formula, _ in on.priced(path, part)
        if formula.constant != 0
    }
    if any(entry in on.platform.times and on.platform.times[entry].in_cycles for entry in used):
        used.add(CYCLE)
    order = [*on.platform.times, CYCLE, BRANCH]
    return sorted(used, key=lambda entry: (not entry.memory, order.index(entry)))


def _time(platform: Platform, entry: Entry) -> Time:
    """A time of the platform; one of the core's that it does not say is 0, and the page says so."""
    return platform.times.get(entry, Time(Fraction(0)))


def _label(entry: Entry) -> str:
    known = {CYCLE: "a cycle of the core", BRANCH: "a taken branch"}
    if entry in known:
        return known[entry]
    name, _, detail = entry.key.partition(".")
    letter = {"n": "nonsequential", "s": "sequential", "a": "after internal"}.get(detail[:1], "")
    bits = detail.lstrip("nsa")
    idle = {TURNAROUND: "data float", SELECT: "selection", READ_AFTER_WRITE: "read after write"}
    word = idle.get(name, name)
    return " ".join(filter(None, (word, letter, f"{bits} bit" if bits else "")))


def _start(given: Values, service: Service) -> dict[str, int]:
    return {**Values(rest="minimum").of(service), **given.of(service)}


def _price(on: Target, service: Service, path: Path, given: Values) -> Mapping[str, str]:
    """What the page shows before it prices itself: for printers and readers without scripts."""
    try:
        found = price(on, on.cost(service, path, _start(given, service)))
    except (EstimateError, FormulaError):
        return {"total": "-", "blocking": "-"}
    blocking = shown(found.longest_blocking_ns) if found.blocking_ns else "-"
    return {"total": shown(found.total_ns), "blocking": blocking}


def _pictures(sheet: Sheet) -> dict[tuple[str, str], Markup]:
    found = {}
    for service in sheet.services:
        if service.static is not None:
            for title, svg in (("path", service.static.picture), ("calls", service.static.call_graph)):
                if svg:
                    found[service.name, title] = sanitised(svg, f"service {service.name}")
    return found


def _data(sheet: Sheet, on: Target, entries: list[Entry]) -> dict[str, Any]:
    """What the page's script prices: formulas as trees, access times by number."""
    number = {entry: place for place, entry in enumerate(entries)}
    return {
        "entries": [
            {
                "memory": entry.memory or "core",
                "value": plain(_time(on.platform, entry).value),
                "inCycles": _time(on.platform, entry).in_cycles,
            }
            for entry in entries
        ],
        "cycle": number.get(CYCLE, -1),
        "included": INCLUDED,
        "paths": [
            {
                "service": service.name,
                "path": path.name,
                "names": [parameter.name for parameter in service.parameters if parameter.name in path.names],
                "verified": {
                    name: {"first": one.first, "last": one.last, "step": one.step, "shown": str(one)}
                    for name, one in of_path(service, path).items()
                },
                "parts": [
                    {
                        "repetition": part.repetition.tree,
                        "blocking": part.blocking,
                        "terms": [
                            [number[entry], formula.tree]
                            for _, entry, formula, _ in on.priced(path, part)
                            if formula.constant != 0
                        ],
                    }
                    for part in path.parts
                ],
            }
            for service, path in _paths(sheet)
        ],
    }
