"""The description of an operating system: which variables and members hold its tasks."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from socscope.errors import AwarenessError
from socscope.image import Image

SYSTEMS = Path(__file__).with_name("systems")
Machine = Literal["EM_ARM", "EM_PPC"]
REGISTERS: dict[Machine, tuple[str, ...]] = {
    "EM_ARM": (
        *(f"r{index}" for index in range(13)),
        *("sp", "lr", "pc", "cpsr"),
        *("r8_usr", "r9_usr", "r10_usr", "r11_usr", "r12_usr", "sp_usr", "lr_usr"),
    ),
    "EM_PPC": (*(f"r{index}" for index in range(32)), *("pc", "msr", "cr", "lr", "ctr", "xer")),
}
"""Registers that a description may give, by the machine of its images, in the order of the GDB server."""

CONDITION = re.compile(r"(nonzero|zero)|(?:& *(\w+))? *(?:= *(\w+))?")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _condition(text: str) -> str:
    condition(text)
    return text


Condition = Annotated[str, AfterValidator(_condition)]


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
    load: dict[str, int] = {}
    """Registers and where they are saved, from the frame on."""
    address: dict[str, int] = {}
    """Registers that are the frame's address and this."""
    constant: dict[str, int] = {}

    def registers(self) -> set[str]:
        """Those that it gives."""
        return {*self.load, *self.address, *self.constant}


class View(_Model):
    """A way to see a task that does not run."""

    name: str
    when: dict[str, Condition] = {}
    frame: list[Frame] = Field(min_length=1)


class Description(_Model):
    """An operating system."""

    system: str
    machine: Machine = "EM_ARM"
    """What images of this system are built for, as ELF files call it."""
    symbols: list[str] = Field(min_length=1)
    """All of them are in an image of this system."""
    tasks: TaskList
    state: list[State] = []
    view: list[View] = []

    @model_validator(mode="after")
    def _known_registers(self) -> Self:
        known = REGISTERS[self.machine]
        for frame in (frame for view in self.view for frame in view.frame):
            for name in sorted(frame.registers()):
                if name not in known:
                    raise ValueError(f"no register {name}: {', '.join(known)}")
        return self

    def is_of(self, image: Image) -> bool:
        """Whether an image is of this system."""
        return image.machine == self.machine and all(symbol in image.symbols for symbol in self.symbols)

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
