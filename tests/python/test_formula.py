"""Formulas of cost sheets: as Python computes them, for numbers and arrays, and nothing else."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from socscope.errors import FormulaError
from socscope.sheet import Formula, tree

NAMES = ("N", "M", "L")
numbers = st.integers(-20, 20)


# Deferred, because expressions and conditions are made of each other.
expressions: st.SearchStrategy[str] = st.deferred(
    lambda: st.one_of(
        st.integers(0, 30).map(str),
        st.sampled_from(NAMES),
        st.builds("({} {} {})".format, expressions, st.sampled_from(["+", "-", "*", "//", "%"]), expressions),
        st.builds("{}({}, {})".format, st.sampled_from(["max", "min"]), expressions, expressions),
        st.builds("({} if {} else {})".format, expressions, conditions, expressions),
        st.builds("(-{})".format, expressions),
    )
)
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
conditions: st.SearchStrategy[str] = st.deferred(
    lambda: st.one_of(
        st.builds("({} {} {})".format, expressions, st.sampled_from(COMPARISONS), expressions),
        st.builds("({} {} {})".format, conditions, st.sampled_from(["and", "or"]), conditions),
        st.builds("(not {})".format, conditions),
    )
)
values = st.fixed_dictionaries(dict.fromkeys(NAMES, numbers))


def by_python(text: str, given_: dict[str, int]) -> int | None:
    try:
        return int(eval(text, {"__builtins__": {}, "max": max, "min": min}, given_))
    except ZeroDivisionError:
        return None


@given(expressions, values)
def test_a_formula_has_the_value_that_python_gives(text: str, at: dict[str, int]) -> None:
    formula = Formula.parse(text)
    expected = by_python(text, at)
    if expected is None:
        with pytest.raises(FormulaError, match="divides by zero"):
            formula.evaluate(at)
    else:
        assert formula.evaluate(at) == expected
    assert Formula.parse(str(formula)).tree == formula.tree
    assert formula.names <= set(NAMES)


@given(expressions, st.lists(values, min_size=1, max_size=5))
def test_arrays_give_what_the_numbers_give(text: str, several: list[dict[str, int]]) -> None:
    arrays = {name: np.array([at[name] for at in several]) for name in NAMES}
    expected = [by_python(text, at) for at in several]
    formula = Formula.parse(text)
    if None in expected:
        with pytest.raises(FormulaError, match="divides by zero"):
            formula.evaluate(arrays)
    else:
        assert np.broadcast_to(formula.evaluate(arrays), len(several)).tolist() == expected


@given(expressions, expressions, values)
def test_sums_and_products_keep_the_value(left: str, right: str, at: dict[str, int]) -> None:
    first, second = Formula.parse(left), Formula.parse(right)
    if by_python(left, at) is None or by_python(right, at) is None:
        return
    one, other = first.evaluate(at), second.evaluate(at)
    for made, expected in ((first + second, one + other), (first * second, one * other)):
        assert made.evaluate(at) == expected
        assert Formula.parse(str(made)).evaluate(at) == expected


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (Formula.parse("268 + 18*N") + "3*N - 2 + M", "266 + 21*N + M"),
        (Formula.parse("2*N") * "3*M", "6*N*M"),
        (3 * Formula.parse("N + 1"), "3*(N + 1)"),
        (Formula.parse("N") + "-N", "0"),
        (1 + Formula.parse("max(N - 3, 0)") * 4, "1 + 4*max(N - 3, 0)"),
        (Formula.parse("3*((L + 3)//4)"), "3*((L + 3) // 4)"),
        (Formula.parse("7 if 1 < M <= 16 else 5"), "7 if 1 < M and M <= 16 else 5"),
        (Formula.parse("a - (b - c)"), "a - (b - c)"),
    ],
)  # fmt: skip
def test_text_has_no_more_than_is_needed(made: Formula, text: str) -> None:
    assert str(made) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("N M", "'N M': column 3: invalid syntax; a formula has whole numbers, parameters"),
        ("__import__('os')", "column 1: \"__import__('os')\" is not allowed"),
        ("N.bit_length()", "is not allowed"),
        ("2**N", "column 1: '2**N' is not allowed"),
        ("N / 2", "'N / 2' is not allowed"),
        ("1.5", "'1.5' is not allowed"),
        ("True", "'True' is not allowed"),
        ("5 if N else 3", "column 6: 'N' is no condition, compare it: N != 0"),
        ("max + 1", "max without its operands"),
        ("9" * 17, f"is larger than {tree.NUMBER_MAX}"),
        ("+".join("N" * 150), "nested more than 100 deep"),
        ("(" * 300 + "N" + ")" * 300, "too many nested parentheses"),
        ("-" * 9000 + "N", "no formula"),
        ("N" * 20_001, "longer than 20000 characters"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(said)):
        Formula.parse(text)


def test_a_count_is_no_fraction() -> None:
    for value in (1.5, True, None):
        with pytest.raises(FormulaError, match="a count is a whole number or a formula as text"):
            Formula.parse(value)  # type: ignore[arg-type]


def test_errors_of_evaluation_name_the_parameter_and_the_values() -> None:
    formula = Formula.parse("4*N + M // (N - 3)")
    with pytest.raises(FormulaError, match=r"4\*N .*: the parameter M has no value; give --with M=\.\.\."):
        formula.evaluate({"N": 4})
    with pytest.raises(FormulaError, match="divides by zero for M=1, N=3"):
        formula.evaluate({"N": 3, "M": 1, "L": 0})
    with pytest.raises(FormulaError, match="over 64 bits"):
        Formula.parse("N*N").evaluate({"N": np.array([2**40])})


def test_the_tree_is_json() -> None:
    formula = Formula.parse("7 if N > 16 else max(N, 5)")
    assert json.loads(json.dumps(formula.tree)) == ["if", [">", "N", 16], 7, ["max", "N", 5]]
