"""Static bounds of programs compiled for the PowerPC, held against runs of them an instruction at a time."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from powerpc_bench import PROGRAMS, Bench, compiled, reference
from socscope._core import Flow
from socscope.characterize.dynamic.bench import Bench as Measured
from socscope.characterize.dynamic.bench import Source
from socscope.characterize.static import Annotation, Reference, StaticResult, analyse
from socscope.errors import CharacterizeError
from socscope.image import Image
from static_pointers import NAMES, OPTIMISED
from static_remedies import all_applied

BUILDS = [("-O2",), ("-Os",), ("-O1",), ("-O0",)]
SINGLE = ["straight", "counted", "saves", "calls_twice", "by_count", "fields", "asks"]
MANY = ["dispatch", "choose", "triangle", "bits", "divide", "tail", "local_array"]
WORDS = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(2**32 - 9, 2**32 - 1))
RUNS = 41
LOOP_BOUNDS = {"fir": 25, "crc": 17, "strings": 14, "array_fill": 9}


@cache
def bench(build: tuple[str, ...], source: str = "programs.c") -> Bench:
    return Bench(compiled(*build, source=source))


@cache
def bounded(build: tuple[str, ...], name: str) -> StaticResult:
    return analyse(compiled(*build), name, times=[reference()])


@pytest.mark.parametrize("name", SINGLE)
def test_the_bound_of_a_single_path_is_what_a_run_takes(name: str) -> None:
    result = bounded(BUILDS[0], name)
    cycles, transitions, _ = bench(BUILDS[0]).call(name, [3, 4, 5, 6])
    assert result.unbounded == ()
    assert result.bound_cycles == cycles
    assert result.covers(transitions) == []
    assert transitions <= result.transitions()


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize("name", MANY)
@settings(deadline=None, max_examples=8)
@given(arguments=st.lists(WORDS, min_size=2, max_size=2))
def test_no_run_takes_longer_or_another_way(
    name: str, build: tuple[str, ...], arguments: Sequence[int]
) -> None:
    result = bounded(build, name)
    assert isinstance(result.bound_cycles, int), result.unbounded
    cycles, transitions, _ = bench(build).call(name, arguments)
    assert cycles <= result.bound_cycles
    assert transitions <= result.transitions()


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "arguments"), [("triangle", [12]), ("bits", [2**32 - 1]), ("local_array", [7])]
)
def test_the_worst_argument_reaches_the_bound(
    name: str, arguments: Sequence[int], build: tuple[str, ...]
) -> None:
    result = bounded(build, name)
    cycles, transitions, _ = bench(build).call(name, arguments)
    assert result.bound_cycles == cycles
    assert result.covers(transitions) == []


def test_the_greatest_case_of_a_switch_reaches_the_bound() -> None:
    for name in ("dispatch", "choose"):
        runs = [bench(BUILDS[0]).call(name, [which, 5])[0] for which in range(9)]
        assert bounded(BUILDS[0], name).bound_cycles == max(runs)


def test_a_formula_bounds_every_value() -> None:
    one = bench(BUILDS[0])
    result = analyse(
        one.image,
        "copy",
        times=[reference()],
        annotations=[Annotation("programs.c:copy:loop", loop_bound="N")],
        parameters={"N": (0, 40)},
    )
    assert isinstance(result.bound_cycles, str)
    for size in (0, 1, 7, 40):
        bound = result.bound_at({"N": size})
        assert bound is not None
        assert one.call("copy", [0x50000, 0x58000, size])[0] <= bound


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize(
    "name", ["array_fill", "bubble_sort", "crc", "fir", "strings", "print_number", "ring"]
)
def test_bounds_of_loops_are_all_that_it_takes(name: str, build: tuple[str, ...]) -> None:
    one = bench(build, "benchmarks.c")

    def applied(annotations: list[Annotation]) -> StaticResult:
        return analyse(one.image, name, times=[reference()], annotations=annotations)

    result, given_bounds = all_applied(applied, loop_bound=LOOP_BOUNDS.get(name, 10), depth=4)
    assert all(annotation.loop_bound or annotation.recursion_depth for annotation in given_bounds)
    assert isinstance(result.bound_cycles, int)
    cycles, transitions, _ = one.call(name)
    assert cycles <= result.bound_cycles
    assert transitions <= result.transitions()


POINTERS = [(name, build) for name in NAMES for build in BUILDS]
POINTERS += [(name, build) for name in OPTIMISED for build in BUILDS if "-O0" not in build]


@pytest.mark.parametrize(("name", "build"), POINTERS)
def test_a_store_changes_all_that_it_may_reach(name: str, build: tuple[str, ...]) -> None:
    one = bench(build, "pointers.c")

    def applied(annotations: list[Annotation]) -> StaticResult:
        return analyse(one.image, name, times=[reference()], annotations=annotations)

    result, _ = all_applied(applied, loop_bound=RUNS)
    assert isinstance(result.bound_cycles, int)
    which = one.image.address_of("which")
    longest = 0
    for value in (0, 1):
        cycles, transitions, _ = one.call(name, memory=[(which, value.to_bytes(4, "big"))])
        assert cycles <= result.bound_cycles
        assert transitions <= result.transitions()
        longest = max(longest, cycles)
    # The loop did run as often as the store says.
    assert longest * 2 > result.bound_cycles


def test_recursion_and_calls_through_pointers_are_named_and_bounded() -> None:
    image = compiled(*BUILDS[0])
    (one,) = analyse(image, "through", times=[reference()]).unbounded
    assert one.kind == "jump"
    place = Annotation(one.remedy.split('"')[1], targets=("bits", "tail"))
    assert analyse(image, "through", times=[reference()], annotations=[place]).unbounded == ()
    (one,) = analyse(compiled("-O1"), "factorial", times=[reference()]).unbounded
    assert one.kind == "recursion"
    depth = Annotation("factorial", recursion_depth=4)
    result = analyse(compiled("-O1"), "factorial", times=[reference()], annotations=[depth])
    assert result.bound_cycles == bench(("-O1",)).call("factorial", [5])[0]


def test_a_range_of_an_argument_makes_the_bound_smaller() -> None:
    one = bench(BUILDS[0])
    small = analyse(one.image, "bits", times=[reference()], registers={"r3": (0, 255)})
    assert small.bound_cycles == one.call("bits", [255])[0]


def test_parts_of_cycles_are_whole_ones_at_the_end() -> None:
    one = Bench(compiled(*BUILDS[0]), 19, 10)
    for name in SINGLE:
        bound = analyse(one.image, name, times=[reference(19, 10)]).bound_cycles
        cycles = one.call(name, [3, 4, 5, 6])[0]
        assert isinstance(bound, int)
        assert cycles <= bound <= cycles + 1


def test_what_says_nothing_of_costs_is_refused() -> None:
    image = compiled(*BUILDS[0])
    silent = Reference("board", reference().regions)
    with pytest.raises(
        CharacterizeError, match=r"no timing model of its own; give the reference 'board' cpi="
    ):
        analyse(image, "straight", times=[silent])
    wrong = Reference("board", reference().regions, (0, 1))
    with pytest.raises(CharacterizeError, match=r"reference 'board': cpi=\(0, 1\): two numbers from 1"):
        analyse(image, "straight", times=[wrong])


@pytest.fixture
def sparc(tmp_path: Path) -> Path:
    """An image for a core that nothing is known of."""
    data = bytearray(compiled(*BUILDS[0]).data)
    data[18:20] = b"\0\x02"
    (tmp_path / "sparc.elf").write_bytes(data)
    return tmp_path / "sparc.elf"


def test_a_measured_sheet_of_another_core_is_refused(sparc: Path) -> None:
    services = PROGRAMS.parents[2] / "guests" / "ring" / "services.toml"
    message = r"sparc.elf: is for SPARC; sheets are measured by the .* of a PowerPC; give such an image"
    with pytest.raises(CharacterizeError, match=message):
        Measured(Source(image=sparc, platform="mpc8641d", services=services))


def test_an_image_for_another_core_is_refused(sparc: Path) -> None:
    message = r"sparc.elf: is for SPARC; static bounds are for ARM and PPC: give an image for one of these"
    with pytest.raises(CharacterizeError, match=message):
        analyse(Image.read(sparc), "straight", times=[reference()])


def test_the_compiled_analysis_names_what_it_knows() -> None:
    nothing: dict[str, object] = {name: {} for name in ("targets", "registers", "recursion")}
    lists: dict[str, object] = {name: [] for name in ("constants", "never", "stops", "marked", "loop_bounds")}
    rest = {"big_endian": True, "inline": True, "blocks_max": 1, "steps_max": 1, "entry": (0, 0, 7, [])}
    with pytest.raises(
        ValueError, match="sparc is no architecture that is analysed; these are: arm, powerpc, toy"
    ):
        Flow({**nothing, **lists, **rest, "architecture": "sparc"})
    with pytest.raises(ValueError, match="0x7 is no processor mode"):
        Flow({**nothing, **lists, **rest, "architecture": "powerpc"})
    with pytest.raises(ValueError, match="12 is no way in which code is encoded"):
        Flow({**nothing, **lists, **rest, "entry": (0, 12, 7, []), "architecture": "arm"})


def test_registers_and_modes_are_the_architecture_s() -> None:
    image = compiled(*BUILDS[0])
    with pytest.raises(CharacterizeError, match="register 'r32': r0 to r31, sp, lr or ctr"):
        analyse(image, "straight", times=[reference()], registers={"r32": (0, 1)})
    with pytest.raises(CharacterizeError, match="mode 'irq': one of supervisor, user"):
        analyse(image, "straight", times=[reference()], mode="irq")
