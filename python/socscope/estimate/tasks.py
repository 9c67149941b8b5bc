"""A task set from `tasks.toml`, with the services that it calls priced from cost sheets."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from socscope.errors import EstimateError, OptionError
from socscope.estimate import choose, toml
from socscope.estimate.choose import Values
from socscope.estimate.price import PathCost, Target, without_value
from socscope.estimate.response import Job
from socscope.estimate.result import PathPrice, prices
from socscope.sheet.model import Sheet
from socscope.validation import first_error


def _time(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} has no unit; write for instance '20us'")
    try:
        return toml.time_ns(value)
    except (OptionError, EstimateError) as error:
        raise ValueError(str(error)) from None


Time = Annotated[Fraction, BeforeValidator(_time)]
Name = Annotated[str, Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Call(_Table):
    """Calls of one service in each job."""

    service: Name
    count: int = Field(default=1, ge=0)
    path: str | None = None
    """The dearest path when left out."""
    parameters: dict[str, int] = Field(default_factory=dict, alias="with")
    kernel: str | None = None
    """Which sheet it stands in, where several have it."""


class Work(_Table):
    """What is executed: own time and calls."""

    own: Time = Fraction(0)
    calls: list[Call] = Field(default_factory=list)


class Interrupt(Work):
    """Something that interrupts all tasks; the period is the least time between two."""

    name: Name
    period: Time
    deadline: Time | None = None
    jitter: Time = Fraction(0)


class Tick(Interrupt):
    """The kernel's timer interrupt."""

    name: Name = "tick"


class Task(Interrupt):
    """A task; the deadline is the period when left out."""

    priority: int
    blocking: Time = Fraction(0)
    """The longest that it waits for a resource which a less urgent task holds."""


class TaskFile(_Table):
    """The content of `tasks.toml`."""

    more_urgent: Literal["larger", "smaller"]
    """Whether larger or smaller numbers of priority are more urgent."""
    switch: Work = Work()
    """One context switch; each job of a task pays for two."""
    tick: Tick | None = None
    interrupt: list[Interrupt] = Field(default_factory=list)
    task: list[Task] = Field(min_length=1)


def read(path: Path) -> TaskFile:
    """Reads `tasks.toml`; fails with the task and the key of what does not fit."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EstimateError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EstimateError(f"{path}: not TOML: {error}") from None
    try:
        found = TaskFile.model_validate(content)
    except ValidationError as error:
        raise EstimateError(f"{path}: {first_error(error, content, TaskFile)}") from None
    everyone = [*([found.tick] if found.tick else []), *found.interrupt, *found.task]
    for one in everyone:
        if one.period == 0:
            raise EstimateError(f"{path}: {one.name}: the period is 0; give the time between two releases")
        if sum(other.name == one.name for other in everyone) > 1:
            raise EstimateError(f"{path}: {one.name}: there are two of this name")
    return found


@dataclass(frozen=True)
class Priced:
    """The execution time of some work, and how long it holds others up."""

    own_ns: Fraction
    services_ns: Fraction
    masked_ns: Fraction
    """Longest time with interrupts, or one of them, masked."""
    unpreempted_ns: Fraction
    """Longest time without preemption: interrupts masked or the scheduler locked."""
    calls: Sequence[PathPrice] = ()


@dataclass(frozen=True)
class Subject:
    """A task or an interrupt, ready to be analysed."""

    job: Job
    kind: Literal["interrupt", "task"]
    priced: Priced
    switches_ns: Fraction = Fraction(0)


class Pricer:
    """Prices work from sheets on one platform."""

    def __init__(self, sheets: Sequence[Sheet], target: Target) -> None:
        self.sheets = sheets
        self.target = target
        self.priced: list[PathCost] = []
        """All that calls came to, the dearest path of each."""

    def price(self, work: Work, name: str) -> Priced:
        """The price of a job's own time and calls."""
        called = [self._call(call, name) for call in work.calls]
        kinds: dict[str, list[Fraction]] = {"interrupts": [], "source": [], "scheduler": []}
        for call, one in zip(work.calls, called, strict=True):
            for kind, ns in one.blocking_ns.items():
                if call.count:
                    kinds[kind].append(ns)
        services = (call.count * one.total_ns for call, one in zip(work.calls, called, strict=True))
        return Priced(
            work.own,
            sum(services, Fraction(0)),
            _largest([*kinds["interrupts"], *kinds["source"]]),
            _largest([*kinds["interrupts"], *kinds["scheduler"]]),
            called,
        )

    def _call(self, call: Call, name: str) -> PathPrice:
        sheets = [sheet for sheet in self.sheets if call.kernel in (None, sheet.kernel.name)]
        if not sheets:
            known = ", ".join(sheet.kernel.name for sheet in self.sheets)
            raise EstimateError(f"{name}: there is no sheet of {call.kernel}; there are {known}")
        having = [sheet for sheet in sheets if any(one.name == call.service for one in sheet.services)]
        if len(having) > 1:
            names = [sheet.kernel.name for sheet in having]
            remedy = "add kernel = ..." if len(set(names)) > 1 else "give one of them, or rename a kernel"
            raise EstimateError(
                f"{name}: {call.service} stands in several sheets ({', '.join(names)}); {remedy}"
            )
        try:
            service = choose.service((having or sheets)[0], call.service)
            values = Values(call.parameters)
            values.check([service])
            for path in choose.paths(service, call.path):
                for parameter in service.parameters:
                    if parameter.name in path.names and parameter.name not in call.parameters:
                        remedy = f"with = {{{parameter.name} = ...}} in the call"
                        raise without_value(service, path, parameter, remedy)
            found = prices(self.target, service, values, call.path)
        except EstimateError as error:
            raise EstimateError(f"{name}: {error}") from None
        # The dearest path need not be the one that blocks longest.
        longest = {
            kind: max(one.blocking_ns.get(kind, Fraction(0)) for one in found)
            for kind in dict.fromkeys(kind for one in found for kind in one.blocking_ns)
        }
        self.priced.append(found[0].cost)
        return PathPrice(**{**vars(found[0]), "blocking_ns": longest})


def subjects(file: TaskFile, pricer: Pricer) -> list[Subject]:
    """All that runs, most urgent first, with costs and blocking from the sheets."""
    tasks = [(task, pricer.price(task, task.name)) for task in file.task]
    switch = pricer.price(file.switch, "switch")
    ticks: list[Interrupt] = [file.tick] if file.tick else []
    interrupts = [(one, pricer.price(one, one.name)) for one in (*ticks, *file.interrupt)]
    sign = 1 if file.more_urgent == "larger" else -1
    # Interrupts delay every task, and each other, since the file does not say which may nest.
    top = max(sign * task.priority for task in file.task) + 1
    masked = max(switch.masked_ns, _largest(priced.masked_ns for _, priced in tasks))
    found = [
        Subject(_job(one, priced.own_ns + priced.services_ns, top, masked), "interrupt", priced)
        for one, priced in interrupts
    ]
    switches = 2 * (switch.own_ns + switch.services_ns)
    for task, priced in sorted(tasks, key=lambda pair: -sign * pair[0].priority):
        lower = [p.unpreempted_ns for other, p in tasks if sign * other.priority < sign * task.priority]
        held_up = _largest([*lower, switch.unpreempted_ns] if lower else []) + task.blocking
        cost = priced.own_ns + priced.services_ns + switches
        found.append(Subject(_job(task, cost, sign * task.priority, held_up), "task", priced, switches))
    return found


def _job(one: Interrupt, cost: Fraction, priority: int, blocking: Fraction) -> Job:
    deadline = one.period if one.deadline is None else one.deadline
    return Job(one.name, one.period, deadline, cost, priority, one.jitter, blocking)


def _largest(values: Iterable[Fraction]) -> Fraction:
    return max(values, default=Fraction(0))
