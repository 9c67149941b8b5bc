"""A run over time: what each core, process and device did when, for a browser and for Perfetto."""

from socscope.report.timeline.page import render
from socscope.report.timeline.trace import trace
from socscope.report.timeline.tracks import Track, tracks

__all__ = ["Track", "render", "trace", "tracks"]
