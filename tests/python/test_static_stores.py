"""Programs with arrays on the stack, whose loops only annotations bound: return addresses are not lost."""

from functools import cache

import pytest
from socscope.characterize.static import Annotation, StaticResult, analyse
from socscope.characterize.static.analysis import Analysis
from static_bench import Bench, compiled
from static_remedies import all_applied

SOURCE = "benchmarks.c"
BUILDS = [(level, mode) for level in ("-O0", "-O1", "-O2", "-Os") for mode in ("-marm", "-mthumb")]
PLATFORM = "sheet-ext16"
NAMES = ["array_fill", "bubble_sort", "crc", "fir", "strings", "print_number", "ring"]
LOOP_BOUNDS = {"fir": 25, "crc": 17, "strings": 14, "array_fill": 9}


@cache
def bench(build: tuple[str, ...]) -> Bench:
    return Bench(compiled(*build, source=SOURCE), PLATFORM)


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize("name", NAMES)
def test_bounds_of_loops_are_all_that_it_takes(name: str, build: tuple[str, ...]) -> None:
    one = bench(build)

    def bounded(annotations: list[Annotation]) -> StaticResult:
        return analyse(one.image, name, times=[one.reference], annotations=annotations)

    result, given = all_applied(bounded, loop_bound=LOOP_BOUNDS.get(name, 10), depth=4)
    assert all(annotation.loop_bound or annotation.recursion_depth for annotation in given)
    assert isinstance(result.bound_cycles, int)
    cycles, transitions, _ = one.call(name)
    assert cycles <= result.bound_cycles
    assert transitions <= result.transitions()


def test_recursion_in_loops_is_gone_through_in_a_bounded_number_of_steps() -> None:
    one = bench(("-O2", "-marm"))

    def steps(depth: int) -> int:
        annotations = [
            Annotation(f"{SOURCE}:quick:loop", loop_bound=10),
            Annotation("quick", recursion_depth=depth),
        ]
        found = Analysis(one.image, "quick_sort", times=[one.reference], annotations=annotations)
        assert found.unbounded == ()
        return found.flow.steps()

    counts = [steps(depth) for depth in (2, 4, 6)]
    # Each depth lies in a loop of the one before: steps that multiplied would be 5 times as many a depth.
    assert counts[1] < 3 * counts[0]
    assert counts[2] < 3 * counts[1]
