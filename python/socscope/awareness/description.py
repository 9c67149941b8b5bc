"""The description of an operating system: which variables and members hold its tasks."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from socscope.errors import AwarenessError

SYSTEMS = Path(__file__).with_name("systems")
REGISTERS = (
    *(f"r{index}" for index in range(13)),
    *("sp", "lr", "pc", "cpsr"),
    *("r8_usr", "r9_usr", "r10_usr", "r11_usr", "r12_usr", "sp_usr", "lr_usr"),
)
"""Registers that a description may give, in the order of the GDB server."""

CONDITION = re.compile(r"(nonzero|zero)|(?:& *(\w+))? *(?:= *(\w+))?")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _condition(text: str) -> str:
    condition(text)
    return text


def _register(name: str) -> str:
    if name not in REGISTERS:
        raise ValueError(f"no register {name}: {', '.join(REGISTERS)}")
    return name


Condition = Annotated[str, AfterValidator(_condition)]
Register = Annotated[str, AfterValidator(_register)]


def condition(text: str) -> tuple[int, int | None]:
    """Mask and wanted value, `None` for anything but zero, of `nonzero`, `= 3`, `& 4` or `& 7 = 1`."""
    found = CONDITION.fullmatch(text.strip())
    if found is None or not text.strip():
        raise ValueError(f"'{text}' is no condition: nonzero, zero, = 3, & 4 or & 7 = 1")
    word, mask, value = found.groups()
    try:
        bits = int(mask, 0) if mask else 0xFFFFFFFF
        wanted = int(value, 0) if value else None
    except ValueError:
        raise ValueError(f"'{text}' is no condition: numbers are 12 or 0x1f") from None
    return bits, 0 if word == "zero" else wanted


class TaskList(_Model):
    """Where the tasks are. Members are those of the task's control block."""

    array: str | None = None
    """A variable: an array of control blocks."""
    head: str | None = None
    """A variable: a pointer to the first node of a list, instead of an array."""
    type: str | None = None
    """A variable whose type, without arrays and pointers, is the control block; for a list."""
    next: str | None = None
    """Member: the pointer to the next node."""
    node: str | None = None
    """Member that the pointers point to; the control block itself when it is left out."""
    running: str
    """A variable: a pointer to the control block of the task that runs."""
    exists: dict[str, Condition] = {}
    identity: str | None = None
    """Member that differs between tasks that use a control block one after another."""
    name: str
    """Member: an array of characters, or a pointer to them."""
    priority: str | None = None
    otherwise: str = "ready"

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.array is None) == (self.head is None):
            raise ValueError("give either array or head")
        if self.head is not None and (self.next is None or self.type is None):
            raise ValueError("a list needs next and type")
        return self


class State(_Model):
    """A state: all of its conditions must hold."""

    name: str
    when: dict[str, Condition]


class Frame(_Model):
    """Registers that lie together: at the sum of some members and an offset."""

    base: list[str] = Field(min_length=1)
    offset: int = 0
    load: dict[Register, int] = {}
    """Registers and where they are saved, from the frame on."""
    address: dict[Register, int] = {}
    """Registers that are the frame's address and this."""
    constant: dict[Register, int] = {}


class View(_Model):
    """A way to see a task that does not run."""

    name: str
    when: dict[str, Condition] = {}
    frame: list[Frame] = Field(min_length=1)


class Description(_Model):
    """An operating system."""

    system: str
    symbols: list[str] = Field(min_length=1)
    """All of them are in an image of this system."""
    tasks: TaskList
    state: list[State] = []
    view: list[View] = []

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a description."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise AwarenessError(f"{path}: cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise AwarenessError(f"{path}: no TOML: {error}") from None
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the description"
            raise AwarenessError(f"{path}: {place}: {first['msg']}") from None


@cache
def systems() -> tuple[Description, ...]:
    """The systems that are known."""
    return tuple(Description.read(path) for path in sorted(SYSTEMS.glob("*.toml")))
