"""Calls that a description makes: `h = heap_create(memory(4096), 4096)`, read by a white list."""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from socscope.errors import FormulaError, OptionError
from socscope.sheet.formula import Formula

MEMORY_MAX_BYTES = 1 << 24
REPEAT = re.compile(r"\s*repeat\s+(.+?)\s*:\s*(.+)", re.DOTALL)
_GRAMMAR = (
    "a call is `function(...)` or `name = function(...)`, after `repeat N:` if it is made several times; "
    'arguments are formulas, memory(bytes), word(), string("text"), address("symbol") and value(address)'
)


@dataclass(frozen=True)
class Memory:
    """Bytes that the simulator sets aside for the call; the argument is their address."""

    size: Formula


@dataclass(frozen=True)
class String:
    """Text, ended by a zero, that the simulator puts into memory; the argument is its address."""

    text: str


@dataclass(frozen=True)
class Address:
    """The address of a symbol."""

    symbol: str


@dataclass(frozen=True)
class Value:
    """The word at an address."""

    address: "Argument"


Argument = Formula | Memory | String | Address | Value


@dataclass(frozen=True)
class Statement:
    """One call: `repeat` times, what it returns is kept as `result`."""

    text: str
    function: str
    arguments: tuple[Argument, ...]
    result: str | None = None
    repeat: Formula | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a call; fails with what is not in the grammar."""
        repeat: Formula | None = None
        body = text
        if found := REPEAT.fullmatch(text):
            repeat, body = Formula.parse(found[1]), found[2]
        try:
            module = ast.parse(body.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _refuse(text) from None
        match module.body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call)]:
                result: str | None = name
            case [ast.Expr(value=ast.Call() as call)]:
                result = None
            case _:
                raise _refuse(text)
        if not isinstance(call.func, ast.Name) or call.keywords:
            raise _refuse(text)
        arguments = tuple(_argument(one, text) for one in call.args)
        return cls(text, call.func.id, arguments, result, repeat)

    @property
    def names(self) -> frozenset[str]:
        """Parameters and earlier results that it needs."""
        formulas = [_formula(one) for one in self.arguments] + [self.repeat]
        return frozenset[str]().union(*(one.names for one in formulas if one is not None))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        """In files it is text."""

        def read(value: Any) -> Statement:  # noqa: ANN401 - whatever a file holds.
            if isinstance(value, Statement):
                return value
            if not isinstance(value, str):
                raise ValueError(f"{value!r}: {_GRAMMAR}")
            try:
                return Statement.parse(value)
            except FormulaError as error:
                raise ValueError(str(error)) from None

        return core_schema.no_info_plain_validator_function(read)


def _argument(at: ast.expr, text: str) -> Argument:
    match at:
        case ast.Call(func=ast.Name(id="memory"), args=[size], keywords=[]):
            return Memory(Formula.parse(ast.unparse(size)))
        case ast.Call(func=ast.Name(id="word"), args=[], keywords=[]):
            return Memory(Formula.parse(4))
        case ast.Call(func=ast.Name(id="string"), args=[ast.Constant(value=str() as content)], keywords=[]):
            return String(content)
        case ast.Call(func=ast.Name(id="address"), args=[ast.Constant(value=str() as symbol)], keywords=[]):
            return Address(symbol)
        case ast.Call(func=ast.Name(id="value"), args=[inner], keywords=[]):
            return Value(_argument(inner, text))
        case ast.Call(func=ast.Name(id=name)) if name not in ("max", "min"):
            raise FormulaError(f"{text!r}: {name}(...) is no argument; {_GRAMMAR}")
        case _:
            return Formula.parse(ast.unparse(at))


def _formula(argument: Argument) -> Formula | None:
    match argument:
        case Memory(size):
            return size
        case Value(inner):
            return _formula(inner)
        case Formula():
            return argument
    return None


def evaluated(
    argument: Argument,
    values: Mapping[str, int],
    *,
    place: Callable[[bytes], int],
    address_of: Callable[[str], int],
    word_at: Callable[[int], int],
) -> int:
    """The number that goes into the register or onto the stack."""
    match argument:
        case Memory(size):
            count = int(size.evaluate(values))
            if not 0 <= count <= MEMORY_MAX_BYTES:
                raise OptionError(
                    f"memory({size}) is {count} bytes; 0 to {MEMORY_MAX_BYTES} can be set aside"
                )
            return place(bytes(count))
        case String(content):
            return place(content.encode() + b"\0")
        case Address(symbol):
            return address_of(symbol)
        case Value(inner):
            return word_at(evaluated(inner, values, place=place, address_of=address_of, word_at=word_at))
        case Formula():
            return int(argument.evaluate(values)) & 0xFFFFFFFF


def _refuse(text: str) -> FormulaError:
    return FormulaError(f"{text!r}: no call; {_GRAMMAR}")
