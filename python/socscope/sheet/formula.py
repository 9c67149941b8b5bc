"""Counts that depend on parameters, such as `268 + 18*N`: read by a white list, never run as code."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from socscope.errors import FormulaError
from socscope.sheet import tree
from socscope.sheet.tree import Node

Values = int | NDArray[np.int64]

# What arrays could come to beyond this might leave their 64 bits.
_SIZE_MAX = 2.0**62
_OF_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "max": max,
    "min": min,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OF_ARRAYS: dict[str, Callable[[Any, Any], Any]] = _OF_NUMBERS | {"max": np.maximum, "min": np.minimum}


@dataclass(frozen=True)
class Formula:
    """A whole number that depends on parameters. `//` rounds down, and `%` is its rest, as in Python."""

    tree: Node

    @classmethod
    def parse(cls, text: "str | int | Formula") -> Self:
        """Reads `"12 + 4*max(N - 3, 0)"` or a number; fails with the column and the rule."""
        if isinstance(text, Formula):
            return cls(text.tree)
        if isinstance(text, bool) or not isinstance(text, int | str):
            raise FormulaError(f"{text!r}: a count is a whole number or a formula as text")
        if isinstance(text, int):
            if abs(text) > tree.NUMBER_MAX:
                raise FormulaError(f"{text}: larger than {tree.NUMBER_MAX}")
            return cls(text)
        return cls(tree.parse(text))

    @property
    def names(self) -> frozenset[str]:
        """The parameters that it depends on."""
        return tree.names(self.tree)

    @property
    def constant(self) -> int | None:
        """Its value when it depends on nothing that is given."""
        return self.tree if isinstance(self.tree, int) else None

    def evaluate(self, values: Mapping[str, Values]) -> Values:
        """The value; arrays among the parameters (of one shape) give an array, element by element."""
        try:
            return _evaluate(self.tree, values)
        except KeyError as error:
            raise FormulaError(
                f"{self}: the parameter {error.args[0]} has no value; give --with {error.args[0]}=..."
            ) from None
        except ZeroDivisionError:
            raise FormulaError(f"{self}: divides by zero for {self._shown(values)}") from None
        except OverflowError:
            raise FormulaError(f"{self}: the values given lead to numbers over 64 bits") from None

    def _shown(self, values: Mapping[str, Values]) -> str:
        return ", ".join(f"{name}={values[name]}" for name in sorted(self.names))

    def __str__(self) -> str:
        return tree.written(self.tree)

    def __add__(self, other: "Formula | int | str") -> "Formula":
        return Formula(tree.added(self.tree, Formula.parse(other).tree))

    def __radd__(self, other: "int | str") -> "Formula":
        return Formula.parse(other) + self

    def __mul__(self, other: "Formula | int | str") -> "Formula":
        return Formula(tree.multiplied(self.tree, Formula.parse(other).tree))

    __rmul__ = __mul__

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        """In files it is a number or text."""

        def read(value: Any) -> Formula:  # noqa: ANN401 - whatever a file holds.
            try:
                return Formula.parse(value)
            except FormulaError as error:
                raise ValueError(str(error)) from None

        return core_schema.no_info_plain_validator_function(
            read,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda formula: formula.constant if formula.constant is not None else str(formula)
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _core: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """What a JSON Schema says of it."""
        return {
            "anyOf": [{"type": "integer"}, {"type": "string", "maxLength": tree.LENGTH_MAX}],
            "description": "A whole number, or a formula of the service's parameters: "
            "+ - * // %, max(), min(), comparisons, `a if c else b`, and, or, not.",
            "examples": [7, "268 + 18*N", "12 + 4*max(N - 3, 0)"],
        }


def _evaluate(node: Node, values: Mapping[str, Values]) -> Values:  # noqa: PLR0911 - one line a case.
    match node:
        case int():
            return node
        case str():
            return values[node]
        case ("if", condition, then, otherwise):
            return _chosen(_evaluate(condition, values), then, otherwise, values)
        # Only what is asked for is evaluated, as in Python: `N != 0 and 7 // N > 1` divides by no zero.
        case ("and", first, *others):
            rest: Node = ("and", *others) if others else 1
            return _chosen(_evaluate(first, values), rest, 0, values)
        case ("or", first, *others):
            rest = ("or", *others) if others else 0
            return _chosen(_evaluate(first, values), 1, rest, values)
        case ("not", operand):
            return 1 - _evaluate(operand, values)
        case ("negative", operand):
            return -_evaluate(operand, values)
        case (str() as sign, first, *others):
            result = _evaluate(first, values)
            for other in others:
                result = _applied(sign, result, _evaluate(other, values))
            return result
        case _:
            raise FormulaError(f"{node}: no formula")


def _chosen(condition: Values, then: Node, otherwise: Node, values: Mapping[str, Values]) -> Values:
    """One of two; of arrays each element takes its own way, and the other is never computed for it."""
    if not isinstance(condition, np.ndarray):
        return _evaluate(then if condition else otherwise, values)
    result = np.empty(condition.shape, np.int64)
    for mask, node in ((condition != 0, then), (condition == 0, otherwise)):
        if mask.any():
            some = {n: v[mask] if isinstance(v, np.ndarray) else v for n, v in values.items()}
            result[mask] = _evaluate(node, some)
    return result


def _applied(sign: str, left: Values, right: Values) -> Values:
    if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
        return int(_OF_NUMBERS[sign](left, right))
    if sign in ("//", "%") and np.any(np.equal(right, 0)):
        raise ZeroDivisionError
    if sign in ("+", "-", "*"):
        size = _OF_ARRAYS["*" if sign == "*" else "+"](np.abs(left, dtype=float), np.abs(right, dtype=float))
        if np.any(size > _SIZE_MAX):
            raise OverflowError
    result: NDArray[np.int64] = _OF_ARRAYS[sign](left, right).astype(np.int64)
    return result
