"""The outputs of the study as sheets, pure functions of its runs."""

from socscope.study.rule30.outputs.caches import caches
from socscope.study.rule30.outputs.crossing import break_even, crossovers
from socscope.study.rule30.outputs.designs import designs
from socscope.study.rule30.outputs.host import host
from socscope.study.rule30.outputs.jitter import jitter
from socscope.study.rule30.outputs.lengths import coarse, driver, whole_map
from socscope.study.rule30.outputs.split import split

__all__ = [
    "break_even",
    "caches",
    "coarse",
    "crossovers",
    "designs",
    "driver",
    "host",
    "jitter",
    "split",
    "whole_map",
]
