"""Pointers that may lead into the stack: what a store through them may have changed is not taken as known."""

from functools import cache

import pytest
from socscope.characterize.static import Annotation, StaticResult, analyse
from static_bench import Bench, compiled
from static_pointers import NAMES, OPTIMISED
from static_remedies import all_applied

SOURCE = "pointers.c"
PLATFORM = "sheet-ext16"
BUILDS = [(level, mode) for level in ("-O0", "-O1", "-O2", "-Os") for mode in ("-marm", "-mthumb")]
SINGLE = ["pushed", "rounded"]
RUNS = 41


@cache
def bench(build: tuple[str, ...]) -> Bench:
    return Bench(compiled(*build, source=SOURCE), PLATFORM)


def check(one: Bench, name: str, registers: dict[str, tuple[int | str, int | str]]) -> None:
    def bounded(annotations: list[Annotation]) -> StaticResult:
        return analyse(one.image, name, times=[one.reference], annotations=annotations, registers=registers)

    result, _ = all_applied(bounded, loop_bound=RUNS)
    assert isinstance(result.bound_cycles, int)
    which = one.image.address_of("which")
    longest = 0
    for value in (0, 1):
        cycles, transitions, _ = one.call(name, memory=[(which, value.to_bytes(4, "little"))])
        assert cycles <= result.bound_cycles
        assert transitions <= result.transitions()
        longest = max(longest, cycles)
    # The loop did run as often as the store says.
    assert longest * 2 > result.bound_cycles


@pytest.mark.parametrize("build", BUILDS[2:], ids=" ".join)
@pytest.mark.parametrize("name", OPTIMISED)
def test_what_was_saved_is_nobodys_when_its_frame_is_gone(name: str, build: tuple[str, ...]) -> None:
    check(bench(build), name, {})


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize("name", NAMES)
def test_a_store_changes_all_that_it_may_reach(name: str, build: tuple[str, ...]) -> None:
    check(bench(build), name, {})


@pytest.mark.parametrize("name", [*NAMES, *SINGLE])
def test_a_known_stack_pointer_hides_no_store(name: str) -> None:
    one = bench(("-O2", "-marm"))
    one.machine.load_elf(one.image.data, "programs.elf")
    one.machine.run(until_address=one.image.address_of("call"))
    stack = one.machine.registers()["r13"]
    check(one, name, {"sp": (stack, stack)})


@pytest.mark.parametrize("name", SINGLE)
def test_words_of_the_stack_have_one_value(name: str) -> None:
    check(bench(("-O2", "-marm")), name, {})
