"""Two sheets side by side: prices, ratios, and the exact places where one overtakes the other."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sheets as made
from socscope import sheet as files
from socscope.estimate import Placement, Platform, Target
from socscope.estimate.choose import Values
from socscope.estimate.compare import Range, Side, compare
from socscope.sheet import Sheet

PLATFORM = """
name = "two memories"
core_mhz = 50
[memory.fast]
access_ns = 20
[memory.slow]
access_ns = 100
"""
MAPPING = '[map]\ntext = "fast"\nheap = "slow"\nstack = "fast"\n'


def arrays() -> Sheet:
    """Searches an array: cheap for few elements."""
    return made.sheet(
        made.service("find", made.part("1", made.count("text", "access", "4 + 10*N")), names="N"),
        made.service("copy", made.part("1", made.count("text", "access", 5), blocking="interrupts")),
        made.service("sort", made.part("1", made.count("text", "access", 1))),
        name="arrays",
    )


def trees() -> Sheet:
    """Searches a tree, which lies in the slow memory."""
    return made.sheet(
        made.service("find", made.part("1", made.count("heap", "access", "8 + N // 8")), names="N"),
        made.service("duplicate", made.part("1", made.count("text", "access", 10))),
        made.service("walk", made.part("1", made.count("text", "access", 1))),
        name="trees",
    )


@pytest.fixture
def arguments(tmp_path: Path) -> list[str | Path]:
    (tmp_path / "p.toml").write_text(PLATFORM)
    (tmp_path / "m.toml").write_text(MAPPING)
    for one in (arrays(), trees()):
        files.write(tmp_path / f"{one.kernel.name}.sheet.json", one)
    return [
        "compare", tmp_path / "arrays.sheet.json", tmp_path / "trees.sheet.json",
        "--platform", tmp_path / "p.toml", "--mapping", tmp_path / "m.toml",
    ]  # fmt: skip


def test_services_stand_side_by_side(arguments: list[str | Path]) -> None:
    said, _ = made.typed(*arguments, "--with", "N=3", "--pair", "copy=duplicate", "--json")
    answer: dict[str, Any] = json.loads(said)
    find, copy = answer["services"]
    assert (find["first"]["total_ns"], find["second"]["total_ns"]) == (34 * 20, 800)
    assert (copy["first"]["blocking_ns"], copy["ratio"]) == ({"interrupts": 100}, 2)
    assert (answer["only_first"], answer["only_second"]) == (["sort"], ["walk"])
    # (4 + 10 N)·20 against 800: dearer from N = 4 on; in the slow memory, 680 against 8 x.
    assert find["overtakings"] == [
        {"along": "N", "unit": "", "value": 4, "dearer": 0},
        {"along": "memory.fast.access_ns", "unit": "ns", "value": float(Fraction(800, 34)), "dearer": 0},
        {"along": "memory.slow.access_ns", "unit": "ns", "value": 85, "dearer": 1},
    ]


def test_the_command_says_who_overtakes(arguments: list[str | Path]) -> None:
    said, _ = made.typed(*arguments, "--with", "N=3", "--pair", "copy=duplicate")
    assert "find: from N = 4 on arrays is dearer" in said
    assert "find: above memory.slow.access_ns = 85 ns trees is dearer" in said
    assert "copy / duplicate" in said
    assert "only in arrays: sort" in said
    assert "only in trees: walk" in said


def test_overtakings_are_sought_where_asked(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PLATFORM)
    (tmp_path / "m.toml").write_text(MAPPING)
    target = Target(Platform.read(tmp_path / "p.toml"), Placement.read(tmp_path / "m.toml"))
    first, second = Side(arrays(), target), Side(trees(), target)
    values = Values.parse(["N=3"])
    (pair,) = compare(first, second, values, along=[Range.parse("N=4..90")]).pairs
    assert pair.overtakings == []
    (pair,) = compare(first, second, values, along=[Range.parse("memory.slow")]).pairs
    assert [one.along for one in pair.overtakings] == ["memory.slow.access_ns"]


def test_an_own_mapping_for_each_and_equal_names(arguments: list[str | Path], tmp_path: Path) -> None:
    (tmp_path / "n.toml").write_text('[map]\n"*" = "slow"\n')
    same = [arguments[0], arguments[1], arguments[1], *arguments[3:]]
    said, _ = made.typed(*same, "--mapping", tmp_path / "n.toml", "--service", "copy", "--json")
    (pair,) = json.loads(said)["services"]
    assert pair["ratio"] == 5
    assert json.loads(said)["first"] == "arrays"


def test_a_parameter_without_a_range_is_not_followed(arguments: list[str | Path]) -> None:
    for name in ("arrays", "trees"):
        path = Path(str(arguments[1])).with_name(f"{name}.sheet.json")
        path.write_text(path.read_text().replace('"maximum": 8', '"maximum": null'))
    said, _ = made.typed(*arguments, "--with", "N=3", "--along", "N", "--json")
    assert json.loads(said)["services"][0]["overtakings"] == []
    said, _ = made.typed(*arguments, "--with", "N=3", "--along", "N=1..9", "--json")
    assert [one["value"] for one in json.loads(said)["services"][0]["overtakings"]] == [4]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--with", "M=1"), "M: no chosen service has this parameter; there are N"),
        ((), "the parameter N has no value"),
        (("--with", "N=1", "--pair", "copy"), "'copy': no two services; write --pair NAME=NAME"),
        (("--with", "N=1", "--pair", "copy=clone"), "clone: the sheet of trees has no such service"),
        (("--with", "N=1", "--along", "N=5..2"), "'N=5..2': no range of a parameter; write N=0..64"),
        (("--with", "N=1", "--along", "N=1..9999"), "more than 4096 values"),
        (("--with", "N=1", "--along", "Q"), "Q: neither a parameter of find nor memory.NAME"),
        (("--with", "N=1", "--along", "memory.flash"), "two memories has no memory flash"),
        (("--service", "sort"), "arrays and trees have no service in common; say which are alike"),
    ],
)
def test_errors_say_what_to_give(more: tuple[str, ...], said: str, arguments: list[str | Path]) -> None:
    _, messages = made.typed(*arguments, *more, status=1)
    assert said in messages
