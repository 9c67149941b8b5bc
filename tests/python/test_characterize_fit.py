"""Formulas for counts: found again where there is one, never below a run where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from socscope.characterize.dynamic.fit import Fitted, above_at_most, exact, upper
from socscope.characterize.dynamic.parts import parts
from socscope.sheet.formula import Formula

FIT = np.array([1, 2, 3, 5, 8, 13, 34])
VERIFY = np.array([4, 6, 7, 9, 11, 20])


@pytest.mark.parametrize(
    "text",
    [
        "7",
        "268 + 18*N",
        "12 + 4*max(N - 3, 0)",
        "5 + 3*(N // 4)",
        "3*((N + 3) // 4)",
        "2 + N*(N - 1) // 2",
        "N - 4*(N // 4)",
        "9 + 2*min(N, 1) + N",
        "7 if N > 8 else 5",
    ],
)
def test_formulas_are_found_again(text: str) -> None:
    formula = Formula.parse(text)
    counts = np.broadcast_to(np.asarray(formula.evaluate({"N": FIT})), FIT.shape)[:, None]
    [found] = exact({"N": FIT}, counts)
    assert found is not None
    assert found.exact
    expected = np.broadcast_to(np.asarray(formula.evaluate({"N": VERIFY})), VERIFY.shape)
    assert (found.column({"N": VERIFY}, len(VERIFY)) == expected).all()


def test_several_parameters_add_up_and_multiply() -> None:
    grid = np.array([(n, m) for n in (1, 2, 3, 5) for m in (1, 2, 4)])
    points = {"N": grid[:, 0], "M": grid[:, 1]}
    counts = np.column_stack([3 * points["N"] * points["M"] + 2 * points["N"] + 1, 4 * points["M"] + 7])
    first, second = exact(points, counts)
    assert first is not None
    assert second is not None
    assert str(first.formula) == "1 + 2*N + 3*N*M"
    assert str(second.formula) == "7 + 4*M"


def test_an_inner_loop_that_does_not_always_happen() -> None:
    """Compilers test for no iteration before the inner loop, and then leave out what prepares it."""
    grid = np.array([(n, m) for n in (0, 1, 2, 5) for m in (0, 1, 2, 5)])
    points = {"N": grid[:, 0], "M": grid[:, 1]}
    n, m = points["N"], points["M"]
    counts = 15 + 7 * n + 4 * n * np.minimum(m, 1) + 8 * n * m + 5 * np.minimum(n, 1)
    [found] = exact(points, counts[:, None])
    assert found is not None
    more = {"N": np.array([3, 9, 9, 0]), "M": np.array([7, 0, 4, 8])}
    assert found.column(more, 4).tolist() == [15 + 21 + 12 + 168 + 5, 15 + 63 + 5, 15 + 63 + 36 + 288 + 5, 15]


def test_a_count_without_rule_has_no_formula() -> None:
    counts = np.array([[37], [43], [12], [8], [9], [11], [5]])
    assert exact({"N": FIT}, counts) == [None]


def test_two_runs_are_too_few_for_all_but_a_line() -> None:
    points = {"N": np.array([1, 4])}
    [found] = exact(points, np.array([[5], [11]]))
    assert found is not None
    assert str(found.formula) == "3 + 2*N"


@given(
    constant=st.integers(0, 500),
    slope=st.integers(1, 50),
    second=st.integers(0, 50),
    at=st.integers(2, 11),
    runs=st.lists(st.integers(0, 60), min_size=6, max_size=12, unique=True),
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_found_gives_every_run(
    constant: int, slope: int, second: int, at: int, runs: list[int]
) -> None:
    points = {"N": np.array(runs)}
    counts = constant + slope * points["N"] + second * np.maximum(points["N"] - at, 0)
    [found] = exact(points, counts[:, None])
    if found is not None:
        assert (found.column(points, len(runs)) == counts).all()
    if second == 0:
        assert found is not None
        assert str(found.formula) == str(Formula.parse(constant) + Formula.parse("N") * slope)


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 9), st.integers(0, 5000)),
        min_size=1,
        max_size=12,
        unique_by=lambda run: run[:2],
    ),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_upper_formulas_are_below_no_run(runs: list[tuple[int, int, int]], one_parameter: bool) -> None:
    table = np.array(runs)
    points = {"N": table[:, 0]} if one_parameter else {"N": table[:, 0], "M": table[:, 1]}
    found = upper(points, table[:, 2])
    assert not found.exact
    assert (found.column(points, len(runs)) >= table[:, 2]).all()
    assert (above_at_most(found, points) >= table[:, 2]).all()


def test_steps_hold_between_the_runs() -> None:
    runs = np.array([0, 1, 3, 7, 15, 31, 63])
    log = np.array([int(n + 1).bit_length() for n in runs])
    found = upper({"N": runs}, 9 * log)
    all_ = np.arange(64)
    assert (found.column({"N": all_}, 64) >= 9 * np.array([int(n + 1).bit_length() for n in all_])).all()


def test_what_repeats_with_a_parameter_is_a_part_of_its_own() -> None:
    [seven, growing, falling] = exact(
        {"N": FIT}, np.column_stack([np.full(len(FIT), 7), 3 + 18 * FIT, 20 - FIT])
    )
    keys = [
        ("count", ".text", "fetch", "32", "sequential"),
        ("internal",),
        ("instructions", ".text"),
    ]
    assert seven is not None
    assert growing is not None
    assert falling is not None
    once, repeated = parts([("interrupts", keys, [seven, growing, falling])])
    assert (str(once.repetition), once.blocking, once.name) == ("1", "interrupts", "1")
    assert (once.counts[0].count.constant, once.internal_cycles.constant) == (7, 3)
    assert str(once.instructions[".text"]) == "20 - N"
    assert (str(repeated.repetition), repeated.internal_cycles.constant) == ("N", 18)


def test_pieces_without_counts_are_no_parts() -> None:
    assert parts([("none", [("taken",)], [Fitted(0)])]) == []
