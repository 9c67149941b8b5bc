"""The verdict on a task set: response times, what they are made of, a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from socscope.estimate.response import JOBS_MAX, Response, responses
from socscope.estimate.result import Json, plain, shown
from socscope.estimate.tasks import Subject

COLUMNS = {
    "period": "Period",
    "deadline": "Deadline",
    "own": "Own",
    "services": "Services",
    "switches": "Switches",
    "blocking": "Blocking",
    "response": "Response",
}
_PARTS = ("itself", "services", "switches", "blocking", "interrupts", "more urgent tasks", "jobs before it")


@dataclass(frozen=True)
class Verdict:
    """A task or interrupt with its response time."""

    subject: Subject
    response: Response
    interrupts: frozenset[str]
    """The names that are interrupts."""

    @property
    def name(self) -> str:
        """Of the task or interrupt."""
        return self.subject.job.name

    @property
    def columns(self) -> dict[str, Fraction | None]:
        """Its times in ns, by the keys of `COLUMNS`."""
        job, priced = self.subject.job, self.subject.priced
        return {
            "period": job.period,
            "deadline": job.deadline,
            "own": priced.own_ns,
            "services": priced.services_ns,
            "switches": self.subject.switches_ns,
            "blocking": job.blocking,
            "response": self.response.worst,
        }

    @property
    def said(self) -> str:
        """Whether it holds, and by how much."""
        slack = self.response.slack
        if self.response.undecided:
            return (
                f"not decided: {float(100 * self.response.load):.6g} % are asked for, and no bound was found "
                f"in {JOBS_MAX:,} jobs; choose periods with a smaller common multiple"
            )
        if slack is None:
            return f"MISSES: with all that may delay it {float(100 * self.response.load):.1f} % are asked for"
        later = f" (job {self.response.instance + 1} of the busy period)" if self.response.instance else ""
        if slack < 0:
            return f"MISSES by {shown(-slack / 1000)}{later}"
        return f"holds, {shown(slack / 1000)} left{later}"

    def parts(self) -> dict[str, Fraction]:
        """What the worst response is made of; empty when it has no bound."""
        job, priced = self.subject.job, self.subject.priced
        if self.response.worst is None:
            return {}
        delays = dict.fromkeys(("interrupts", "more urgent tasks"), Fraction(0))
        for name, ns in self.response.delays:
            delays["interrupts" if name in self.interrupts else "more urgent tasks"] += ns
        made = {
            "itself": priced.own_ns,
            "services": priced.services_ns,
            "switches": self.subject.switches_ns,
        }
        if self.response.instance or job.jitter:
            # Its jobs before it shift the window; only the whole rest can be told.
            return made | {"jobs before it": self.response.worst - job.cost}
        return made | {"blocking": job.blocking} | delays

    def as_json(self) -> Json:
        """For other programs."""
        slack = self.response.slack
        return {
            "name": self.name,
            "kind": self.subject.kind,
            **{f"{name}_ns": None if ns is None else plain(ns) for name, ns in self.columns.items()},
            "holds": self.response.holds,
            "decided": not self.response.undecided,
            "slack_ns": None if slack is None else plain(slack),
            "worst_job": self.response.instance + 1,
            "load": float(self.response.load),
            "delays_ns": {name: plain(ns) for name, ns in self.response.delays},
            "calls": [
                {"service": one.cost.service.name, "path": one.cost.path.name, "ns": plain(one.total_ns)}
                for one in self.subject.priced.calls
            ],
        }


def verdicts(subjects: Sequence[Subject]) -> list[Verdict]:
    """Analyses all of them together."""
    interrupts = frozenset(one.job.name for one in subjects if one.kind == "interrupt")
    found = responses([one.job for one in subjects])
    return [Verdict(one, response, interrupts) for one, response in zip(subjects, found, strict=True)]


def utilisation(found: Sequence[Verdict]) -> Fraction:
    """The share of the processor that all ask for together."""
    return sum((one.subject.job.utilisation for one in found), Fraction(0))


def picture(found: Sequence[Verdict]) -> dict[str, Any]:
    """Each response time in percent of its deadline, cut into what it is made of."""
    from socscope.report import charts  # noqa: PLC0415 - takes a moment.

    rows = [
        {"task": one.name, "part": part, "percent": float(100 * ns / one.subject.job.deadline)}
        for one in found
        if one.subject.job.deadline
        for part, ns in one.parts().items()
        if ns
    ]
    occurring = [part for part in _PARTS if any(row["part"] == part for row in rows)]
    return charts.bars(
        rows, x=("task", "task"), y=("percent", "response, % of the deadline"), part="part", parts=occurring
    )
