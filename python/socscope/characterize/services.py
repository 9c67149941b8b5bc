"""The description file of a kernel: its services, their parameters, and the cases that drive them."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from socscope.awareness.description import condition as parse_condition
from socscope.characterize.dynamic.call import Statement
from socscope.characterize.static.annotation import Annotation
from socscope.errors import CharacterizeError, FormulaError
from socscope.sheet.formula import Formula
from socscope.sheet.model import Parameter as SheetParameter
from socscope.validation import first_error

RUNS_MAX = 4096
"""Runs of one path; more of them hint at too many values of too many parameters."""
LIMIT_MS_MAX = 3_600_000
"""An hour of simulated time."""
Text = Annotated[str, Field(min_length=1)]
Kind = Literal["code", "constants", "data", "stack", "heap", "device"]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KernelFacts(_Fields):
    """What the image itself does not say of the kernel."""

    name: Text
    version: str = ""
    configuration: dict[str, str] = {}


class Place(_Fields):
    """Where a run comes to: a magic instruction, a function, or a time after reset. Exactly one of them."""

    mark: int | None = Field(default=None, ge=0, le=255)
    symbol: str | None = None
    time_ms: float | None = Field(default=None, gt=0, le=LIMIT_MS_MAX)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(one is not None for one in (self.mark, self.symbol, self.time_ms)) != 1:
            raise ValueError("give exactly one of mark, symbol and time_ms: {mark = 10}")
        return self

    def __str__(self) -> str:
        if self.mark is not None:
            return f"mark {self.mark}"
        return self.symbol if self.symbol is not None else f"{self.time_ms} ms"


class ImageFacts(_Fields):
    """How the image runs: to the ready state, and around the call that is counted."""

    ready: Place
    begin: Place | None = None
    end: Place | None = None
    done: Place | None = None
    application: list[Text] = []
    """Code that is not counted: patterns over source paths, or `name:` and a pattern over functions."""
    memory: str | None = None
    """A variable from which `memory()` is taken; it lies below the ready state's stack pointer otherwise."""
    limit_ms: float = Field(default=1000, gt=0, le=LIMIT_MS_MAX)
    """A run that takes longer is given up."""

    @field_validator("begin", "end", "done")
    @classmethod
    def _no_time(cls, place: Place | None) -> Place | None:
        if place is not None and place.time_ms is not None:
            raise ValueError("a time is no place in a case; give a mark or a symbol")
        return place


class Guest(_Fields):
    """Symbols through which a case in the guest is chosen, and through which it says what came out."""

    case: Text
    parameters: Text
    result: str | None = None


class BlockingRule(_Fields):
    """When something is blocked: a bit of the status register, or a variable or device register."""

    kind: Literal["interrupts", "source", "scheduler"]
    when: Literal["masked", "cpsr.i", "cpsr.f"] | None = None
    symbol: str | None = None
    device: str | None = None
    register_name: str | None = Field(default=None, alias="register")
    not_zero: bool = False
    condition: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(one is not None for one in (self.when, self.symbol, self.device)) != 1:
            raise ValueError('give exactly one of when = "masked", symbol, and device with register')
        if (self.device is None) != (self.register_name is None):
            raise ValueError("a device's place needs both device and register")
        if self.when is None and self.not_zero == (self.condition is not None):
            raise ValueError('say when it blocks: not_zero = true, or condition = "& 4 = 0"')
        if self.condition is not None:
            parse_condition(self.condition)
        return self

    def holds(self) -> tuple[int, int | None]:
        """Mask and value of the place when it blocks; a value of None is anything but zero."""
        return parse_condition(self.condition or "nonzero")


class AnnotationFacts(_Fields):
    """What the static analysis cannot find out; the fields of `static.Annotation`."""

    at: str | None = None
    function: str | None = None
    loop_bound: int | str | None = None
    never: bool = False
    targets: list[str] = []
    recursion_depth: int | None = None
    length: int | str | None = None
    register_name: str = Field(default="", alias="register")
    minimum: int | str = 0
    maximum: int | str | None = None

    @model_validator(mode="after")
    def _place(self) -> Self:
        if (self.at is None) == (self.function is None):
            raise ValueError("give the place: at, or function for recursion_depth and length")
        return self

    def annotation(self) -> Annotation:
        """As the static analysis takes it."""
        return Annotation(
            at=self.at or self.function or "",
            loop_bound=self.loop_bound,
            never=self.never,
            targets=tuple(self.targets),
            recursion_depth=self.recursion_depth,
            length=self.length,
            register=self.register_name,
            minimum=self.minimum,
            maximum=self.maximum,
        )


class Parameter(_Fields):
    """What a cost depends on, with the values for which it is run."""

    name: Text
    meaning: Text
    fit: list[int] = Field(min_length=1)
    """Values from which formulas are solved."""
    verify: list[int] = []
    """Further values on which the formulas must hold."""
    minimum: int = 0
    maximum: int | None = None
    multiple_of: int = Field(default=1, ge=1)
    """What all its values are multiples of: others are not tried."""

    @model_validator(mode="after")
    def _values(self) -> Self:
        # Names and ranges have the rules of the sheet.
        SheetParameter(name=self.name, meaning=self.meaning, minimum=self.minimum, maximum=self.maximum)
        if both := sorted(set(self.fit) & set(self.verify)):
            raise ValueError(f"{self.name}: {both[0]} stands in fit and in verify; verify on other values")
        for value in (*self.fit, *self.verify):
            if value < self.minimum or (self.maximum is not None and value > self.maximum):
                raise ValueError(f"{self.name}: {value} is outside of minimum and maximum")
            if value % self.multiple_of:
                raise ValueError(f"{self.name}: {value} is no multiple of {self.multiple_of}")
        return self


class PathFacts(_Fields):
    """One way through a service, and the case that takes it: a function of the guest, or calls."""

    name: Text
    summary: str = ""
    case: str | None = None
    setup: list[Statement] = []
    call: Statement | None = None
    expect: int | str | None = None
    ends: Literal["returns", "switches"] = "returns"
    fixed: dict[str, int] = {}
    """Parameters that have one value in this path."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.case is None) == (self.call is None):
            raise ValueError("give case, a function of the guest, or call with setup")
        if self.case is not None and self.setup:
            raise ValueError("setup belongs to call; a case of the guest prepares itself")
        if isinstance(self.expect, str):
            try:
                Formula.parse(self.expect)
            except FormulaError as error:
                raise ValueError(f"expect: {error}") from None
        return self

    def check_names(self, parameters: Sequence[str]) -> None:
        """Fails where a call needs what is neither a parameter nor the result of an earlier call."""
        known = set(parameters)
        for statement in (*self.setup, *([self.call] if self.call else [])):
            for name in sorted(statement.names - known):
                raise ValueError(
                    f"path {self.name}: {name} in {statement.text!r} is no parameter of the service and no "
                    f"result of an earlier call; known: {', '.join(sorted(known)) or 'none'}"
                )
            known |= {statement.result} if statement.result else set()


class StaticFacts(_Fields):
    """Where the static analysis begins and ends, if not at the service's entry and its return."""

    mode: str = "supervisor"
    start: str | None = None
    stop: list[str] = []
    registers: dict[str, tuple[int | str, int | str]] = {}


class ServiceFacts(_Fields):
    """A public call, or something that the kernel does by itself."""

    name: Text
    summary: str = ""
    kind: Literal["service", "activity"] = "service"
    entry: Text
    parameter: list[Parameter] = []
    path: list[PathFacts] = Field(min_length=1)
    annotations: list[AnnotationFacts] = []
    static: StaticFacts = StaticFacts()

    @model_validator(mode="after")
    def _names(self) -> Self:
        known = [parameter.name for parameter in self.parameter]
        for path in self.path:
            for name in path.fixed:
                if name not in known:
                    raise ValueError(f"path {path.name}: fixed {name} is no parameter of the service")
            path.check_names(known)
        _unique("parameter", known)
        _unique("path", [path.name for path in self.path])
        return self


class Groups(_Fields):
    """Names and kinds for sections of the sheet, where those of the linker do not say enough."""

    members: dict[str, list[str]] = {}
    kinds: dict[str, Kind] = {}


class Services(_Fields):
    """A kernel's description."""

    format: Literal[1]
    kernel: KernelFacts
    image: ImageFacts
    guest: Guest | None = None
    blocking: list[BlockingRule] = []
    sections: Groups = Groups()
    service: list[ServiceFacts] = Field(min_length=1)
    annotation: list[AnnotationFacts] = []

    @field_validator("sections", mode="before")
    @classmethod
    def _groups(cls, table: Any) -> Any:  # noqa: ANN401 - whatever a file holds.
        if not isinstance(table, dict) or "members" in table:
            return table
        return {
            "kinds": table.get("kinds", {}),
            "members": {name: members for name, members in table.items() if name != "kinds"},
        }

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _unique("service", [service.name for service in self.service])
        for service in self.service:
            for path in service.path:
                if path.case is not None and self.guest is None:
                    raise ValueError(
                        f"service {service.name}, path {path.name}: a case needs [guest]; or give call"
                    )
                if path.case is not None and not (self.image.begin and self.image.end):
                    raise ValueError("image: cases need begin and end, such as {mark = 1} and {mark = 2}")
        return self

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a description; fails with the file, the place and the rule of what does not fit."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise CharacterizeError(f"{path}: cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise CharacterizeError(f"{path}: no TOML: {error}") from None
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise CharacterizeError(f"{path}: {first_error(error, content, cls)}") from None


def _unique(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"there are two {what}s called {name}; give each a name of its own")
