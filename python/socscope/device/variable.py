"""Attributes, internal state and lines, as a class declares them."""

from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from socscope.device.device import Device

T = TypeVar("T", bool, int, float, str, bytes, tuple[int, ...])


class Variable:
    """A variable of a device; attributes may be changed from outside at any time of a run."""

    def __init__(
        self, initial: object, minimum: object, maximum: object, summary: str, *, outside: bool
    ) -> None:
        self.name = ""
        self.initial = initial
        self.minimum = minimum
        self.maximum = maximum
        self.summary = summary
        self.outside = outside

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name that the class gives."""
        self.name = name

    def __get__(self, instance: "Device | None", owner: type) -> object:
        """The value; in the class the variable itself."""
        if instance is None:
            return self
        return instance.read_value("variable", self.name)

    def __set__(self, instance: "Device", value: object) -> None:
        """Sets the value."""
        instance.write_value("variable", self.name, value, outside=self.outside)


class OutputLine:
    """An output line; in an instance it is its level."""

    def __init__(self, summary: str) -> None:
        self.name = ""
        self.summary = summary

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name that the class gives."""
        self.name = name

    def __get__(self, instance: "Device | None", owner: type) -> object:
        """The level; in the class the line itself."""
        return self if instance is None else instance.read_value("line", self.name)

    def __set__(self, instance: "Device", level: bool) -> None:
        """Sets the level."""
        instance.write_value("line", self.name, bool(level))


class InputLine:
    """An input line: `line_changed` is called when its level changes."""

    def __init__(self, summary: str) -> None:
        self.name = ""
        self.summary = summary

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name that the class gives."""
        self.name = name


def attribute(initial: T, *, minimum: T | None = None, maximum: T | None = None, summary: str = "") -> T:
    """A property that people set when they make the device and change at any time of a run: a recorded input.

    Its type is that of the initial value: bool, int (64 bits), float, str, bytes or a tuple of int.
    """
    return cast(T, Variable(initial, minimum, maximum, summary, outside=True))


def state(initial: T, summary: str = "") -> T:
    """What the device remembers beside its registers. A reset gives it its initial value."""
    return cast(T, Variable(initial, None, None, summary, outside=False))


def output_line(summary: str = "") -> bool:
    """A line to an interrupt controller or another device; `self.line = True` asserts it."""
    return cast(bool, OutputLine(summary))


def input_line(summary: str = "") -> InputLine:
    """A line that another device or the board drives."""
    return InputLine(summary)
