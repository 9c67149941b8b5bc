"""What is read off one run of the study: its marks, in cycles of the core."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from socscope.errors import StudyError
from socscope.record import Run
from socscope.study.rule30.parameters import Rule30Parameters

RUN_BEGINS, RUN_ENDS = 1, 2
LINE_BEGINS, LINE_ENDS = 3, 4
PACKET_BEGINS, PACKET_ENDS = 5, 6
PICOSECONDS_IN_NS = 1000


@dataclass(frozen=True)
class Times:
    """Times of equal pieces of work, in ns."""

    count: int
    min_ns: float
    mean_ns: float
    max_ns: float
    error_ns: float
    """Standard error of the mean."""

    @classmethod
    def of(cls, times_ps: Any) -> "Times":  # noqa: ANN401 - an array of numpy.
        """The times of an array."""
        times = np.asarray(times_ps, dtype=np.int64)
        error = float(times.std(ddof=1)) / len(times) ** 0.5 if len(times) > 1 else 0.0
        # The sum of integers is exact; only its quotient is rounded.
        mean = int(times.sum()) / len(times)
        low, high = int(times.min()), int(times.max())
        scale = PICOSECONDS_IN_NS
        return cls(len(times), low / scale, mean / scale, high / scale, error / scale)

    @property
    def jitter(self) -> float:
        """The longest over the mean."""
        return self.max_ns / self.mean_ns


@dataclass(frozen=True)
class Measured:
    """One run with its parameters."""

    parameters: Rule30Parameters
    run: Run

    @cached_property
    def line(self) -> Times:
        """One line."""
        return Times.of(self._between(LINE_BEGINS, LINE_ENDS))

    @cached_property
    def packet(self) -> Times:
        """One packet: its lines, and what lies between them."""
        return Times.of(self._between(PACKET_BEGINS, PACKET_ENDS))

    @property
    def total_ns(self) -> float:
        """From the begin of the first packet to the end of the last, with all that lies between."""
        return Times.of(self._between(RUN_BEGINS, RUN_ENDS)).mean_ns

    @property
    def user_ns(self) -> float:
        """What the kernel accounts to the program as user time."""
        return float(self.run.manifest.parameters["user_ns"])

    @property
    def system_ns(self) -> float:
        """What the kernel accounts to the program as its own work for it."""
        return float(self.run.manifest.parameters["system_ns"])

    def user_of(self, time_ns: float) -> float:
        """The user part of a time, as the whole run is divided."""
        whole = self.user_ns + self.system_ns
        return time_ns * self.user_ns / whole if whole else 0.0

    @cached_property
    def _marks(self) -> tuple[Any, Any]:
        table = self.run.table("marks")
        return table["number"].to_numpy(), table["time_ps"].to_numpy()

    def _between(self, begin: int, end: int) -> Any:  # noqa: ANN401 - an array of numpy.
        numbers, times = self._marks
        begins, ends = times[numbers == begin], times[numbers == end]
        if not len(begins) or len(begins) != len(ends) or (ends < begins).any():
            raise StudyError(
                f"{self.run.folder}: {len(begins)} marks {begin} and {len(ends)} marks {end} do not pair"
            )
        return ends - begins
