"""Programs with arrays on the stack, whose loops only annotations bound: return addresses are not lost."""

from functools import cache

import pytest
from socscope.characterize.static import Annotation, StaticResult, analyse
from static_bench import Bench, compiled
from static_remedies import all_applied

SOURCE = "benchmarks.c"
BUILDS = [("-O2", "-marm")]
PLATFORM = "sheet-ext16"
NAMES = ["array_fill", "bubble_sort", "crc", "fir", "strings", "ring"]
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
