"""From the tables of a run record to tracks: stretches of time with a label, one behind the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from socscope.record import Run, integrity

CORES, PROCESSES, DEVICES = "Cores", "Processes", "Machine"
MARK = "mark"


@dataclass
class Track:
    """One line of the picture. Stretches do not overlap; one without length is a moment."""

    group: str
    name: str
    starts_ps: list[int] = field(default_factory=list, repr=False)
    ends_ps: list[int] = field(default_factory=list, repr=False)
    labels: list[str] = field(default_factory=list, repr=False)
    kinds: list[str] = field(default_factory=list, repr=False)
    """What colours them: user, kernel, interrupt, call, mark, device, text."""

    def add(self, start_ps: int, end_ps: int, label: str, kind: str) -> None:
        """Adds a stretch behind those that are there; what would overlap begins later."""
        start_ps = max(start_ps, self.ends_ps[-1]) if self.ends_ps else start_ps
        self.starts_ps.append(start_ps)
        self.ends_ps.append(max(start_ps, end_ps))
        self.labels.append(label)
        self.kinds.append(kind)


def tracks(run: Run) -> list[Track]:
    """All tracks of a run that have anything on them."""
    integrity.check(run)
    made = [*_cores(run), *_processes(run), *_marks(run), *_counted(run), *_transfers(run), *_consoles(run)]
    return [track for track in made if track.starts_ps]


def _rows(run: Run, table: str) -> list[dict[str, Any]]:
    """The rows of a table; none where the record is of a time before there was such a table."""
    return run.rows(table) if table in run.table_names else []


class _ByName(dict[Any, Track]):
    """Tracks made when they are first asked for."""

    def __init__(self, group: str, name: Callable[[Any], str]) -> None:
        super().__init__()
        self._group, self._name = group, name

    def __missing__(self, key: object) -> Track:
        track = self[key] = Track(self._group, self._name(key))
        return track


def _what(row: dict[str, Any]) -> str:
    """What a stretch was for."""
    return str(row["detail"] or row["state"])


def _cores(run: Run) -> Iterator[Track]:
    found = _ByName(CORES, lambda core: f"core {core}")
    for row in _rows(run, "task_spans"):
        if row["state"] != "idle":
            label = row["task"] if row["state"] == "user" else f"{row['task']}: {_what(row)}"
            found[row["core"]].add(row["start_ps"], row["end_ps"], label, row["state"])
    yield from (found[core] for core in sorted(found))


def _processes(run: Run) -> Iterator[Track]:
    # A process is called what it was called last: it may have executed another program.
    names: dict[int, str] = {}
    threads: dict[tuple[int, int], Track] = {}
    calls: dict[tuple[int, int], Track] = {}
    for row in _rows(run, "task_spans"):
        if row["pid"] == 0:
            continue
        if row["pid"] == row["tgid"]:
            names[row["tgid"]] = row["task"]
        key = row["tgid"], row["pid"]
        track = threads.setdefault(key, Track(PROCESSES, ""))
        track.name = f"{row['task']} {row['pid']}"
        track.add(row["start_ps"], row["end_ps"], f"{_what(row)}, core {row['core']}", row["state"])
    for row in _rows(run, "system_calls"):
        key = row["tgid"], row["pid"]
        track = calls.setdefault(key, Track(PROCESSES, f"{row['task']} {row['pid']}: system calls"))
        track.add(row["start_ps"], row["end_ps"], f"{row['call']} = {row['result']}", "call")
    for key in sorted(threads):
        yield threads[key]
        if key in calls:
            yield calls[key]


def _marks(run: Run) -> Iterator[Track]:
    track = Track(DEVICES, "marks")
    for row in _rows(run, "marks"):
        argument = f", argument {row['argument']}" if "argument" in row else ""
        what = row.get("name") or row["number"]
        track.add(row["time_ps"], row["time_ps"], f"mark {what}{argument}", MARK)
    yield track


def _counted(run: Run) -> Iterator[Track]:
    found = _ByName(DEVICES, lambda key: f"profiled{key[0]}")
    rows = list(_rows(run, "spans"))
    several = any(row.get("core", 0) for row in rows)
    for row in rows:
        name = f" core {row['core']}" if several else ""
        found[(name,)].add(row["start_ps"], row["end_ps"], f"{row['instructions']:,} instructions", "device")
    yield from found.values()


def _transfers(run: Run) -> Iterator[Track]:
    """DMA, whose table counts in cycles."""
    stop = run.manifest.stop
    cycle_ps = Fraction(stop.time_ps, stop.cycle) if stop.cycle else Fraction(0)
    found = _ByName(DEVICES, lambda key: f"{key[0]} {key[1]}".rstrip())
    for row in sorted(_rows(run, "dma_transfers"), key=lambda row: row["start_cycle"]):
        start, end = (round(row[name] * cycle_ps) for name in ("start_cycle", "end_cycle"))
        label = f"{row['direction']} {row['bytes']:,} bytes"
        found[row["device"], row["channel"]].add(start, end, label, "device")
    yield from found.values()


def _consoles(run: Run) -> Iterator[Track]:
    found = _ByName(DEVICES, lambda key: f"{key[0]} {key[1]}")
    for row in _rows(run, "console"):
        text = row["bytes"].decode("utf-8", "replace")
        found[row["port"], row["direction"]].add(row["start_ps"], row["end_ps"], repr(text)[1:-1], "text")
    yield from found.values()
