"""The tree of a formula: reading it from text, writing it, and adding up without unneeded terms."""

import ast
import warnings
from itertools import pairwise

from socscope.errors import FormulaError

# A number, a parameter's name, or an operator with its operands. It is JSON as it stands.
Node = int | str | tuple["Node", ...]

NUMBER_MAX = 2**53 - 1
"""What every reader of a sheet holds exactly, JavaScript included."""
LENGTH_MAX = 20_000
DEPTH_MAX = 100

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
CONDITIONS = frozenset({*_COMPARISONS.values(), "and", "or", "not"})
_GRAMMAR = (
    "a formula has whole numbers, parameters, + - * // %, max(), min(), comparisons, `a if c else b`, "
    "and, or, not"
)
# How tightly an operator binds; what binds less tightly than its place asks for gets parentheses.
_BINDING = {
    "if": 0,
    "or": 1,
    "and": 2,
    "not": 3,
    "+": 5,
    "-": 5,
    "*": 6,
    "//": 6,
    "%": 6,
    "negative": 7,
} | dict.fromkeys(_COMPARISONS.values(), 4)
_ATOM = 8


def parse(text: str) -> Node:
    """Reads a formula's text; fails with the place of what is not in the grammar."""
    text = text.strip()
    if len(text) > LENGTH_MAX:
        raise FormulaError(f"{text[:40]!r}...: longer than {LENGTH_MAX} characters; cut it into parts")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # What Python only warns of, the white list refuses or means well.
            read = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"{text!r}: column {error.offset or 1}: {error.msg}; {_GRAMMAR}") from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{text[:40]!r}: no formula; {_GRAMMAR}") from None
    return _Reader(text).node(read, 0)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, at: ast.expr, what: str) -> FormulaError:
        return FormulaError(f"{self.text!r}: column {at.col_offset + 1}: {what}; {_GRAMMAR}")

    def node(self, at: ast.expr, depth: int) -> Node:  # noqa: PLR0911, PLR0912 - a few lines a case.
        if depth > DEPTH_MAX:
            raise self.refuse(at, f"nested more than {DEPTH_MAX} deep")
        deeper = depth + 1
        match at:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                if value > NUMBER_MAX:
                    raise self.refuse(at, f"{value} is larger than {NUMBER_MAX}")
                return value
            case ast.Name(id=name):
                if name in ("max", "min"):
                    raise self.refuse(at, f"{name} without its operands")
                return name
            case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC:
                return (_ARITHMETIC[type(operator)], self.node(at.left, deeper), self.node(at.right, deeper))
            case ast.UnaryOp(op=ast.USub()):
                operand = self.node(at.operand, deeper)
                return -operand if isinstance(operand, int) else ("negative", operand)
            case ast.UnaryOp(op=ast.Not()):
                return ("not", self.condition(at.operand, deeper))
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=operands, keywords=[]) if operands:
                return (name, *(self.node(one, deeper) for one in operands))
            case ast.IfExp():
                then, otherwise = self.node(at.body, deeper), self.node(at.orelse, deeper)
                return ("if", self.condition(at.test, deeper), then, otherwise)
            case ast.BoolOp(op=operator):
                name = "and" if isinstance(operator, ast.And) else "or"
                return (name, *(self.condition(one, deeper) for one in at.values))
            case ast.Compare() if all(type(operator) in _COMPARISONS for operator in at.ops):
                return self.comparison(at, deeper)
            case _:
                shown = ast.get_source_segment(self.text, at) or type(at).__name__
                raise self.refuse(at, f"{shown[:60]!r} is not allowed")

    def condition(self, at: ast.expr, depth: int) -> Node:
        node = self.node(at, depth)
        if not (isinstance(node, tuple) and node[0] in CONDITIONS):
            raise self.refuse(at, f"{written(node)!r} is no condition, compare it: {written(node)} != 0")
        return node

    def comparison(self, at: ast.Compare, depth: int) -> Node:
        operands = [self.node(one, depth) for one in (at.left, *at.comparators)]
        pairs = tuple(
            (_COMPARISONS[type(operator)], left, right)
            for operator, (left, right) in zip(at.ops, pairwise(operands), strict=True)
        )
        return pairs[0] if len(pairs) == 1 else ("and", *pairs)


def names(node: Node) -> frozenset[str]:
    """The parameters that occur."""
    if isinstance(node, str):
        return frozenset({node})
    if isinstance(node, int):
        return frozenset()
    return frozenset().union(*(names(operand) for operand in node[1:]))


def written(node: Node) -> str:
    """The text of a formula, with no more parentheses than needed."""
    return _written(node, 0)


def _written(node: Node, least: int) -> str:
    if not isinstance(node, tuple):
        text, binding = str(node), _ATOM if isinstance(node, str) or node >= 0 else _BINDING["negative"]
    elif (operator := str(node[0])) in ("max", "min"):
        return f"{operator}({', '.join(_written(operand, 0) for operand in node[1:])})"
    else:
        binding = _BINDING[operator]
        text = _spelled(operator, node[1:], binding)
    return text if binding >= least else f"({text})"


def _spelled(operator: str, operands: tuple[Node, ...], binding: int) -> str:
    if operator == "negative":
        return f"-{_written(operands[0], binding)}"
    if operator == "not":
        return f"not {_written(operands[0], binding)}"
    if operator == "if":
        condition, then, otherwise = operands
        return f"{_written(then, 1)} if {_written(condition, 1)} else {_written(otherwise, 0)}"
    if operator in ("and", "or"):
        return f" {operator} ".join(_written(operand, binding + 1) for operand in operands)
    # Comparisons do not group: Python would read a chain.
    left = binding + 1 if operator in CONDITIONS else binding
    sign = operator if operator == "*" else f" {operator} "
    return f"{_written(operands[0], left)}{sign}{_written(operands[1], binding + 1)}"


def added(left: Node, right: Node) -> Node:
    """The sum; constants are added up, and so are equal terms."""
    coefficients: dict[Node, int] = {}
    for sign, term in (*_terms(left, 1), *_terms(right, 1)):
        factor, rest = _factored(term)
        coefficients[rest] = coefficients.get(rest, 0) + sign * factor
    total: Node | None = None
    for term, factor in coefficients.items():
        if factor == 0:
            continue
        if total is None:
            total = multiplied(factor, term)
        elif factor < 0:
            total = ("-", total, multiplied(-factor, term))
        else:
            total = ("+", total, multiplied(factor, term))
    return 0 if total is None else total


def multiplied(left: Node, right: Node) -> Node:
    """The product; constants are multiplied out, a factor of 1 is left away."""
    factor, rest = _factored(("*", left, right))
    if factor == 0 or rest == 1:
        return factor
    return rest if factor == 1 else _scaled(factor, rest)


def _scaled(factor: int, node: Node) -> Node:
    match node:
        case ("*", left, right):
            return ("*", _scaled(factor, left), right)
        case _:
            return ("*", factor, node)


def _terms(node: Node, sign: int) -> list[tuple[int, Node]]:
    match node:
        case ("+", left, right):
            return [*_terms(left, sign), *_terms(right, sign)]
        case ("-", left, right):
            return [*_terms(left, sign), *_terms(right, -sign)]
        case ("negative", operand):
            return _terms(operand, -sign)
        case _:
            return [(sign, node)]


def _factored(node: Node) -> tuple[int, Node]:
    """A constant factor and the rest; the rest of a constant is 1."""
    match node:
        case int():
            return node, 1
        case ("*", left, right):
            (first, one), (second, other) = _factored(left), _factored(right)
            return first * second, one if other == 1 else other if one == 1 else ("*", one, other)
        case ("negative", operand):
            factor, rest = _factored(operand)
            return -factor, rest
        case _:
            return 1, node
