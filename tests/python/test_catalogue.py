"""Many platforms at once: each as the exact price has it; and questions that turn the price round."""

import json
import re
import time
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import sheets as made
from hypothesis import given
from hypothesis import strategies as st
from socscope import sheet as files
from socscope.errors import EstimateError
from socscope.estimate import Placement, Platform, Target, catalogue, knob, questions, ranking, variants
from socscope.estimate.knob import Knob, Line
from socscope.estimate.price import PathCost

BASE = ("--platform", made.SDRAM, "--mapping", made.SECTIONS, "--with", "N=13")


def sdram() -> Target:
    return Target(Platform.read(made.SDRAM), Placement.read(made.SECTIONS))


def create_thread(target: Target) -> PathCost:
    service = files.read(made.SHEET).services[0]
    return target.cost(service, service.paths[0], {"N": 13})


def detailed(tmp_path: Path) -> tuple[Target, PathCost]:
    (tmp_path / "platform.toml").write_text(made.DETAILED_PLATFORM)
    (tmp_path / "mapping.toml").write_text(made.DETAILED_MAPPING)
    target = Target(Platform.read(tmp_path / "platform.toml"), Placement.read(tmp_path / "mapping.toml"))
    service = made.detailed().services[0]
    return target, target.cost(service, service.paths[0], {"N": 2, "L": 3})


def read(tmp_path: Path, text: str, name: str = "variants.toml") -> pa.Table:
    (tmp_path / name).write_text(text)
    return catalogue.read(tmp_path / name)


def rank(target: Target, cost: PathCost, table: pa.Table, **options: Any) -> ranking.Ranking:  # noqa: ANN401
    known = variants.understood(table, target.platform)
    varied = Target(known.platform, target.placement)
    return ranking.rank(variants.Matrix(known, varied, [cost]), **options)


def test_every_combination_is_a_variant(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        """[vary]
        memory.ext.access_ns = {from = 10, to = 20, step = 5}
        core_mhz = {from = 10, to = 20, count = 2}
        ram = [
            {name = "a", price = 1, "memory.ram.access_ns" = 5},
            {name = "b", price = 2, "memory.ram.access_ns" = 3},
        ]
        rom = [{price = 10}, {price = 20}]
        """,
    )
    assert table.num_rows == 3 * 2 * 2 * 2
    rows = table.to_pylist()
    assert rows[0] == {
        "memory.ext.access_ns": 10, "core_mhz": 10, "name": "a", "price": 11, "memory.ram.access_ns": 5,
    }  # fmt: skip
    assert rows[-1] == {
        "memory.ext.access_ns": 20, "core_mhz": 20, "name": "b", "price": 22, "memory.ram.access_ns": 3,
    }  # fmt: skip
    assert len({json.dumps(row) for row in rows}) == 24


def test_each_variant_has_the_exact_price(tmp_path: Path) -> None:
    """Detailed times in ns and in cycles under a changing clock, against the price of each platform alone."""
    target, cost = detailed(tmp_path)
    table = pa.table(
        {
            "core_mhz": [50.0, 33.0, 66.0],
            "memory.ext.fetch_ns.n16": [45.5, 60.1, 20.2],
            "memory.ext.write_cycles.8": [4, 6, 3],
            "vendor": ["a", "b", "c"],
        }
    )
    out = tmp_path / "prices.parquet"
    rank(target, cost, table, out=out)
    rows = pa.parquet.read_table(out).to_pylist()
    for row in rows:
        text = made.DETAILED_PLATFORM.replace("core_mhz = 50", f"core_mhz = {row['core_mhz']}")
        text = text.replace("n16 = 45.5", f"n16 = {row['memory.ext.fetch_ns.n16']}")
        text = text.replace("8 = 4", f"8 = {row['memory.ext.write_cycles.8']}")
        (tmp_path / "one.toml").write_text(text)
        alone = Target(Platform.read(tmp_path / "one.toml"), target.placement)
        assert row["send/worst ns"] == pytest.approx(float(alone.ns(cost.uses)), rel=1e-12)
        blocking = max(alone.ns(run) for runs in cost.blocking().values() for run in runs)
        assert row["send/worst blocking ns"] == pytest.approx(float(blocking), rel=1e-12)
    assert [row["vendor"] for row in rows] == ["a", "b", "c"]


def test_the_command_ranks_a_catalogue(tmp_path: Path) -> None:
    out = tmp_path / "prices.csv"
    said, _ = made.typed(
        "estimate", made.SHEET, *BASE, "--catalogue", made.EXAMPLE / "variants.toml", "--out", out,
        "--deadline", "40us", "--pareto", "price_euro", "--json",
    )  # fmt: skip
    answer = json.loads(said)
    assert answer["variants"] == 60
    lines = out.read_text().splitlines()
    assert len(lines) == 61
    assert lines[0].startswith('"memory.heap.access_ns"')
    assert answer["within"] == sum(line.endswith("true") for line in lines[1:])
    # 250 ns a branch as before; the fastest of everything.
    fastest = 567 * 14 + 57 * 14 + 84 * 250 + 119 * 20
    assert answer["best"][0]["total_ns"] == fastest
    assert answer["worst"][0]["total_ns"] == 567 * 42 + 57 * 70 + 84 * 250 + 119 * 200
    assert [row["data"] for row in answer["front"]] == ["SDRAM", "on-chip"]
    shown, _ = made.typed("estimate", made.SHEET, *BASE, "--catalogue", made.EXAMPLE / "variants.toml")
    assert "60 variants" in shown
    assert "Best" in shown


def test_a_million_variants_take_seconds(tmp_path: Path) -> None:
    text = "[vary]\n" + "".join(
        f'"memory.{name}.access_ns" = {{from = 10, to = 109, step = 1}}\n'
        for name in ("code", "data", "heap")
    )
    target = sdram()
    cost = create_thread(target)
    before = time.perf_counter()
    found = rank(target, cost, read(tmp_path, text), deadline_ns=Fraction(40_000), out=tmp_path / "x.parquet")
    assert time.perf_counter() - before < 20
    assert found.variants == 1_000_000
    assert found.best[0]["total_ns"] == 743 * 10 + 84 * 250
    # Exactly at the deadline counts as held.
    code, data, heap = np.meshgrid(*[np.arange(10, 110)] * 3)
    assert found.within == np.count_nonzero(567 * code + 57 * data + 119 * heap + 21_000 <= 40_000)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30))
def test_the_front_holds_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    found = {points[n] for n in variants.front(*np.array(points, float).T)}
    expected = {
        one
        for one in points
        if not any(other != one and other[0] <= one[0] and other[1] <= one[1] for other in points)
    }
    assert found == expected


def test_slower_memories_are_better_for_the_front(tmp_path: Path) -> None:
    target = sdram()
    table = pa.table(
        {"memory.heap.access_ns": [10.0, 20.0, 30.0], "memory.code.access_ns": [14.0, 14.0, 1.0]}
    )
    found = rank(target, create_thread(target), table, against="memory.heap.access_ns")
    assert [row["memory.heap.access_ns"] for row in found.front] == [30]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("v.toml", "[vary]", "nothing is varied; write [vary]"),
        ("v.toml", "[vary]\n'memory.heap.access_ns' = []", "give a list of values"),
        ("v.toml", "[vary]\n'memory.heap.access_ns' = [-1]", "access_ns[0]: -1 is negative"),
        ("v.toml", "[vary]\nx = [{a = 1}, {b = 1}]", "vary.x[0]: b is missing"),
        ("v.toml", "[vary]\nx = {from = 1, to = 2}", "a range has from, to, and either step or count"),
        ("v.toml", "[vary]\nx = {from = 3, to = 2, step = 1}", "ends at 2 before it begins at 3"),
        ("v.toml", "[vary]\nx = {from = 1, to = 2, step = 0}", "vary.x.step: is 0; give a number above 0"),
        ("v.toml", "[vary]\nx = {from = 1, to = 9e9, step = 1e-9}", "has more than 20,000,000 steps"),
        ("v.toml", "[vary]\n" + "".join(f"x{n} = [1,2]\n" for n in range(25)), "33,554,432 combinations"),
        ("v.toml", "[vary]\nx = [1]", "the catalogue varies no access time; its columns are x"),
        ("v.toml", "[vary]\nmemory.none.access_ns = [1]", "external 32-bit SDRAM has no memory none"),
        ("v.toml", "[vary]\nmemory.heap.speed = [1]", "'memory.heap.speed': names no access time"),
        ("v.toml", "[vary]\nmemory.heap.access = [1]\nmemory.heap.access_ns = [1]", "another column"),
        ("v.csv", "memory.heap.access_ns\n5\n-2\n", "access_ns: is -2, which cannot be in row 2"),
        ("v.csv", "memory.heap.access_ns,b\n5,1\n,1\n", "access_ns: is missing in row 2"),
        ("v.csv", "memory.heap.access_ns\nfast\n", "access_ns: holds text; an access time is a number"),
        ("v.csv", "core_mhz\n0\n", "core_mhz: is 0, which cannot be in row 1"),
        (
            "v.csv",
            "core_mhz\n66\n66000000\n",
            "core_mhz, row 2: 66000000.0 MHz cannot be: 0.001 to 10,000 MHz",
        ),
        ("v.csv", "a,b\n1\n", "v.csv: not CSV"),
        ("v.csv", "memory.heap.access_ns\n", "holds no variant"),
        ("v.parquet", "x", "v.parquet: not PARQUET"),
        ("v.txt", "x", "a catalogue is a .toml, .csv or .parquet file"),
    ],
)
def test_catalogues_that_do_not_fit_are_named(name: str, text: str, said: str, tmp_path: Path) -> None:
    target = sdram()
    with pytest.raises(EstimateError) as caught:
        rank(target, create_thread(target), read(tmp_path, text, name))
    assert said in str(caught.value)


def test_no_file_is_left_when_pricing_fails(tmp_path: Path) -> None:
    target = sdram()
    table = pa.table({"memory.heap.access_ns": [1.0], "vendor": ["a"]})
    for options, said in (
        ({"against": "vendor"}, "vendor: holds text"),
        ({"against": "none"}, "none: the catalogue has no such column; it has memory.heap.access_ns, vendor"),
        ({"out": tmp_path / "x.txt"}, "prices are written as .parquet or .csv"),
    ):
        with pytest.raises(EstimateError, match=re.escape(said)):
            rank(target, create_thread(target), table, **options)
    assert list(tmp_path.iterdir()) == []


def test_how_slow_a_memory_may_be() -> None:
    said, _ = made.typed(
        "estimate", made.SHEET, *BASE, "--deadline", "50us", "--solve", "memory.heap", "--json"
    )
    answer = json.loads(said)["slowest"]
    # All else takes 32,928 ns; 119 accesses share the rest.
    assert answer["allowed"] == pytest.approx(float(Fraction(50_000 - 32_928, 119)), rel=1e-15)
    assert answer["now"] == 200
    assert answer["limiting"] == "CreateThread/worst"
    shown, _ = made.typed("estimate", made.SHEET, *BASE, "--deadline", "50us", "--solve", "memory.heap")
    assert "memory.heap.access_ns may be at most 143.462 ns (now 200)" in shown
    blocking, _ = made.typed(
        "estimate", made.SHEET, *BASE, "--deadline", "50us", "--solve", "memory.heap", "--blocking", "--json"
    )
    assert json.loads(blocking)["slowest"]["allowed"] > answer["allowed"]


@pytest.mark.parametrize(
    "what", ["memory.ext", "memory.ext.fetch_ns.s16", "memory.ext.write_cycles.8", "core_mhz", "cycle_ns"]
)
def test_the_answer_reaches_the_deadline_exactly(what: str, tmp_path: Path) -> None:
    target, cost = detailed(tmp_path)
    deadline = target.ns(cost.uses) + Fraction(1001, 7)
    turned = Knob.parse(what, target.platform)
    found = questions.how_slow(target, [cost], turned, deadline)
    assert found.allowed is not None
    there = Target(turned.turned(target.platform, turned.outward(found.allowed)), target.placement)
    assert there.ns(cost.uses) == deadline
    assert turned.line(target, cost.uses).at(turned.now(target.platform)) == target.ns(cost.uses)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--deadline", "20us", "--solve", "memory.heap"), "no value holds the deadline of 20,000 ns"),
        (("--deadline", "20us", "--solve", "memory.flash"), "external 32-bit SDRAM has no memory flash"),
        (("--deadline", "20us", "--solve", "memory.heap.read_ns"), "such time; it gives memory.heap.access"),
        (("--deadline", "20us", "--solve", "core_mhz"), "give core_mhz = ... or cycle_ns = ..."),
        (("--deadline", "20us", "--solve", "speed"), "'speed': names no access time"),
        (("--deadline", "20", "--solve", "memory.heap"), "'20': not a duration"),
        (("--deadline", "20cycles", "--solve", "memory.heap"), "give a time, not cycles"),
        (("--solve", "memory.heap"), "--solve needs --deadline"),
        (("--deadline", "20us"), "--deadline needs --solve or --catalogue"),
        (("--against", "memory.heap=1..2"), "--against needs --picture"),
        (("--against", "memory.heap=9..2", "--picture", "x.svg"), "from a smaller to a larger value"),
        (("--against", "memory.heap", "--picture", "x.svg"), "no range of an access time"),
        (("--against", "memory.heap=1..2", "--picture", "x.png"), "x.png: pictures are SVG; name it x.svg"),
        (("--pareto", "x"), "--pareto needs --catalogue"),
    ],
)  # fmt: skip
def test_questions_without_an_answer(options: tuple[str, ...], said: str) -> None:
    # What no time is does not fit as a command line.
    status = 2 if "not a duration" in said else 1
    _, messages = made.typed("estimate", made.SHEET, *BASE, *options, status=status)
    assert said in messages


@pytest.mark.parametrize(
    ("idle", "what", "said"),
    [
        ("select_cycles = 2\nturnaround_cycles = 1", "memory.bus.select_cycles", "one of several waits"),
        ("select_cycles = 2\nturnaround_ns = 1", "core_mhz", "cannot be priced for varying"),
    ],
)  # fmt: skip
def test_waits_of_a_shared_bus_vary_only_together(idle: str, what: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(f"core_mhz = 50\n[memory.bus]\naccess_ns = 3\n{idle}\n")
    platform = Platform.read(tmp_path / "p.toml")
    with pytest.raises(EstimateError, match=said):
        Knob.parse(what, platform)
    with pytest.raises(EstimateError, match=said):
        variants.understood(pa.table({what: [1.0, 2.0]}), platform)
    assert Knob.parse("memory.bus", platform).text == "memory.bus.access_ns"


def test_what_does_not_depend_on_a_memory_holds_whatever_it_is(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(made.SDRAM.read_text() + "[memory.other]\naccess_ns = 3\n")
    said, _ = made.typed(
        "estimate", made.SHEET, "--platform", tmp_path / "p.toml", *BASE[2:], "--deadline", "1ms", "--solve",
        "memory.other",
    )  # fmt: skip
    assert "deadline of 1,000,000 ns: holds whatever memory.other.access_ns is" in said


def test_which_memory_matters() -> None:
    said, _ = made.typed("estimate", made.SHEET, *BASE, "--sensitivity", "--json")
    rows = {row["memory"]: row for row in json.loads(said)["sensitivity"]}
    assert list(rows) == ["heap", "code", "data"]
    assert rows["heap"]["ns_per_ns"] == 119
    assert rows["heap"]["share"] == 23_800 / 56_728
    assert "ns more for each ns" in made.typed("estimate", made.SHEET, *BASE, "--sensitivity")[0]


def test_the_price_is_drawn_over_an_access_time(tmp_path: Path) -> None:
    picture = tmp_path / "price.svg"
    said, _ = made.typed(
        "estimate", made.SHEET, *BASE, "--against", "memory.heap=20..200", "--picture", picture
    )
    assert f"picture: {picture}" in said
    svg = picture.read_text()
    assert svg.startswith("<svg")
    assert "memory.heap.access_ns, ns" in svg


lines = st.builds(
    Line,
    st.integers(0, 30).map(Fraction),
    st.integers(0, 8).map(Fraction),
)


@given(st.lists(lines, min_size=1, max_size=3), st.lists(lines, min_size=1, max_size=3))
def test_crossings_are_where_one_overtakes_the_other(first: list[Line], second: list[Line]) -> None:
    def dearer(x: Fraction) -> int:
        difference = max(line.at(x) for line in first) - max(line.at(x) for line in second)
        return (difference > 0) - (difference < 0)

    found = knob.crossings(first, second)
    assert found == sorted(found)
    edges = [Fraction(0), *found, Fraction(1000)]
    # Where any two lines meet, so that no short stretch between them is missed.
    met = {
        (b.fixed - a.fixed) / (a.slope - b.slope)
        for a, b in product([*first, *second], repeat=2)
        if a.slope != b.slope
    }
    signs: list[int] = []
    for low, high in pairwise(edges):
        places = sorted({low, high} | {x for x in met if low < x < high})
        inside = {dearer((start + end) / 2) for start, end in pairwise(places)} - {0}
        assert len(inside) <= 1
        signs += inside
    assert all(one != other for one, other in pairwise(signs))
    assert len(signs) in (0, len(found) + 1)
