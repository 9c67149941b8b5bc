"""Studies: a question, a space of parameters, a run for each point, and a report."""

from socscope.study.forked import ForkedStudy
from socscope.study.parameters import Parameters
from socscope.study.sheet import Sheet
from socscope.study.study import Result, Study

__all__ = ["ForkedStudy", "Parameters", "Result", "Sheet", "Study"]
