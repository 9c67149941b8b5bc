"""The static side beside the runs: what stands in the sheet, and a bound that a run exceeds."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from socscope.characterize import bound
from socscope.characterize.bound import bounded
from socscope.characterize.dynamic.episode import Entered
from socscope.characterize.dynamic.measure import MeasuredPath
from socscope.characterize.services import ServiceFacts
from socscope.characterize.static import (
    Assumption,
    Place,
    Reference,
    Unbounded,
    Uncovered,
    WithoutEffect,
    WorstPath,
)
from socscope.errors import CharacterizeError
from socscope.sheet.model import Fit, Part

SERVICE = ServiceFacts.model_validate(
    {
        "name": "put",
        "entry": "put",
        "parameter": [{"name": "N", "meaning": "bytes", "fit": [1, 2], "maximum": 9}],
        "path": [{"name": "worst", "call": "put(N)"}],
        "annotations": [{"at": "put.c:put:for", "loop_bound": "N + 1"}],
    }
)
PLACE = Place(0x100, "put", "put.c:7")


@dataclass
class _Result:
    """What the analysis gives, with a bound of 100 cycles and 10 for each byte."""

    bound_cycles: int | str | None = "100 + 10*N"
    unbounded: tuple[Unbounded, ...] = ()
    infeasible: int = 2
    assumptions: tuple[Assumption, ...] = ()
    without_effect: tuple[WithoutEffect, ...] = ()
    asked: dict[str, Any] = field(default_factory=dict)
    idle: dict[int, str] = field(default_factory=dict)
    paths: tuple[WorstPath, ...] = (WorstPath(("board",), {"board": 190}, {}),)

    @property
    def bounds(self) -> dict[str, int | str]:
        return {} if self.bound_cycles is None else {"board": self.bound_cycles}

    def bound_at(self, values: Mapping[str, int], _reference: str | None = None) -> int | None:
        return None if self.bound_cycles is None else 100 + 10 * values["N"]

    def covers(self, transitions: set[tuple[int, int]]) -> list[Uncovered]:
        return [] if (0x100, 0x104) in transitions else [Uncovered(PLACE, "the loop")]

    def picture(self) -> str:
        return "<svg/>"

    call_picture = picture


class _Machine:
    def regions(self) -> list[dict[str, Any]]:
        return [{"name": "ram", "kind": "ram"}]

    def access_costs(self) -> list[dict[str, Any]]:
        cycles = {f"{d}_{s}{w}": w // 8 for d in ("read", "write") for s in "nsa" for w in (8, 16, 32)}
        row = {"name": "ram", "start": 0, "size": 64, "float": 1, "external": 2, "early_read": True}
        return [{**row, **cycles, "write_n32": 9}]


class _Bench:
    class ready:
        machine = _Machine()

        class platform:
            name = "board"

    class services:
        annotation: tuple[()] = ()

    image = None


def _path(cycles: Mapping[int, int], transitions: set[tuple[int, int]]) -> MeasuredPath:
    entered: dict[tuple[int, ...], Entered] = {
        (n,): Entered(count, transitions) for n, count in cycles.items()
    }
    return MeasuredPath("worst", [Part(name="1")], Fit(), {}, entered)


def _bounded(monkeypatch: pytest.MonkeyPatch, result: _Result, path: MeasuredPath) -> Any:  # noqa: ANN401
    def analyse(_image: object, entry: str, **asked: Any) -> _Result:  # noqa: ANN401
        result.asked = {"entry": entry, **asked}
        return result

    monkeypatch.setattr(bound, "analyse", analyse)
    found = bounded(_Bench(), SERVICE, [path])  # type: ignore[arg-type]
    result.idle = dict(found.own_without_effect)
    return found.static


def test_the_bound_stands_beside_the_longest_run(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _Result()
    static = _bounded(monkeypatch, result, _path({1: 100, 2: 96}, {(0x100, 0x104)}))
    assert str(static.bound_cycles) == "100 + 10*N"
    assert {name: str(bound) for name, bound in static.bounds.items()} == {"board": "100 + 10*N"}
    assert [(one.worst_on, one.cycles) for one in static.worst_paths] == [(["board"], {"board": 190})]
    assert (static.observed_max_cycles, static.over) == (100, 1.1)
    assert (static.reference, static.infeasible, static.uncovered) == ("board", 2, [])
    assert result.asked["parameters"] == {"N": (0, 9)}
    assert result.asked["annotations"][0].loop_bound == "N + 1"
    [reference] = result.asked["times"]
    assert isinstance(reference, Reference)
    [region] = reference.regions
    assert region.cycles == (((1, 1, 1), (2, 2, 2), (4, 4, 4)), ((1, 1, 1), (2, 2, 2), (9, 4, 4)))
    assert (region.float_cycles, region.external, region.early_read, region.kind) == (1, 2, True, "ram")


def test_what_no_run_took_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    static = _bounded(monkeypatch, _Result(), _path({1: 100}, set()))
    [piece] = static.uncovered
    assert (piece.address, piece.source, piece.what) == (0x100, "put.c:7", "the loop")


def test_without_a_bound_the_places_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Unbounded("loop", PLACE, "no end was found", "{at = ...}")
    static = _bounded(monkeypatch, _Result(None, (place,)), _path({1: 100}, set()))
    assert (static.bound_cycles, static.over, static.observed_max_cycles) == (None, None, 100)
    assert static.unbounded[0].remedy == "{at = ...}"


def test_a_run_above_the_bound_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        CharacterizeError,
        match=r"service put, path worst, N=2: the run took 121 cycles, more than the static bound of 120: an "
        "annotation promises too much, or the static analysis is wrong",
    ):
        _bounded(monkeypatch, _Result(), _path({1: 100, 2: 121}, set()))


def test_assumptions_stand_in_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _Result(assumptions=(Assumption(PLACE, "stays in its object"),))
    static = _bounded(monkeypatch, result, _path({1: 100}, set()))
    [one] = static.assumptions
    assert (one.address, one.source, one.what) == (0x100, "put.c:7", "stays in its object")


def test_a_run_against_an_assumption_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _Result(assumptions=(Assumption(PLACE, "stays in its object"),))
    path = _path({1: 100}, set())
    entered: dict[tuple[int, ...], Entered] = {(1,): Entered(100, set(), frozenset({0x100}))}
    with pytest.raises(CharacterizeError, match=r"service put: a run stored at put \(0x00000100, put.c:7\)"):
        _bounded(monkeypatch, result, replace(path, entered=entered))


def test_annotations_without_effect_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _Result(without_effect=(WithoutEffect(0, "put.c:put:for", "no loop is there", "put+0x8"),))
    _bounded(monkeypatch, result, _path({1: 100}, set()))
    assert result.idle == {
        0: "annotation at 'put.c:put:for' has no effect: no loop is there; the nearest place where one "
        "has is 'put+0x8'"
    }


def test_an_entry_that_no_run_executed_has_no_longest_run(monkeypatch: pytest.MonkeyPatch) -> None:
    static = _bounded(monkeypatch, _Result(), _path({}, set()))
    assert (static.observed_max_cycles, static.over) == (None, None)
