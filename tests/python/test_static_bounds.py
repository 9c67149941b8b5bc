"""Static bounds of compiled programs, held against runs of them on simulated platforms."""

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from socscope.characterize.static import Annotation, StaticResult, analyse
from static_bench import Bench, compiled

BUILDS = [("-O2", "-marm"), ("-Os", "-marm"), ("-O2", "-mthumb"), ("-Os", "-mthumb")]
PLATFORMS = ["sheet-sram", "sheet-ext32", "sheet-ext16"]
SINGLE = ["straight", "stores", "multiplies", "twice", "nested", "returns_by_load", "thumb_sum"]
MANY = ["dispatch", "choose", "triangle", "bits", "divide", "tail", "local_array"]
WORDS = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(2**32 - 9, 2**32 - 1))


@cache
def bench(build: tuple[str, ...], platform: str) -> Bench:
    return Bench(compiled(*build), platform)


@cache
def bounded(build: tuple[str, ...], platform: str, name: str) -> StaticResult:
    return analyse(compiled(*build), name, times=[bench(build, platform).reference])


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", SINGLE)
def test_the_bound_of_a_single_path_is_what_a_run_takes(name: str, platform: str) -> None:
    result = bounded(BUILDS[0], platform, name)
    cycles, transitions, _ = bench(BUILDS[0], platform).call(name, [3, 4, 5, 6])
    assert result.unbounded == ()
    assert result.bound_cycles == cycles
    assert result.covers(transitions) == []


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize("name", MANY)
@settings(deadline=None, max_examples=12)
@given(arguments=st.lists(WORDS, min_size=2, max_size=2))
def test_no_run_takes_longer_or_another_way(
    name: str, build: tuple[str, ...], arguments: Sequence[int]
) -> None:
    result = bounded(build, "sheet-ext16", name)
    assert isinstance(result.bound_cycles, int), result.unbounded
    cycles, transitions, _ = bench(build, "sheet-ext16").call(name, arguments)
    assert cycles <= result.bound_cycles
    assert transitions <= result.transitions()


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("triangle", [12]), ("bits", [2**32 - 1]), ("local_array", [7]), ("dispatch", [2, 5])],
)
def test_the_worst_argument_reaches_the_bound(
    name: str, arguments: Sequence[int], build: tuple[str, ...]
) -> None:
    result = bounded(build, "sheet-sram", name)
    cycles, transitions, _ = bench(build, "sheet-sram").call(name, arguments)
    assert result.bound_cycles == cycles
    assert result.covers(transitions) == []


def test_what_runs_did_not_take_is_named() -> None:
    result = bounded(BUILDS[0], "sheet-sram", "dispatch")
    _, transitions, _ = bench(BUILDS[0], "sheet-sram").call("dispatch", [0, 5])
    missing = result.covers(transitions)
    assert missing
    assert all("programs.c" in one.source for one in missing)


def test_a_formula_bounds_every_value() -> None:
    build = BUILDS[0]
    one = bench(build, "sheet-ext16")
    result = analyse(
        one.image,
        "copy",
        times=[one.reference],
        annotations=[Annotation("programs.c:copy:loop", loop_bound="N")],
        parameters={"N": (0, 40)},
    )
    assert isinstance(result.bound_cycles, str)
    assert "N" in result.bound_cycles
    for size in (0, 1, 7, 40):
        cycles, _, _ = one.call("copy", [0x02008000, 0x02009000, size])
        bound = result.bound_at({"N": size})
        assert bound is not None
        assert cycles == bound


def test_several_platforms_keep_the_paths_that_are_worst_somewhere() -> None:
    build = BUILDS[0]
    times = [bench(build, platform).reference for platform in PLATFORMS]
    result = analyse(compiled(*build), "choose", times=times)
    assert {name for path in result.paths for name in path.references} <= set(PLATFORMS)
    for path in result.paths:
        for other in result.paths:
            worse = all(other.cycles[name] >= path.cycles[name] for name in path.cycles)
            assert path is other or not worse
    assert result.bound_cycles == max(result.bound_at({}, name) or 0 for name in PLATFORMS)


def test_a_range_of_an_argument_makes_the_bound_smaller() -> None:
    one = bench(BUILDS[0], "sheet-sram")
    free = analyse(one.image, "bits", times=[one.reference])
    small = analyse(one.image, "bits", times=[one.reference], registers={"r0": (0, 255)})
    cycles, _, _ = one.call("bits", [255])
    assert small.bound_cycles == cycles
    assert isinstance(free.bound_cycles, int)
    assert cycles < free.bound_cycles


def test_a_path_can_begin_and_end_inside() -> None:
    one = bench(BUILDS[0], "sheet-sram")
    whole = bounded(BUILDS[0], "sheet-sram", "twice").bound_cycles
    to = analyse(one.image, "twice", times=[one.reference], stop=["twice+0x8"])
    rest = analyse(one.image, "twice", times=[one.reference], start="twice+0x8")
    assert isinstance(to.bound_cycles, int)
    assert isinstance(rest.bound_cycles, int)
    assert isinstance(whole, int)
    assert to.bound_cycles + rest.bound_cycles == whole


def test_symbols_bound_registers() -> None:
    one = bench(BUILDS[0], "sheet-mixed")
    free = analyse(
        one.image, "length", times=[one.reference], annotations=[Annotation("programs.c:length:loop", 9)]
    )
    known = analyse(
        one.image,
        "length",
        times=[one.reference],
        annotations=[Annotation("programs.c:length:loop", 9)],
        registers={"r0": ("buffer", "buffer + 15"), "lr": ("back", "back")},
    )
    assert isinstance(free.bound_cycles, int)
    assert isinstance(known.bound_cycles, int)
    assert known.bound_cycles <= free.bound_cycles


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
def test_data_between_instructions_is_no_code(build: tuple[str, ...]) -> None:
    results = [bounded(build, "sheet-sram", name) for name in [*MANY, *SINGLE]]
    reached = {step for one in results for _, block in one.graph.nodes(data=True) for step in block["steps"]}
    assert len(reached) > 150
    assert reached <= instructions(compiled(*build).path)


def instructions(path: Path) -> set[int]:
    """Addresses of instructions, and not of data between them, as binutils tell them apart."""
    done = subprocess.run(
        ["arm-none-eabi-objdump", "-d", str(path)], check=True, capture_output=True, text=True
    )
    line = re.compile(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t(\S+)")
    found = (line.match(text) for text in done.stdout.splitlines())
    known = {int(one[1], 16) for one in found if one and one[2] not in (".word", ".short", ".byte")}
    # The halves of a Thumb `bl` are two instructions.
    halves = re.compile(r"^ *([0-9a-f]+):\t[0-9a-f]{4} [0-9a-f]{4} *\tbl\b")
    return known | {int(one[1], 16) + 2 for text in done.stdout.splitlines() if (one := halves.match(text))}
