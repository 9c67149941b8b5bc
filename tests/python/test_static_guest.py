"""Every way that code of a real system takes is one that the analysis knows, or is behind one it names."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from socscope.characterize.dynamic.trace import CALL, ENTRY, Trace
from socscope.characterize.static.analysis import Analysis
from socscope.characterize.static.convention import ARM
from socscope.characterize.static.coverage import transitions
from socscope.image import Image
from socscope.simulation import Simulation

GUESTS = Path(__file__).parents[2] / "build" / "guests"
NAMES = {number: name for name, number in ARM.modes.items()}
ROWS = 400_000
TIME_PS = 10**12
BOOTED_PS = 2 * 10**9
Ways = dict[int, set[tuple[int, int]]]


@cache
def observed(guest: str) -> tuple[Image, Ways, Ways, dict[int, str]]:
    """Ways inside functions, calls out of them, and the mode at their entry, by the function's address."""
    path = GUESTS / guest / "system.elf"
    assert path.exists(), "the guests are missing: run make guests"
    image = Image.read(path)
    simulation = Simulation(guest.rpartition("-")[0], image)
    # Before the remap the ROM is at address 0.
    simulation.machine.run(until_ps=BOOTED_PS)
    _, _, tables = simulation.machine.trace([], until_ps=TIME_PS, rows_max=ROWS)
    rows = Trace.unpack(tables, 0).rows
    inside: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
    calls: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
    modes: dict[int, str] = {}
    plain = (rows.kind[:-1] != ENTRY) & (rows.kind[1:] != ENTRY)
    columns = [rows.address[:-1], rows.address[1:], rows.transfer[:-1], rows.status[1:]]
    table = np.unique(np.stack(columns)[:, plain], axis=1).T.tolist()
    for start, end, transfer, status in table:
        function, target = image.function_at(start), image.function_at(end)
        if function is None or target is None:
            continue
        # Linkers put veneers, which have no symbols of their own, behind functions.
        if end == target.start or transfer == CALL:
            modes.setdefault(end, NAMES[status & 0x1F])
        if transfer == CALL:
            calls[function.start].add((start, end))
        elif function == target:
            inside[function.start].add((start, end))
    return image, inside, calls, modes


@pytest.mark.parametrize("guest", ["at91x40-arm", "at91x40-thumb"])
def test_every_way_that_was_taken_is_known(guest: str) -> None:
    image, inside, calls, modes = observed(guest)
    known, over, reached, named = set(), set(), set(), set()
    blind, entered = set(), set()
    for entry, mode in sorted(modes.items()):
        found = Analysis(image, entry, times=[], mode=mode, inline=False)
        known |= transitions(found.graph({}))
        over |= {(found.blocks[start][1][-1], to) for start, _, kind, _, to in found.exits if kind == "over"}
        reached |= {step for _, steps in found.blocks.values() for step in steps}
        named |= {address for address, _, _ in found.flow.troubles()}
        function = image.function_at(entry)
        assert function is not None
        entered.add(function.start)
        if found.flow.troubles():
            blind.add(function.start)
    assert len(modes) > 50
    for ways, expected in ((inside, known), (calls, over)):
        for function_start, taken in ways.items():
            if function_start not in entered:
                continue
            for start, end in taken:
                # Behind something that is not known there may be more.
                behind = function_start in blind and start not in reached
                excused = start in named or end in named or behind
                where = image.describe(start)
                assert (start, end) in expected or excused, f"{where}: {start:#x} -> {end:#x}"
    assert len(blind) < len(modes) / 4
