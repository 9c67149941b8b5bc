"""From a class to the model that the core runs."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from socscope import _core
from socscope.device.effects import MARK
from socscope.device.register import AnyRegister, RegisterArray
from socscope.device.variable import InputLine, OutputLine, Variable
from socscope.errors import DeviceError

if TYPE_CHECKING:
    from socscope.device.device import Device

Function = Callable[..., Any]


@dataclass(frozen=True)
class RegisterFacts:
    """A register for the core."""

    offset: int
    name: str
    permission: str
    reset: int
    group: str
    count: int
    stride: int
    summary: str
    readable: int
    writable: int
    one_clears: int
    one_sets: int
    read_clears: int
    on_read: Function | None
    on_write: Function | None


@dataclass(frozen=True)
class Declarations:
    """All that a class and its bases declare, in order."""

    registers: list[AnyRegister]
    variables: list[Variable]
    outputs: list[OutputLine]
    inputs: list[InputLine]
    effects: dict[tuple[str, str], Function]
    events: dict[str, Function]

    def numbers(self) -> dict[str, int]:
        """The number of each register, variable and output line among its kind, by name."""
        numbers = {one.name: number for number, one in enumerate(self.registers)}
        numbers |= {one.name: number for number, one in enumerate(self.variables)}
        return numbers | {one.name: number for number, one in enumerate(self.outputs)}


def declarations(cls: "type[Device]") -> Declarations:
    """Collects what a class declares; a name of a subclass hides that of its base."""
    found = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
    registers = [value for value in found.values() if isinstance(value, AnyRegister)]
    registers.sort(key=lambda register: register.offset)
    result = Declarations(
        registers,
        [value for value in found.values() if isinstance(value, Variable)],
        [value for value in found.values() if isinstance(value, OutputLine)],
        [value for value in found.values() if isinstance(value, InputLine)],
        {},
        {},
    )
    for name, function in found.items():
        kind, register = _mark(cls, name)
        if kind == "event":
            result.events[name] = function
        elif kind:
            _check_effect(f"{cls.__name__}.{name}", kind, register, result)
            result.effects[kind, register] = function
    for declared in registers:
        left = [field.name for field in declared.fields.values() if field.on_write == "effect"]
        if left and ("write", declared.name) not in result.effects:
            raise DeviceError(
                f"{cls.__name__}: {declared.name}.{left[0]} changes in a way that is left to the class; "
                f'add a function marked @on_write("{declared.name}")'
            )
    return result


def _mark(cls: "type[Device]", name: str) -> tuple[str, str]:
    """What a function is marked for: by itself, or as one of a base class that it replaces."""
    marks = (getattr(vars(base).get(name), MARK, None) for base in cls.__mro__)
    found: tuple[str, str] = next(filter(None, marks), ("", ""))
    return found


def _check_effect(place: str, kind: str, register: str, found: Declarations) -> None:
    names = [one.name for one in found.registers]
    if register not in names:
        near = get_close_matches(register, names, 1, 0)
        hint = f"the nearest is {near[0]}" if near else "the class declares none"
        raise DeviceError(f"{place}: no register is called {register}; {hint}")
    if (kind, register) in found.effects:
        raise DeviceError(f"{place}: {register} has an effect for a {kind} already; one function is enough")
    access = found.registers[names.index(register)].access
    if access == f"{'write' if kind == 'read' else 'read'}-only":
        raise DeviceError(f"{place}: {register} is {access}: a {kind} has no effect")


def _with_word(register: AnyRegister, function: Function) -> Function:
    """The function with the value as a word with fields."""
    if not register.fields:
        return function
    if isinstance(register, RegisterArray):
        return lambda self, index, value, context: function(self, index, register.word(value), context)
    return lambda self, value, context: function(self, register.word(value), context)


def _facts(register: AnyRegister, found: Declarations) -> RegisterFacts:
    written = found.effects.get(("write", register.name))
    return RegisterFacts(
        offset=register.offset,
        name=register.name,
        permission=register.access,
        reset=register.reset,
        group=register.group,
        count=register.count,
        stride=register.stride,
        summary=register.summary,
        readable=register.bits("readable"),
        writable=register.bits("writable"),
        one_clears=register.bits("one_clears"),
        one_sets=register.bits("one_sets"),
        read_clears=register.bits("read_clears"),
        on_read=found.effects.get(("read", register.name)),
        on_write=_with_word(register, written) if written else None,
    )


def title_of(cls: "type[Device]") -> str:
    """What a class calls itself: its title, or the first line of its documentation."""
    return cls.title or (inspect.getdoc(cls) or cls.__name__).splitlines()[0].rstrip(".")


def build(cls: "type[Device]", base: "type[Device]") -> _core.DeviceModel:
    """The model of a class."""
    found = declarations(cls)

    def overridden(name: str) -> Function | None:
        function = getattr(cls, name)
        return function if function is not getattr(base, name) else None

    try:
        return _core.DeviceModel(
            title=title_of(cls),
            compatible=[f"python,{cls.__qualname__.lower()}"],
            data_sheet=f"{cls.__module__}.{cls.__qualname__}",
            limits=cls.limits,
            registers=[_facts(register, found) for register in found.registers],
            inputs=[line.name for line in found.inputs],
            outputs=[line.name for line in found.outputs],
            variables=[
                {
                    "name": variable.name,
                    "initial": variable.initial,
                    "attribute": variable.outside,
                    "minimum": variable.minimum,
                    "maximum": variable.maximum,
                }
                for variable in found.variables
            ],
            events=list(found.events.items()),
            reset=overridden("reset"),
            input=overridden("line_changed"),
            changed=overridden("attribute_changed"),
        )
    except _core.DeviceError as error:
        raise DeviceError(f"{cls.__name__}: {error}") from None
