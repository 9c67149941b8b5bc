"""What of a run is the service: application code is left out, the rest is cut where the blocking changes."""

import fnmatch
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from socscope.characterize.dynamic import saved
from socscope.characterize.dynamic import trace as t
from socscope.characterize.dynamic.rows import Counted, Key, row_kinds
from socscope.characterize.dynamic.sections import Sections
from socscope.characterize.dynamic.trace import Column, Mask, Trace
from socscope.image import Function, Image

SEQUENCES = ("nonsequential", "sequential", "after_internal")
OPERATIONS = ("fetch", "read", "write")
DIRECTIONS = ("read", "write")
NONE = "none"

Identity = tuple[str, int, int]
"""Of a piece: its blocking, its first address, and the return address of the function it begins in."""


@dataclass
class Piece:
    """A stretch of an episode with one blocking."""

    identity: Identity
    counts: Counter[Key] = field(default_factory=Counter)

    @property
    def blocking(self) -> str:
        """What is blocked in it."""
        return self.identity[0]


@dataclass(frozen=True)
class Episode:
    """What one run says of a service."""

    pieces: list[Piece]
    cycles: int
    """On the platform that it ran on."""
    costs: dict[Key, int]
    """What the accesses of each kind took together on that platform, waits included."""
    entered: "Entered | None"
    """None if the entry was not executed."""
    weights: dict[Key, dict[Key, int]] = field(default_factory=dict)
    """What each kind of row counts that pieces have beside their counts, where these were wanted."""


@dataclass(frozen=True)
class Entered:
    """What a run says of the service's entry, from its first instruction to its return or to a stop."""

    cycles: int
    transitions: set[tuple[int, int]]
    overwriting: frozenset[int] = frozenset()
    """Instructions that stored into words that a function had saved on its stack."""


@dataclass(frozen=True)
class Application:
    """Code that is not counted: patterns over source paths, or `name:` and a pattern over functions."""

    starts: Column
    ends: Column
    left_out: Mask

    @classmethod
    def of(cls, image: Image, patterns: Sequence[str]) -> "Application":
        """The functions that fit one of the patterns."""
        functions = image.functions
        return cls(
            np.array([one.start for one in functions], np.int64),
            np.array([one.end for one in functions], np.int64),
            np.array([_fits(one, patterns) for one in functions], np.bool_),
        )

    def counted(self, rows: t.Rows) -> Mask:
        """Which rows are the service's; the entry of an exception always is."""
        if not len(self.starts):
            return np.ones(len(rows), np.bool_)
        place = np.searchsorted(self.starts, rows.address, side="right") - 1
        inside = (place >= 0) & (rows.address < self.ends[place])
        counted: Mask = ~(inside & self.left_out[place]) | (rows.kind == t.ENTRY)
        return counted


def _fits(function: Function, patterns: Sequence[str]) -> bool:
    for pattern in patterns:
        name = pattern.removeprefix("name:")
        text = function.name if name != pattern else function.origin.source
        if fnmatch.fnmatchcase(text, name):
            return True
    return False


def cut(
    trace: Trace,
    counted: Mask,
    blocking: Sequence[tuple[str, Mask]],
    sections: Sections,
    *,
    entry: int,
    stops: Sequence[int] = (),
    returns: bool = True,
    by_row: bool = False,
) -> Episode:
    """Cuts the counted rows of a trace into pieces, and counts them; `by_row`, kinds of rows, too.

    `blocking` has for each rule its kind and the rows before which it holds; the first that holds gives a
    row's blocking. `entry` and `stops` are what the static analysis looks at; unless it `returns`, the
    return of the function at `entry` is no end.
    """
    rows = trace.rows
    kinds = (NONE, *dict.fromkeys(kind for kind, _ in blocking))
    kind = np.zeros(len(rows), np.int64)
    for name, holds in reversed(blocking):
        kind[holds] = kinds.index(name)
    mine = np.flatnonzero(counted)
    changes = np.flatnonzero(np.diff(kind[mine])) + 1
    begins = np.concatenate([[0], changes]).astype(np.int64) if len(mine) else np.zeros(0, np.int64)
    piece_of_row = np.full(len(rows), -1, np.int64)
    piece_of_row[mine] = np.searchsorted(begins, np.arange(len(mine)), side="right") - 1
    firsts = mine[begins]
    callers = _callers(trace, counted, firsts)
    pieces = [
        Piece((kinds[kind[first]], int(rows.address[first]), caller))
        for first, caller in zip(firsts.tolist(), callers, strict=True)
    ]
    costs: dict[Key, int] = {}
    listed = list(_counted(trace, piece_of_row, sections))
    for key, of_rows, cost in listed:
        totals = np.bincount(piece_of_row[of_rows], minlength=len(pieces))
        for number in np.flatnonzero(totals).tolist():
            pieces[number].counts[key] += int(totals[number])
        if cost is not None:
            costs[key] = costs.get(key, 0) + int(cost.sum())
    weights: dict[Key, dict[Key, int]] = {}
    if by_row:
        kinds_of_rows = row_kinds(rows, piece_of_row, _contexts(trace, counted), listed)
        for number, one, times in kinds_of_rows.counted:
            pieces[number].counts[one] += times
        weights = kinds_of_rows.weights
    entered = _entered(trace, counted, entry, stops, returns)
    return Episode(pieces, int(rows.cycles[mine].sum()), costs, entered, weights)


def _entered(trace: Trace, counted: Mask, entry: int, stops: Sequence[int], returns: bool) -> Entered | None:
    rows = trace.rows
    executed = counted & (rows.kind != t.ENTRY)
    begins = np.flatnonzero(executed & (rows.address == entry))
    if not len(begins):
        return None
    first = int(begins[0])
    [caller] = _callers(trace, counted, begins[:1])
    behind = np.arange(len(rows)) > first
    ended = np.isin(rows.address, stops)
    if returns:
        ended |= (rows.address == caller) & (rows.stack_pointer == rows.stack_pointer[first])
    ends = np.flatnonzero(behind & counted & ended)
    last = int(ends[0]) if len(ends) else len(rows)
    inside = executed & (np.arange(len(rows)) >= first) & (np.arange(len(rows)) < last)
    return Entered(
        int(rows.cycles[inside].sum()), trace.transitions(inside), saved.overwriting(trace, inside)
    )


def _counted(trace: Trace, piece_of_row: Column, sections: Sections) -> list[Counted]:
    """All that is counted."""
    rows, bus = trace.rows, trace.bus
    found: list[Counted] = []
    piece = piece_of_row[bus.row]
    access = bus.purpose != t.INTERNAL
    section = np.where(access, sections.at(bus.address), -1)
    code = ((section * 3 + bus.purpose) * 5 + bus.size) * len(SEQUENCES) + bus.sequence
    code = code * (len(sections.names) + 1) + _crossed(bus, section)
    chosen = access & (piece >= 0)
    for one in np.unique(code[chosen]).tolist():
        these = chosen & (code == one)
        rest, before = divmod(one, len(sections.names) + 1)
        rest, sequence = divmod(rest, len(SEQUENCES))
        rest, size = divmod(rest, 5)
        number, purpose = divmod(rest, 3)
        crossed = (sections.names[before - 1],) if before else ()
        kind = (OPERATIONS[purpose], str(8 * size), SEQUENCES[sequence])
        key = ("count", sections.names[number], *kind, *crossed)
        found.append((key, bus.row[these], bus.cost[these]))
    internal = (bus.purpose == t.INTERNAL) & (piece >= 0)
    cycles = np.repeat(bus.row[internal], bus.address[internal])
    found.append((("internal",), cycles, np.ones(len(cycles), np.int64)))
    found += _successions(bus, access, piece, section, sections.names)
    row_section = sections.at(rows.address)
    executed = (piece_of_row >= 0) & (rows.kind != t.ENTRY)
    for number in np.unique(row_section[executed]).tolist():
        these = executed & (row_section == number)
        found.append((("instructions", sections.names[number]), np.flatnonzero(these), None))
    taken = (piece_of_row >= 0) & (rows.transfer != t.NO_TRANSFER)
    found.append((("taken",), np.flatnonzero(taken), None))
    return found


def _crossed(bus: t.Bus, section: Column) -> Column:
    """One more than the section from which an access comes that follows on; 0 for those that stay in it."""
    crossed = np.zeros(len(section), np.int64)
    for these in (bus.purpose == t.FETCH, (bus.purpose == t.READ) | (bus.purpose == t.WRITE)):
        order = np.flatnonzero(these)
        before, after = section[order[:-1]], section[order[1:]]
        follows = (bus.sequence[order[1:]] != 0) & (before != after)
        crossed[order[1:][follows]] = before[follows] + 1
    return crossed


def _successions(
    bus: t.Bus, access: Mask, piece: Column, section: Column, names: Sequence[str]
) -> list[Counted]:
    """Accesses that follow one to another section or in the other direction; they count to what follows."""
    order = np.flatnonzero(access)
    first, second = order[:-1], order[1:]
    writes = bus.purpose == t.WRITE
    code = ((section[first] * 2 + writes[first]) * len(names) + section[second]) * 2 + writes[second]
    code = code * 2 + (second == first + 1)
    changes = (section[first] != section[second]) | (writes[first] != writes[second])
    chosen = changes & (piece[second] >= 0)
    found: list[Counted] = []
    for one in np.unique(code[chosen]).tolist():
        rest, direct = divmod(one, 2)
        rest, next_writes = divmod(rest, 2)
        rest, next_section = divmod(rest, len(names))
        own, own_writes = divmod(rest, 2)
        key = (
            *("after", names[own], DIRECTIONS[own_writes], names[next_section], DIRECTIONS[next_writes]),
            "direct" if direct else "apart",
        )
        found.append((key, bus.row[second[chosen & (code == one)]], None))
    return found


def _contexts(trace: Trace, counted: Mask) -> Column:
    """A number for the chain of calls that each row is in; equal chains of all runs have equal numbers."""
    rows = trace.rows
    leaving = np.flatnonzero((rows.transfer != t.NO_TRANSFER) & counted)
    stack: list[int] = []
    begins, numbers, before = [0], [hash(())], 0
    for row, transfer, behind, target in zip(
        leaving.tolist(),
        rows.transfer[leaving].tolist(),
        (rows.address[leaving] + rows.size[leaving]).tolist(),
        rows.target[leaving].tolist(),
        strict=True,
    ):
        _follow(stack, transfer, behind, target)
        if len(stack) != before or transfer in (t.CALL, t.EXCEPTION):
            before = len(stack)
            begins.append(row + 1)
            # Of whole numbers alone: the same in every process.
            numbers.append(hash(tuple(stack)))
    return np.array(numbers, np.int64)[np.searchsorted(begins, np.arange(len(rows)), side="right") - 1]


def _callers(trace: Trace, counted: Mask, firsts: Column) -> list[int]:
    """The return address of the function that each of these rows is in; 0 where nothing was called."""
    rows = trace.rows
    found: list[int] = []
    stack: list[int] = []
    wanted = firsts.tolist()
    leaving = np.flatnonzero((rows.transfer != t.NO_TRANSFER) & counted).tolist()
    place = 0
    for first in wanted:
        while place < len(leaving) and leaving[place] < first:
            row = leaving[place]
            _follow(
                stack, int(rows.transfer[row]), int(rows.address[row] + rows.size[row]), int(rows.target[row])
            )
            place += 1
        found.append(stack[-1] if stack else 0)
    return found


def _follow(stack: list[int], transfer: int, behind: int, target: int) -> None:
    if transfer in (t.CALL, t.EXCEPTION):
        stack.append(behind)
    elif target in stack:
        del stack[len(stack) - 1 - stack[::-1].index(target) :]
