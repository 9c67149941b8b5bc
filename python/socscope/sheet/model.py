"""The cost sheet: what every service of a kernel costs in accesses, to be priced on any hardware."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from socscope.record.manifest import Timing
from socscope.sheet.formula import Formula

FORMAT = 2

Operation = Literal["fetch", "read", "write", "access"]
Width = Literal[8, 16, 32]
Direction = Literal["read", "write"]
Sequence = Literal["nonsequential", "sequential", "after_internal"]
Blocking = Literal["none", "interrupts", "source", "scheduler"]
ZERO = Formula(0)
ONE = Formula(1)
Text = Annotated[str, Field(min_length=1)]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Kernel(_Fields):
    """The build that was characterised."""

    name: Text
    version: str = ""
    image_sha256: str = Field(default="", pattern="^([0-9a-f]{64})?$", description="Hash of the ELF file.")
    compiler: str = Field(default="", description="What the debug information says, options included.")
    configuration: dict[str, str] = Field(default_factory=dict, description="Settings of the kernel build.")
    instruction_set: Literal["arm", "thumb", "mixed", "powerpc"]
    core: str = Field(
        default="arm7tdmi",
        description="Whose cycles are counted. Of a PowerPC all are internal cycles, as many for each "
        "instruction: no memory changes them.",
    )


class Section(_Fields):
    """A place of code or data that an integrator maps to a memory."""

    name: Text
    kind: Literal["code", "constants", "data", "stack", "heap", "device"]
    start: int | None = Field(default=None, ge=0, description="Where it lay in the characterised image.")
    size: int | None = Field(default=None, ge=0, description="In bytes.")


class Parameter(_Fields):
    """What a service's cost depends on: an argument or a part of the kernel's state."""

    name: str = Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")
    meaning: Text
    minimum: int = 0
    maximum: int | None = Field(
        default=None, description="The largest value for which the formulas were verified."
    )

    @model_validator(mode="after")
    def _range(self) -> Self:
        if self.maximum is not None and self.maximum < self.minimum:
            raise ValueError(f"{self.name}: maximum {self.maximum} is below minimum {self.minimum}")
        if self.name in ("max", "min", "if", "else", "and", "or", "not"):
            raise ValueError(f"{self.name}: is a word of the formulas; choose another name")
        return self


class Count(_Fields):
    """Accesses of one kind to one section. What is left out is `any`."""

    section: Text
    operation: Operation
    width: Width | None = Field(default=None, description="In bits.")
    sequence: Sequence | None = Field(
        default=None,
        description="Whether the access follows on from the one before it; `after_internal` is a fetch that "
        "does so behind an internal cycle.",
    )
    crosses_from: Text | None = Field(
        default=None,
        description="The section of the access that it follows on from, if that is another one: where the "
        "two lie in different memories it is nonsequential.",
    )
    count: Formula

    @model_validator(mode="after")
    def _follows(self) -> Self:
        if self.crosses_from is not None and self.sequence in (None, "nonsequential"):
            raise ValueError("crosses_from is for accesses that are sequential or after_internal")
        return self


class Succession(_Fields):
    """An access that follows one to another section, or one in the other direction.

    Where memories share a bus it may have to wait: for the drivers of the memory that was read, or for
    another memory to be selected.
    """

    section: Text
    operation: Direction
    next_section: Text
    next_operation: Direction
    direct: bool = Field(description="Whether no internal cycle lies between the two.")
    count: Formula


class Part(_Fields):
    """A piece of a path with one repetition and one blocking; all its counts are of one repetition."""

    name: Text
    repetition: Formula = ONE
    blocking: Blocking = "none"
    counts: list[Count] = Field(default_factory=list)
    taken_branches: Formula = ZERO
    internal_cycles: Formula = ZERO
    turnarounds: dict[str, Formula] = Field(
        default_factory=dict,
        description="Reads from a section that a write or an access to another section directly follows.",
    )
    successions: list[Succession] = Field(
        default_factory=list, description="What is known in the place of turnarounds; fetches are reads."
    )
    instructions: dict[str, Formula] = Field(
        default_factory=dict, description="Executed instructions by section."
    )

    def formulas(self) -> Iterator[tuple[str, Formula]]:
        """Every formula with its place."""
        yield "repetition", self.repetition
        yield "taken_branches", self.taken_branches
        yield "internal_cycles", self.internal_cycles
        for number, count in enumerate(self.counts, start=1):
            yield f"count {number} ({count.operation} of {count.section})", count.count
        for section, formula in self.turnarounds.items():
            yield f"turnarounds of {section}", formula
        for number, one in enumerate(self.successions, start=1):
            yield f"succession {number} ({one.next_section} after {one.section})", one.count
        for section, formula in self.instructions.items():
            yield f"instructions of {section}", formula

    def sections(self) -> set[str]:
        """All sections that it names."""
        following = {name for one in self.successions for name in (one.section, one.next_section)}
        counted = {count.section for count in self.counts}
        counted |= {count.crosses_from for count in self.counts if count.crosses_from is not None}
        return counted | following | set(self.turnarounds) | set(self.instructions)


class Fit(_Fields):
    """How well the formulas hold: from how many runs they come, and on how many others they were checked."""

    runs: int = Field(default=0, ge=0)
    verified: int = Field(default=0, ge=0)
    exact: bool = True
    excess_max: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        description="How far a formula that is not exact is above a run: a fraction.",
    )
    note: str = ""
    values: dict[str, list[tuple[int, int]]] = Field(
        default_factory=dict,
        description="By parameter the values that were run, as ranges from the first to the last, in order. "
        "Of several parameters not all combinations were.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for name, listed in self.values.items():
            ends = [end for one in listed for end in one]
            if ends != sorted(ends):
                raise ValueError(f"fit: values of {name}: ranges go from the smallest value to the largest")
        return self


class Path(_Fields):
    """One way through a service."""

    name: Text
    summary: str = ""
    ends: Literal["returns", "switches"] = "returns"
    parts: list[Part] = Field(min_length=1)
    fit: Fit = Fit()

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that its cost depends on."""
        return frozenset().union(*(formula.names for part in self.parts for _, formula in part.formulas()))


class Unbounded(_Fields):
    """A place that static analysis could not bound, and what would help."""

    address: int
    source: str
    reason: str
    remedy: str


class Uncovered(_Fields):
    """A piece of the worst path that no run took."""

    address: int
    source: str
    what: str


class Assumption(_Fields):
    """What a static bound takes for granted at a place; no run of the cases went against it."""

    address: int
    source: str
    what: str


class WorstPath(_Fields):
    """A path that is the worst one somewhere, for the greatest values of all parameters."""

    worst_on: list[str] = Field(description="Platforms on which no path is longer.")
    cycles: dict[str, int] = Field(description="What it takes at most on every platform that was asked for.")


class Static(_Fields):
    """What static analysis of the binary says of the service."""

    reference: str = Field(description="The platform of the cost that the worst path is worst under.")
    bound_cycles: Formula | None = Field(
        default=None, description="Never below any run; none while something is unbounded."
    )
    bounds: dict[str, Formula] = Field(
        default_factory=dict, description="The same on each platform that was asked for."
    )
    worst_paths: list[WorstPath] = Field(
        default_factory=list,
        description="Paths of which none is below another on all of these platforms; one, where one is the "
        "worst everywhere.",
    )
    observed_max_cycles: int | None = None
    over: float | None = Field(default=None, description="Bound over observed.")
    unbounded: list[Unbounded] = Field(default_factory=list)
    assumptions: list[Assumption] = Field(
        default_factory=list, description="What the bound takes for granted, place by place."
    )
    infeasible: int = Field(
        default=0, ge=0, description="Branches that were excluded because they cannot be taken."
    )
    uncovered: list[Uncovered] = Field(default_factory=list)
    picture: str | None = Field(
        default=None, description="The control-flow graph with the worst path, as SVG."
    )
    call_graph: str | None = Field(default=None, description="As SVG.")


class Service(_Fields):
    """A public call, or something that the kernel does by itself."""

    name: Text
    summary: str = ""
    kind: Literal["service", "activity"] = "service"
    entry: str = Field(default="", description="The symbol.")
    parameters: list[Parameter] = Field(default_factory=list)
    paths: list[Path] = Field(min_length=1)
    static: Static | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _unique("parameter", (parameter.name for parameter in self.parameters))
        _unique("path", (path.name for path in self.paths))
        known = {parameter.name for parameter in self.parameters}
        for path in self.paths:
            _unique("part", (part.name for part in path.parts))
            for part in path.parts:
                for place, formula in part.formulas():
                    for name in sorted(formula.names - known):
                        raise ValueError(
                            f"service {self.name}, path {path.name}, part {part.name}, {place}: {name} in "
                            f"'{formula}' is no parameter of the service; "
                            + (f"it has {', '.join(sorted(known))}" if known else "it has none")
                        )
        return self


class Sheet(_Fields):
    """What each service and activity of one kernel build costs."""

    format: Literal[1, 2] = 2
    generator: str = ""
    kernel: Kernel
    sections: list[Section]
    services: list[Service]
    accuracy: Timing

    def __repr__(self) -> str:
        return f"Sheet({self.kernel.name!r} {self.kernel.version!r}, {len(self.services)} services)"

    @property
    def limits(self) -> list[str]:
        """What a sheet of an older format cannot say, for people who price it."""
        counts = (
            count
            for service in self.services
            for path in service.paths
            for part in path.parts
            for count in part.counts
        )
        if self.format > 1 or not any(count.sequence is not None for count in counts):
            return []
        return [
            f"the sheet of {self.kernel.name} is of format 1, which cannot say which fetches follow an "
            "internal cycle: on a memory that begins its burst anew then, the price is too low; characterize "
            "the kernel again"
        ]

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _unique("section", (section.name for section in self.sections))
        _unique("service", (service.name for service in self.services))
        known = {section.name for section in self.sections}
        for service in self.services:
            for path in service.paths:
                for part in path.parts:
                    for name in sorted(part.sections() - known):
                        raise ValueError(
                            f"service {service.name}, path {path.name}, part {part.name}: the section "
                            f"{name} is not among the sheet's sections; add it there"
                        )
        return self


def _unique(what: str, names: Iterable[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"there are {times} {what}s called {name}; give each a name of its own")
