"""Worst-case response times under fixed priorities, exact in rational numbers.

The recurrence is that of M. Joseph and P. Pandya, "Finding response times in a real-time system", The
Computer Journal 29(5), 1986, with blocking after N. Audsley, A. Burns, M. Richardson, K. Tindell and
A. Wellings, "Applying new scheduling theory to static priority pre-emptive scheduling", Software Engineering
Journal 8(5), 1993. Every job of the longest busy period is looked at, after J. Lehoczky, "Fixed priority
scheduling of periodic task sets with arbitrary deadlines", RTSS 1990, and K. Tindell, A. Burns and
A. Wellings, "An extendible approach for analyzing fixed priority hard real-time tasks", Real-Time Systems 6,
1994: so deadlines may lie beyond periods, and releases may jitter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

# Of a busy period with more jobs of one task than this no end is looked for.
JOBS_MAX = 20_000
STEPS_MAX = 1_000_000


@dataclass(frozen=True)
class Job:
    """What is released again and again: a task or an interrupt. All times in one unit."""

    name: str
    period: Fraction
    deadline: Fraction
    cost: Fraction
    """Worst-case execution time, all overhead that it causes included."""
    priority: int
    """Larger is more urgent. Equal ones may be delayed by each other."""
    jitter: Fraction = Fraction(0)
    blocking: Fraction = Fraction(0)
    """The longest that something less urgent can hold it up."""

    @property
    def utilisation(self) -> Fraction:
        """Its share of the processor."""
        return self.cost / self.period


@dataclass(frozen=True)
class Response:
    """The answer for one job."""

    job: Job
    worst: Fraction | None
    """From release to completion at worst; none when it has no bound."""
    load: Fraction
    """The share of the processor that it and all that may delay it ask for."""
    instance: int = 0
    """Which job of the busy period is the worst, from 0."""
    delays: tuple[tuple[str, Fraction], ...] = ()
    """How long each of the more urgent ones runs while it waits, for the worst instance."""
    undecided: bool = False
    """Whether there may be a bound all the same: it was not found among the jobs that were looked at."""

    @property
    def holds(self) -> bool:
        """Whether the deadline is held."""
        return self.worst is not None and self.worst <= self.job.deadline

    @property
    def slack(self) -> Fraction | None:
        """What is left to the deadline; negative when it is missed."""
        return None if self.worst is None else self.job.deadline - self.worst


def responses(jobs: Sequence[Job]) -> list[Response]:
    """The worst-case response time of each, in the order given."""
    scale = lcm(
        *(value.denominator for j in jobs for value in (j.period, j.deadline, j.cost, j.jitter, j.blocking))
    )
    return [
        _response(job, [o for o in jobs if o is not job and o.priority >= job.priority], scale)
        for job in jobs
    ]


def _response(job: Job, urgent: Sequence[Job], scale: int) -> Response:
    load = job.utilisation + sum((other.utilisation for other in urgent), Fraction(0))
    if load > 1 or load - job.utilisation >= 1:
        return Response(job, None, load)
    # Whole numbers: the same values, but quicker.
    others = [(int(o.period * scale), int(o.cost * scale), int(o.jitter * scale)) for o in urgent]
    period, cost = int(job.period * scale), int(job.cost * scale)
    jitter, blocking = int(job.jitter * scale), int(job.blocking * scale)
    free = 1 - (load - job.utilisation)
    worst, instance, window = -1, 0, 0
    # Where exactly all is asked for, what once holds a job up is never made good, but after the least common
    # multiple of all periods every window is longer by just that: nothing new comes then.
    every = lcm(period, *(one[0] for one in others)) // period if load == 1 else None
    for number in range(JOBS_MAX):
        asked = (number + 1) * cost + blocking
        busy = _busy(asked, others, ceil(asked / free))
        if busy is None:
            return Response(job, None, load, undecided=True)
        if jitter + busy - number * period > worst:
            worst, instance, window = jitter + busy - number * period, number, busy
        if jitter + busy <= (number + 1) * period or number + 1 == every:
            delays = tuple(
                (other.name, Fraction(_released(window, one[0], one[2]) * one[1], scale))
                for other, one in zip(urgent, others, strict=True)
            )
            return Response(job, Fraction(worst, scale), load, instance, delays)
    return Response(job, None, load, undecided=True)


def _busy(asked: int, others: Sequence[tuple[int, int, int]], start: int) -> int | None:
    """The least window that holds what is asked for and all that is released in it; `start` is no larger."""
    window = start
    for _ in range(STEPS_MAX):
        needed = asked + sum(_released(window, period, jitter) * cost for period, cost, jitter in others)
        if needed <= window:
            return needed
        window = needed
    return None


def _released(window: int, period: int, jitter: int) -> int:
    return -((-window - jitter) // period)
