"""An image with its annotations, as the analysis of control flow takes it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from elftools.elf.elffile import ELFFile

from socscope.characterize.static import library
from socscope.characterize.static.annotation import Annotation
from socscope.characterize.static.extremes import extremes
from socscope.characterize.static.library import Found
from socscope.characterize.static.places import Places, Where
from socscope.errors import CharacterizeError
from socscope.image import Image
from socscope.sheet.formula import Formula

SHF_WRITE, SHF_ALLOC = 1, 2
BLOCKS_MAX = 60_000
STEPS_MAX = 400_000
COUNT_MAX = 2**63
"""Repetitions that the compiled analysis can count."""
Ranges = Mapping[str, tuple[int, int]]
LoopBound = tuple[list[tuple[int, int]], int | None, int, tuple[int, int, int, int] | None]
Bounds = tuple[int, int, int]
"""A register, and its least and greatest value."""


Fact = tuple[str, int, int | None]
"""What an annotation says: its kind, its address, and the register that it is about."""


@dataclass(frozen=True)
class LoopFact:
    """A bound of loops. Those of library routines that no annotation speaks of have none, and no number."""

    annotation: int | None
    at: str
    where: Where
    formula: Formula | None
    size: tuple[int, int, int, int] | None = None
    """Instead of a formula: a function, the register with a size at its entry, bytes of a run, runs added."""


@dataclass
class Facts:
    """Annotations, sorted by what they are for. Loops are matched when they are known."""

    places: dict[int, Where] = field(default_factory=dict)
    """What the place of each annotation stands for, by its number."""
    loops: list[LoopFact] = field(default_factory=list)
    routines: list[Found] = field(default_factory=list)
    """Library routines whose loops are known."""
    never: set[int] = field(default_factory=set)
    targets: dict[int, list[int | None]] = field(default_factory=dict)
    registers: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    recursion: dict[int, int] = field(default_factory=dict)
    given_by: dict[Fact, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The numbers of the annotations that say something."""


def facts(places: Places, annotations: Sequence[Annotation], parameters: Ranges) -> Facts:
    """Finds the places of annotations; fails where one says nothing, or names no place."""
    code = constants(places.image)
    found = Facts(routines=library.found(places.image, code))
    lengths: dict[int, tuple[int, Formula]] = {}
    for number, one in enumerate(annotations):
        kinds = [
            one.loop_bound is not None,
            one.never,
            bool(one.targets),
            one.recursion_depth is not None,
            one.length is not None,
            bool(one.register),
        ]
        if sum(kinds) != 1:
            raise CharacterizeError(
                f"annotation at {one.at!r}: give exactly one of loop_bound, never, targets, recursion_depth, "
                "length and register"
            )
        where = found.places[number] = places.find(one.at)
        if one.loop_bound is not None:
            found.loops.append(LoopFact(number, one.at, where, Formula.parse(one.loop_bound)))
        elif one.length is not None:
            for address in where.addresses:
                lengths[address] = number, Formula.parse(one.length)
        elif one.targets:
            _add_targets(found, places, one, number)
        else:
            bounds = _register(places, one, parameters) if one.register else None
            for address in where.addresses or {start for start, _ in where.ranges}:
                _add(found, one, number, address, bounds)
    for routine in found.routines:
        found.loops += _of_routine(routine, lengths.get(routine.start))
    return found


def _of_routine(found: Found, length: tuple[int, Formula] | None) -> list[LoopFact]:
    """What is known of a library routine's loops, with how many bytes it handles where somebody says so."""
    facts = []
    for offset, runs in found.routine.loops.items():
        where = Where(frozenset([found.start + offset]))
        at = f"{found.name}+{offset:#x}"
        if not runs.each:
            facts.append(LoopFact(None, at, where, Formula(runs.more)))
        elif length is not None:
            facts.append(LoopFact(length[0], at, where, runs.formula(length[1])))
        if runs.each and found.routine.size is not None:
            size = (found.start, found.routine.size, runs.each, runs.more)
            facts.append(LoopFact(None, at, where, None, size))
    return facts


def _add_targets(found: Facts, places: Places, one: Annotation, number: int) -> None:
    where = found.places[number]
    if not where.addresses:
        raise CharacterizeError(
            f"annotation at {one.at!r}: targets belong to one jump; give its file.c:line or symbol+0x..."
        )
    targets = [_target(places, name) for name in one.targets]
    # A line is where its code begins; the jump is somewhere in it.
    for address in where.instructions():
        found.targets[address] = targets
        found.given_by["targets", address, None].add(number)


def _add(found: Facts, one: Annotation, number: int, address: int, bounds: Bounds | None) -> None:
    if one.never:
        found.never.add(address)
        found.given_by["never", address, None].add(number)
    elif one.recursion_depth is not None:
        found.recursion[address] = one.recursion_depth
        found.given_by["recursion", address, None].add(number)
    elif bounds is not None:
        found.registers.setdefault(address, []).append(bounds)
        found.given_by["register", address, bounds[0]].add(number)


def given(
    places: Places,
    found: Facts,
    entry: int,
    *,
    registers: Mapping[str, tuple[int | str, int | str]],
    parameters: Ranges,
    mode: str,
    start: int | None,
    stop: Sequence[int],
    inline: bool = True,
) -> dict[str, Any]:
    """What the compiled analysis is given."""
    convention = places.convention
    if mode not in convention.modes:
        raise CharacterizeError(f"mode {mode!r}: one of {', '.join(convention.modes)}")
    bounds = []
    for name, (low, high) in registers.items():
        number = _number(places, name, f"registers of {places.named(entry)}")
        least, greatest = _extreme(places, low, parameters, min), _extreme(places, high, parameters, max)
        bounds.append((number, least, greatest))
    return {
        "architecture": convention.name,
        "constants": constants(places.image),
        "big_endian": places.image.big_endian,
        "entry": (entry, int(places.thumb(entry)), convention.modes[mode], bounds),
        "never": sorted(found.never),
        "stops": list(stop),
        "marked": [start] if start is not None else [],
        "targets": found.targets,
        "registers": found.registers,
        "recursion": found.recursion,
        "loop_bounds": [_loop_bound(one, parameters) for one in found.loops],
        "inline": inline,
        "blocks_max": BLOCKS_MAX,
        "steps_max": STEPS_MAX,
    }


def _loop_bound(one: LoopFact, parameters: Ranges) -> LoopBound:
    """Where a loop's head may lie, which one it is, how often it runs at most, and by which size."""
    if one.formula is None:
        return one.where.spans(), one.where.number, COUNT_MAX, one.size
    check_names(one.formula, parameters)
    _, greatest = extremes(one.formula.tree, parameters)
    return one.where.spans(), one.where.number, min(max(greatest, 1), COUNT_MAX), None


def constants(image: Image) -> list[tuple[int, bytes]]:
    """Sections that a program has in memory and cannot write."""
    sections = ELFFile(BytesIO(image.data)).iter_sections()
    return [
        (section["sh_addr"], section.data())
        for section in sections
        if section["sh_type"] == "SHT_PROGBITS"
        and section["sh_size"]
        and section["sh_flags"] & SHF_ALLOC
        and not section["sh_flags"] & SHF_WRITE
    ]


def _target(places: Places, name: str) -> int | None:
    if name == "return":
        return None
    address = places.address(name)
    return address | places.thumb(address)


def _number(places: Places, name: str, where: str) -> int:
    registers = places.convention.registers
    if name not in registers:
        raise CharacterizeError(f"{where}: register {name!r}: {places.convention.shown}")
    return registers[name]


def _register(places: Places, one: Annotation, parameters: Ranges) -> tuple[int, int, int]:
    where = f"annotation at {one.at!r}"
    number = _number(places, one.register, where)
    if one.maximum is None:
        raise CharacterizeError(f"{where}: give the maximum of {one.register}, too")
    low = _extreme(places, one.minimum, parameters, min)
    high = _extreme(places, one.maximum, parameters, max)
    if not low <= high:
        raise CharacterizeError(f"{where}: the minimum of {one.register} is above its maximum")
    return number, low, high


def check_names(formula: Formula, parameters: Ranges) -> None:
    """Fails where a formula names what is no parameter."""
    for name in sorted(formula.names - parameters.keys()):
        known = ", ".join(sorted(parameters)) or "there are none"
        raise CharacterizeError(f"{formula}: {name} is no parameter of the service; known: {known}")


def _extreme(places: Places, value: int | str, parameters: Ranges, choose: Any) -> int:  # noqa: ANN401 - min, max.
    """The least or greatest value of a formula; names that are no parameters may be symbols of the image."""
    formula = Formula.parse(value)
    symbols = {name for name in formula.names - parameters.keys() if name in places.image.symbols}
    addresses = {name: places.address(name) for name in symbols}
    known = dict(parameters) | {name: (address, address) for name, address in addresses.items()}
    check_names(formula, known)
    return int(choose(extremes(formula.tree, known))) & 0xFFFFFFFF
