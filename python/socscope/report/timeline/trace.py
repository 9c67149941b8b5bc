"""Tracks in the trace event format, which ui.perfetto.dev and chrome://tracing open."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from socscope.report.timeline.tracks import MARK, Track


def trace(tracks: Sequence[Track]) -> str:
    """The text of a trace file: groups are processes, tracks are threads, times are microseconds."""
    groups = list(dict.fromkeys(track.group for track in tracks))
    events = [*_names(tracks, groups), *_events(tracks, groups)]
    # One event a line: a large file can be looked at and compared.
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
    return f'{{"displayTimeUnit":"ns","traceEvents":[\n{lines}\n]}}\n'


def _names(tracks: Sequence[Track], groups: list[str]) -> Iterator[dict[str, Any]]:
    for number, group in enumerate(groups, start=1):
        yield {"ph": "M", "name": "process_name", "pid": number, "args": {"name": group}}
        yield {"ph": "M", "name": "process_sort_index", "pid": number, "args": {"sort_index": number}}
    for number, track in enumerate(tracks, start=1):
        of = {"pid": groups.index(track.group) + 1, "tid": number}
        yield {"ph": "M", "name": "thread_name", **of, "args": {"name": track.name}}
        yield {"ph": "M", "name": "thread_sort_index", **of, "args": {"sort_index": number}}


def _events(tracks: Sequence[Track], groups: list[str]) -> Iterator[dict[str, Any]]:
    for number, track in enumerate(tracks, start=1):
        of = {"pid": groups.index(track.group) + 1, "tid": number}
        rows = zip(track.starts_ps, track.ends_ps, track.labels, track.kinds, strict=True)
        for start, end, label, kind in rows:
            event = {"name": label, "cat": kind, **of, "ts": _microseconds(start)}
            if kind == MARK:
                yield {"ph": "i", "s": "t", **event}
            else:
                yield {"ph": "X", **event, "dur": _microseconds(end - start)}


def _microseconds(ps: int) -> float:
    """Picoseconds are exact to a day: a number of JSON has 53 bits."""
    return ps / 1e6
