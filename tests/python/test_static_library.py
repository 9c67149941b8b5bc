"""Routines of the compiler's libraries have bounds of their own, and no run takes longer."""

from functools import cache
from itertools import product
from random import Random

import pytest
from socscope.characterize.static import Annotation, StaticResult, analyse
from socscope.characterize.static.library import found
from socscope.characterize.static.program import constants
from static_bench import Bench, compiled

BUILDS = ["-marm", "-mthumb"]
DIVISIONS = ["__aeabi_uidivmod", "__aeabi_idivmod", "__aeabi_uldivmod", "__aeabi_ldivmod"]
SINGLES = ["__aeabi_fadd", "__aeabi_fsub", "__aeabi_fmul", "__aeabi_fdiv", "__aeabi_fcmplt", "__aeabi_f2d"]
DOUBLES = [
    *("__aeabi_dadd", "__aeabi_dsub", "__aeabi_dmul", "__aeabi_ddiv", "__aeabi_dcmplt", "__aeabi_d2f"),
    *("__aeabi_d2iz", "__aeabi_d2uiz", "__aeabi_d2lz", "__aeabi_d2ulz"),
]
CONVERSIONS = ["__aeabi_f2lz", "__aeabi_l2d", "__aeabi_ul2f"]
WORDS = [0, 1, 2, 3, 10, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF0000]
FLOATS = [0, 1, 2, 0x400000, 0x7FFFFF, 0x800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x80000001]
DOUBLE_WORDS = [
    *((0, 0), (1, 0), (0, 0x80000), (0xFFFFFFFF, 0xFFFFF), (0, 0x100000), (0, 0x3FF00000)),
    *((0xFFFFFFFF, 0x7FEFFFFF), (0, 0x7FF00000), (0, 0x7FF80000), (1, 0x80000000)),
]
RANDOM_RUNS = 12
SIZES = [0, 1, 3, 4, 7, 15, 16, 17, 31, 33, 64, 100]
TARGET, SOURCE = 0x02008000, 0x0200A000


@cache
def bench(build: str) -> Bench:
    return Bench(compiled("-O2", build, "-fno-builtin", "-w", source="library.c"), "sheet-ext16")


@cache
def bounded(build: str, name: str, size: int | None = None, length: int | None = None) -> StaticResult:
    one = bench(build)
    return analyse(
        one.image,
        name,
        times=[one.reference],
        registers={} if size is None else {"r2": (size, size)},
        annotations=[] if length is None else [Annotation(name, length=length)],
    )


def operands(name: str) -> list[list[int]]:
    """Extreme ones in all combinations, then random ones."""
    random = Random(name)
    if name in ("__aeabi_uidivmod", "__aeabi_idivmod"):
        extreme = [[a, b] for a, b in product(WORDS, WORDS) if b]
    elif name in DIVISIONS:
        pairs = [(0, 0), (1, 0), (3, 0), (0, 1), (0, 0x80000000), (0xFFFFFFFF, 0xFFFFFFFF)]
        extreme = [[*a, *b] for a, b in product(pairs, pairs) if b != (0, 0)]
    elif name in SINGLES:
        extreme = [list(pair) for pair in product(FLOATS, FLOATS)]
    elif name in CONVERSIONS:
        extreme = [[a, b] for a, b in product(WORDS, WORDS)] + [[a] for a in FLOATS]
    else:
        extreme = [[*a, *b] for a, b in product(DOUBLE_WORDS, DOUBLE_WORDS)]
    some = random.sample(extreme, min(len(extreme), 3 * RANDOM_RUNS))
    return some + [[random.getrandbits(32) for _ in range(4)] for _ in range(RANDOM_RUNS)]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", [*DIVISIONS, *SINGLES, *DOUBLES, *CONVERSIONS])
def test_arithmetic_takes_no_longer_than_its_bound(name: str, build: str) -> None:
    result = bounded(build, name)
    assert isinstance(result.bound_cycles, int), result.unbounded
    for arguments in operands(name):
        cycles, _, _ = bench(build).call(name, arguments)
        assert cycles <= result.bound_cycles, [hex(one) for one in arguments]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["memcpy", "memmove", "memset", "memcmp"])
@pytest.mark.parametrize("size", SIZES)
def test_memory_functions_are_bounded_by_the_size_they_are_called_with(
    name: str, size: int, build: str
) -> None:
    result = bounded(build, name, size)
    assert isinstance(result.bound_cycles, int), result.unbounded
    given = bounded(build, name, length=size).bound_cycles
    assert isinstance(given, int)
    for to, come in ((0, 0), (1, 0), (2, 2), (3, 1)):
        cycles, _, _ = bench(build).call(name, [TARGET + to, SOURCE + come, size])
        assert cycles <= min(result.bound_cycles, given), (to, come)
    if name == "memmove":
        cycles, _, _ = bench(build).call(name, [SOURCE + 2, SOURCE, size])
        assert cycles <= result.bound_cycles


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["strlen", "strcpy", "strcmp", "strcat"])
@pytest.mark.parametrize("length", [0, 1, 2, 5, 8, 13, 40])
def test_string_functions_are_bounded_by_the_length_that_is_given(name: str, length: int, build: str) -> None:
    one = bench(build)
    (first, *_) = bounded(build, name).unbounded
    assert 'length = "..."' in first.remedy
    total = length + 1 + (3 if name == "strcat" else 0)
    result = bounded(build, name, length=total)
    if name == "strcat":
        lengths = [Annotation(other, length=total) for other in ("strcat", "strcpy")]
        result = analyse(one.image, name, times=[one.reference], annotations=lengths)
    assert isinstance(result.bound_cycles, int), result.unbounded
    for to, come in product(range(4), range(4)):
        before = b"abc" if name == "strcat" else b"x" * length
        cycles, _, _ = one.call(
            name,
            [TARGET + to, SOURCE + come] if name != "strlen" else [TARGET + to],
            memory=[(TARGET + to, before + b"\0"), (SOURCE + come, b"x" * length + b"\0")],
        )
        assert cycles <= result.bound_cycles, (to, come)


def test_other_code_of_the_same_name_has_no_bounds() -> None:
    image = bench("-marm").image
    code = constants(image)
    routines = {one.name: one for one in found(image, code)}
    assert routines.keys() >= {"memcpy", "strlen", "__aeabi_dmul", "__udivmoddi4"}
    start = routines["memcpy"].start
    (place,) = [number for number, (at, content) in enumerate(code) if at <= start < at + len(content)]
    at, content = code[place]
    other = bytearray(content)
    other[start - at + 4] ^= 1
    code[place] = (at, bytes(other))
    assert {one.name for one in found(image, code)} == routines.keys() - {"memcpy"}


def test_a_length_that_helps_nowhere_is_named() -> None:
    image = bench("-marm").image
    result = analyse(
        image, "__aeabi_fadd", times=[bench("-marm").reference], annotations=[Annotation("memcpy", length=4)]
    )
    (one,) = result.without_effect
    assert one.reason == "no loop that is reached there depends on how many bytes it handles"


def test_a_length_of_parameters_bounds_all_their_values() -> None:
    one = bench("-marm")
    result = analyse(
        one.image,
        "memset",
        times=[one.reference],
        annotations=[Annotation("memset", length="4*N")],
        parameters={"N": (0, 20)},
    )
    for count in (0, 5, 20):
        cycles, _, _ = one.call("memset", [TARGET, 0, 4 * count])
        bound = result.bound_at({"N": count})
        assert bound is not None
        assert cycles <= bound
