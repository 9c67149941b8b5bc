"""Register tables of the device models that are built in."""

import re
from dataclasses import dataclass
from typing import Any

from socscope import _core
from socscope.device.register import AnyRegister, Field, Register, RegisterArray
from socscope.errors import DeviceError


@dataclass(frozen=True)
class Table:
    """The register table of a block, wherever it is written."""

    name: str
    title: str
    registers: dict[str, AnyRegister]


def built_in(name: str) -> Table:
    """The table of a built-in model: its `compatible`, the part of it behind the comma, or its title."""
    found = [model for model in _core.device_models() if name in _names(model)]
    if len(found) != 1:
        known = sorted(compatible for model in _core.device_models() for compatible in model["compatible"])
        which = "several device models are" if found else "no device model is"
        raise DeviceError(f"{name}: {which} called so; there are: {', '.join(known)}")
    (model,) = found
    registers = {entry["name"]: _register(entry) for entry in model["registers"]}
    for one, register in registers.items():
        register.name = one
    return Table(_short(model["compatible"][0]), model["title"], registers)


def from_model(name: str) -> dict[str, AnyRegister]:
    """The registers of a built-in model.

    `registers = from_model("socscope,rule30")` in a class declares them. A class can so take
    the place of a model, with the same table and other effects.
    """
    return built_in(name).registers


def _names(model: dict[str, Any]) -> list[str]:
    return [model["title"], *model["compatible"], *map(_short, model["compatible"])]


def _short(compatible: str) -> str:
    return re.sub(r"^[^,]*,", "", compatible)


def _register(entry: dict[str, Any]) -> AnyRegister:
    facts: dict[str, Any] = {
        "access": entry["permission"],
        "reset": entry["reset"],
        "fields": [Field(**field) for field in entry["fields"]],
        "group": entry["group"],
        "summary": entry["summary"],
    }
    if entry["count"] == 1:
        return Register(entry["offset"], **facts)
    return RegisterArray(entry["offset"], entry["count"], stride=entry["stride"], **facts)
