"""An image with its annotations, as the analysis of control flow takes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from elftools.elf.elffile import ELFFile

from socscope.characterize.static.annotation import Annotation
from socscope.characterize.static.places import Places, Where
from socscope.errors import CharacterizeError
from socscope.image import Image
from socscope.sheet.formula import Formula

SHF_WRITE, SHF_ALLOC = 1, 2
BLOCKS_MAX = 60_000
STEPS_MAX = 400_000
MODES = {
    "user": 0x10,
    "fiq": 0x11,
    "irq": 0x12,
    "supervisor": 0x13,
    "abort": 0x17,
    "undefined": 0x1B,
    "system": 0x1F,
}
REGISTERS = {f"r{number}": number for number in range(15)} | {"sp": 13, "lr": 14}
Ranges = Mapping[str, tuple[int, int]]


@dataclass
class Facts:
    """Annotations, sorted by what they are for. Loops are matched when they are known."""

    loops: list[tuple[Where, Formula, str]] = field(default_factory=list)
    never: set[int] = field(default_factory=set)
    targets: dict[int, list[int | None]] = field(default_factory=dict)
    registers: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    recursion: dict[int, int] = field(default_factory=dict)


def facts(places: Places, annotations: Sequence[Annotation], parameters: Ranges) -> Facts:
    """Finds the places of annotations; fails where one says nothing, or names no place."""
    found = Facts()
    for one in annotations:
        kinds = [
            one.loop_bound is not None,
            one.never,
            bool(one.targets),
            one.recursion_depth is not None,
            bool(one.register),
        ]
        if sum(kinds) != 1:
            raise CharacterizeError(
                f"annotation at {one.at!r}: give exactly one of loop_bound, never, targets, "
                "recursion_depth and register"
            )
        where = places.find(one.at)
        if one.loop_bound is not None:
            found.loops.append((where, Formula.parse(one.loop_bound), one.at))
            continue
        if one.targets and not where.addresses:
            raise CharacterizeError(
                f"annotation at {one.at!r}: targets belong to one jump; give its file.c:line or symbol+0x..."
            )
        for address in where.addresses or {start for start, _ in where.ranges}:
            if one.never:
                found.never.add(address)
            elif one.targets:
                found.targets[address] = [_target(places, name) for name in one.targets]
            elif one.recursion_depth is not None:
                found.recursion[address] = one.recursion_depth
            else:
                bounds = _register(places, one, parameters)
                found.registers.setdefault(address, []).append(bounds)
    return found


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
    if mode not in MODES:
        raise CharacterizeError(f"mode {mode!r}: one of {', '.join(MODES)}")
    bounds = []
    for name, (low, high) in registers.items():
        number = _number(name, f"registers of {places.named(entry)}")
        least, greatest = _extreme(places, low, parameters, min), _extreme(places, high, parameters, max)
        bounds.append((number, least, greatest))
    return {
        "constants": constants(places.image),
        "entry": (entry, places.thumb(entry), MODES[mode], bounds),
        "never": sorted(found.never),
        "stops": list(stop),
        "marked": [start] if start is not None else [],
        "targets": found.targets,
        "registers": found.registers,
        "recursion": found.recursion,
        "bounded": [span for where, _, _ in found.loops for span in where.spans()],
        "inline": inline,
        "blocks_max": BLOCKS_MAX,
        "steps_max": STEPS_MAX,
    }


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


def _number(name: str, where: str) -> int:
    if name not in REGISTERS:
        raise CharacterizeError(f"{where}: register {name!r}: r0 to r14, sp or lr")
    return REGISTERS[name]


def _register(places: Places, one: Annotation, parameters: Ranges) -> tuple[int, int, int]:
    where = f"annotation at {one.at!r}"
    number = _number(one.register, where)
    if one.maximum is None:
        raise CharacterizeError(f"{where}: give the maximum of {one.register}, too")
    low = _extreme(places, one.minimum, parameters, min)
    high = _extreme(places, one.maximum, parameters, max)
    if not low <= high:
        raise CharacterizeError(f"{where}: the minimum of {one.register} is above its maximum")
    return number, low, high


def corners(formula: Formula, parameters: Ranges) -> list[dict[str, int]]:
    """All combinations of the least and the greatest values of a formula's parameters."""
    points: list[dict[str, int]] = [{}]
    for name in sorted(formula.names):
        if name not in parameters:
            known = ", ".join(sorted(parameters)) or "there are none"
            raise CharacterizeError(f"{formula}: {name} is no parameter of the service; known: {known}")
        points = [{**point, name: value} for point in points for value in parameters[name]]
    return points


def _extreme(places: Places, value: int | str, parameters: Ranges, choose: Any) -> int:  # noqa: ANN401 - min, max.
    """The least or greatest value of a formula; names that are no parameters may be symbols of the image."""
    formula = Formula.parse(value)
    symbols = {name for name in formula.names - parameters.keys() if name in places.image.symbols}
    addresses = {name: places.address(name) for name in symbols}
    known = dict(parameters) | {name: (address, address) for name, address in addresses.items()}
    found = choose(int(formula.evaluate(point)) for point in corners(formula, known))
    return int(found) & 0xFFFFFFFF
