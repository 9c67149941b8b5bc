"""Extremes of formulas are never too narrow."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from socscope.characterize.static.extremes import extremes, least, not_negative
from socscope.sheet.formula import Formula

FORMULAS = [
    "7",
    "2*N + 3",
    "N//4 + 1",
    "min(N, 10 - N)",
    "max(N - 3, 0)*M",
    "N*N - M",
    "-N + M",
    "M//(N + 1)",
    "N if M > 2 else 2*M",
    "(N > 3) + 1 if N != 2 and M < 4 else 0",
]
RANGES = st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@pytest.mark.parametrize("text", FORMULAS)
@given(n=RANGES, m=RANGES)
def test_every_value_lies_between(text: str, n: tuple[int, int], m: tuple[int, int]) -> None:
    formula = Formula.parse(text)
    low, high = extremes(formula.tree, {"N": n, "M": m})
    for one, other in product(range(n[0], n[1] + 1), range(m[0], m[1] + 1)):
        assert low <= formula.evaluate({"N": one, "M": other}) <= high


def test_a_value_in_the_middle_may_be_the_greatest() -> None:
    assert extremes(Formula.parse("min(N, 10 - N)").tree, {"N": (0, 10)})[1] >= 5


@given(n=RANGES, m=RANGES)
@pytest.mark.parametrize("texts", [("N", "5"), ("2*N", "N + 3", "M"), ("7", "7"), ("N - 4", "M//2", "3")])
def test_the_least_is_the_smallest_everywhere(
    texts: tuple[str, ...], n: tuple[int, int], m: tuple[int, int]
) -> None:
    formulas = [Formula.parse(text) for text in texts]
    ranges = {"N": n, "M": m}
    found = least(formulas, ranges)
    for one, other in product(range(n[0], n[1] + 1), range(m[0], m[1] + 1)):
        values = {"N": one, "M": other}
        smallest = min(formula.evaluate(values) for formula in formulas)
        assert found.evaluate(values) == smallest
        assert not_negative(found, ranges).evaluate(values) == max(smallest, 0)


def test_what_is_never_the_least_is_left_out() -> None:
    formulas = [Formula.parse(text) for text in ("N + 30", "N", "20")]
    assert str(least(formulas, {"N": (0, 9)})) == "N"
    assert str(not_negative(Formula.parse("N - 20"), {"N": (0, 9)})) == "0"
