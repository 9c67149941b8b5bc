"""The base class of devices."""

import copy
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from socscope import _core
from socscope.device.model import Declarations, build, declarations, title_of
from socscope.device.models import Table
from socscope.device.register import AnyRegister, RegisterArray, Word
from socscope.device.variable import OutputLine, Variable
from socscope.errors import DeviceError

if TYPE_CHECKING:
    from socscope.simulation import Simulation

Line = int | str | tuple[str, int]
CORE_LINE = re.compile(r"cpu(\d{1,4})\.(?!input$)([a-z]+)|irq|fiq")


class Place(NamedTuple):
    """Where a device is put; for the core."""

    name: str
    at: int
    size: int
    wait_states: int
    clock_hz: int | None
    lines: list[tuple[str, str, str | None, int]]


class Device:
    """A device of a machine. A subclass declares registers, attributes, state, lines, effects and events.

    `at` is its address. `interrupt` is where its first output line goes: a number at the platform's
    interrupt controller, a device with the number of its input, or the line of a core: "cpu0.irq",
    "cpu1.fiq"; "irq" and "fiq" are those of the first core. `lines` says the same for lines by name.
    Attributes are given by name.
    """

    title: ClassVar[str] = ""
    limits: ClassVar[str] = "What its class does not say."
    size: ClassVar[int] = 0
    registers: ClassVar[Mapping[str, AnyRegister]] = {}
    _model: ClassVar[_core.DeviceModel | None] = None
    _declared: ClassVar[Declarations]
    _numbers: ClassVar[dict[str, int]]

    def __init_subclass__(cls, **options: object) -> None:
        """Checks what the class declares."""
        super().__init_subclass__(**options)
        for name, register in cls.__dict__.get("registers", {}).items():
            register.name = name
            if name not in cls.__dict__:
                setattr(cls, name, register)
        cls._model = None
        cls._declared = declarations(cls)
        cls._numbers = cls._declared.numbers()

    def __init__(
        self,
        *,
        at: int,
        name: str | None = None,
        interrupt: Line | None = None,
        lines: Mapping[str, Line] | None = None,
        clock_hz: int | None = None,
        wait_states: int = 0,
        **attributes: object,
    ) -> None:
        self._simulation: Simulation | None = None
        self._attributes: dict[str, object] = dict(attributes)
        self.name = name or type(self).__name__.lower()
        ends = dict(lines or {})
        outputs = [line.name for line in self._declared.outputs]
        if interrupt is not None:
            if not outputs:
                raise DeviceError(f"{type(self).__name__} has no output line: declare one with output_line()")
            ends[outputs[0]] = interrupt
        self.place = Place(
            self.name,
            at,
            self.size or self._size(),
            wait_states,
            clock_hz,
            [(output, *_end(end)) for output, end in ends.items()],
        )
        known = [one.name for one in self._declared.variables if one.outside]
        for given in attributes:
            if given not in known:
                raise DeviceError(
                    f"{type(self).__name__} has no attribute {given}; there are: {', '.join(known) or 'none'}"
                )

    @classmethod
    def model(cls) -> _core.DeviceModel:
        """What the core runs; made once for a class."""
        if cls._model is None:
            cls._model = build(cls, Device)
        return cls._model

    @classmethod
    def table(cls) -> Table:
        """Its register table, for `header` and `systemrdl`."""
        registers = {register.name: register for register in cls._declared.registers}
        return Table(cls.__name__.lower(), title_of(cls), registers)

    def _size(self) -> int:
        """The next power of two that holds all registers, at least 16 bytes."""
        return max(16, 1 << (self.model().span - 1).bit_length()) if self.model().span else 16

    def reset(self, context: _core.DeviceContext) -> None:
        """Power-on and reset: registers and state are initial, lines low, no event pending."""

    def line_changed(self, line: str, level: bool, context: _core.DeviceContext) -> None:
        """An input line has changed."""

    def attribute_changed(self, name: str, context: _core.DeviceContext) -> None:
        """An attribute was changed from outside, in the middle of a run."""

    def read_value(self, kind: str, name: str, index: int | None = None) -> object:
        """The value of a register, variable or line: inside of its functions and outside."""
        value = _core.device_value(self, kind, self._numbers[name], index or 0)
        if value is not None:
            return value
        if self._simulation is None:
            if kind == "variable" and name in self._attributes:
                return self._attributes[name]
            raise DeviceError(f"{self.name} is in no simulation: {name} has no value yet")
        return self._simulation.attribute(self.name, name if index is None else f"{name}{index}")

    def write_value(
        self, kind: str, name: str, value: object, index: int | None = None, *, outside: bool = False
    ) -> None:
        """Sets a register, variable or line; from outside only attributes."""
        if _core.set_device_value(self, kind, self._numbers[name], index or 0, value):
            return
        if not outside:
            raise DeviceError(
                f"{self.name}.{name} is changed by the device's own functions only; "
                "from outside change attributes, or write to its address from the guest"
            )
        if self._simulation is None:
            self._attributes[name] = value
            return
        self._simulation.set_attribute(self.name, name, value)

    def __getitem__(self, register: str) -> Word:
        """A register by name; members of an array have their index appended."""
        found, index = self._find(register)
        return found.word(self.read_value("register", found.name, index))

    def __setitem__(self, register: str, value: int) -> None:
        """Sets a register by name."""
        found, index = self._find(register)
        self.write_value("register", found.name, value, index)

    def _find(self, name: str) -> tuple[AnyRegister, int | None]:
        registers = self._declared.registers
        for register in registers:
            rest = name.removeprefix(register.name)
            if name == register.name and not isinstance(register, RegisterArray):
                return register, None
            if isinstance(register, RegisterArray) and name != rest and rest.isdecimal():
                return register, int(rest)
        known = ", ".join(register.name for register in registers)
        raise DeviceError(f"{self.name} has no register {name}; there are: {known}")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses what is not declared: it would be in no checkpoint."""
        declared = getattr(type(self), name, None)
        if name in ("_simulation", "_attributes", "name", "place") or isinstance(
            declared, AnyRegister | Variable | OutputLine
        ):
            super().__setattr__(name, value)
            return
        raise DeviceError(
            f"{type(self).__name__}.{name} is not declared: nothing would save it; "
            f"write {name} = state(...) or {name} = attribute(...) in the class"
        )

    def attributes(self) -> list[tuple[str, object]]:
        """The attributes that were given."""
        return list(self._attributes.items())

    @property
    def simulation(self) -> "Simulation | None":
        """The simulation that the device is in."""
        return self._simulation

    def twin(self, simulation: "Simulation") -> "Device":
        """The same device of a simulation that was forked."""
        twin = copy.copy(self)
        twin.joined(simulation)
        return twin

    def joined(self, simulation: "Simulation | None") -> None:
        """The device is in a simulation now, or in none any more."""
        self._simulation = simulation


def _end(line: Line) -> tuple[str, str | None, int]:
    match line:
        case str() if found := CORE_LINE.fullmatch(line):
            return found[2] or line, None, int(found[1] or 0)
        case bool():
            pass
        case int() if line >= 0:
            return "input", None, line
        case (str(device), int(number)) if number >= 0:
            return "input", device, number
    raise DeviceError(f"{line!r} is no end of a line: give a number, (device, number) or 'cpu0.irq'")
