"""Routines of the compiler's libraries have bounds of their own, and no run takes longer."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random

import pytest
from socscope.characterize.static import Annotation, StaticResult, analyse
from socscope.characterize.static.library import found
from socscope.characterize.static.program import constants
from socscope.sheet.formula import Formula
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
PLACES = [(0, 0), (1, 0), (2, 2), (0, 3), (3, 1)]
CALLED = {"strcat": ["strcpy"], "strrchr": ["strchr"]}


@cache
def bench(build: str) -> Bench:
    return Bench(compiled("-O2", build, "-fno-builtin", "-w", source="library.c"), "sheet-ext16")


@cache
def bounded(build: str, name: str, size: int | None = None, length: int | None = None) -> StaticResult:
    one = bench(build)
    register = "r1" if name == "strnlen" else "r2"
    return analyse(
        one.image,
        name,
        times=[one.reference],
        registers={} if size is None else {register: (size, size)},
        annotations=[]
        if length is None
        else [Annotation(other, length=length) for other in (name, *CALLED.get(name, ()))],
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
    result = bounded(build, name, length=length + 1 + (3 if name == "strcat" else 0))
    assert isinstance(result.bound_cycles, int), result.unbounded
    for to, come in product(range(4), range(4)):
        before = b"abc" if name == "strcat" else b"x" * length
        cycles, _, _ = one.call(
            name,
            [TARGET + to, SOURCE + come] if name != "strlen" else [TARGET + to],
            memory=[(TARGET + to, before + b"\0"), (SOURCE + come, b"x" * length + b"\0")],
        )
        assert cycles <= result.bound_cycles, (to, come)


def handled(one: Bench, name: str, size: int, to: int, come: int) -> Iterator[int]:
    """Cycles of calls that handle strings which end, differ or match early, at the end, or not at all."""
    for length in sorted({0, 1, size // 2, max(size - 1, 0), size, size + 5}):
        for text, other in ((b"x" * length, b"x" * length), (b"x" * length + b"c", b"x" * length + b"d")):
            second = ord("c") if name == "memchr" else size if name == "strnlen" else SOURCE + come
            memory = [(TARGET + to, text + b"\0"), (SOURCE + come, other + b"\0")]
            yield one.call(name, [TARGET + to, second, size], memory)[0]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["strncpy", "strncmp", "memchr", "strnlen"])
@pytest.mark.parametrize("size", SIZES)
def test_string_functions_are_bounded_by_the_size_they_are_called_with(
    name: str, size: int, build: str
) -> None:
    worst = max(cycles for to, come in PLACES for cycles in handled(bench(build), name, size, to, come))
    for result in (bounded(build, name, size), bounded(build, name, length=size)):
        assert isinstance(result.bound_cycles, int)
        assert worst <= result.bound_cycles
        # strncpy is taken to copy all and to fill all, in memory that is aligned and is not.
        assert size < SIZES[-1] or result.bound_cycles <= 4 * worst


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["strchr", "strrchr", "strncat"])
@pytest.mark.parametrize("length", [0, 1, 3, 4, 5, 8, 13, 40])
def test_searches_and_joins_are_bounded_by_the_length_that_is_given(
    name: str, length: int, build: str
) -> None:
    (first, *_) = bounded(build, name).unbounded
    assert 'length = "..."' in first.remedy
    # Of strncat both strings count, with one ending zero.
    joins = name == "strncat"
    bound = bounded(build, name, length=length + 1 + (5 if joins else 0)).bound_cycles
    assert isinstance(bound, int)
    for to, come in PLACES:
        for text in (b"x" * length, b"c" * length, b"x" * max(length - 1, 0) + b"c"):
            before, after = (text, b"hello") if length % 2 else (b"hello", text)
            memory = [(TARGET + to, (before if joins else text) + b"\0"), (SOURCE + come, after + b"\0")]
            for second in (SOURCE + come,) if joins else (0, ord("c"), ord("z")):
                for size in (2, length, length + 9) if joins else (0,):
                    cycles, _, _ = bench(build).call(name, [TARGET + to, second, size], memory)
                    assert cycles <= bound, (text, to, come, second, size)


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


@pytest.mark.parametrize("registers", [{}, {"r2": (0, 80)}, {"r2": (0, 40)}], ids=["free", "wide", "narrow"])
def test_a_length_is_a_formula_of_parameters(registers: dict[str, tuple[int, int]]) -> None:
    one = bench("-marm")
    result = analyse(
        one.image,
        "memset",
        times=[one.reference],
        annotations=[Annotation("memset", length="4*N")],
        parameters={"N": (0, 20)},
        registers=registers,
    )
    assert isinstance(result.bound_cycles, str)
    formula = Formula.parse(result.bound_cycles)
    assert formula.names == {"N"}
    most = registers.get("r2", (0, 80))[1]
    for count in range(most // 4 + 1):
        cycles, _, _ = one.call("memset", [TARGET, 0, 4 * count])
        bound, value = result.bound_at({"N": count}), formula.evaluate({"N": count})
        assert bound is not None
        assert cycles <= bound <= value
    # What the size is called with bounds it where the length is greater.
    greatest = {n: int(formula.evaluate({"N": n})) for n in (0, most // 4, 20)}
    assert greatest[0] < greatest[most // 4]
    assert greatest[20] == greatest[most // 4]
