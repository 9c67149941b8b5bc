"""Bursts in prices: fetches after an internal cycle, and accesses that run from one memory into another."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
import sheets as made
from socscope import sheet as files
from socscope.errors import EstimateError
from socscope.estimate import Placement, Platform, Target, result
from socscope.estimate.choose import Values
from socscope.sheet import Sheet

TIMES = "core_mhz = 50\n[memory.ext]\nfetch_cycles = {n16 = 7, s16 = 5}\naccess_cycles = 9\n"
MAP = '[map]\n"*" = "ext"\n'


def total(of: Sheet, folder: Path, platform: str, mapping: str = MAP) -> Fraction:
    (folder / "platform.toml").write_text(platform)
    (folder / "mapping.toml").write_text(mapping)
    on = Target(Platform.read(folder / "platform.toml"), Placement.read(folder / "mapping.toml"))
    (one,) = result.prices(on, of.services[0], Values())
    return one.total_ns / on.platform.cycle_ns


def fetches(sequence: str) -> Sheet:
    return made.sheet(made.service("s", made.part("1", made.count("text", "fetch", 3, 16, sequence))))


@pytest.mark.parametrize(
    ("said", "cycles"),
    [
        ("", 7),
        ('burst_after_internal = "restarts"\n', 7),
        ('burst_after_internal = "continues"\n', 5),
        # What is said of such fetches alone holds.
        ('burst_after_internal = "continues"\nread_cycles = {n16 = 1, a16 = 2}\n', 5),
    ],
)
def test_fetches_after_an_internal_cycle_cost_what_the_memory_makes_of_them(
    said: str, cycles: int, tmp_path: Path
) -> None:
    assert total(fetches("after_internal"), tmp_path, TIMES + said) == 3 * cycles
    assert total(fetches("sequential"), tmp_path, TIMES + said) == 3 * 5
    assert total(fetches("nonsequential"), tmp_path, TIMES + said) == 3 * 7


@pytest.mark.parametrize("detail", ["a16", "a"])
def test_such_fetches_may_have_a_time_of_their_own(detail: str, tmp_path: Path) -> None:
    times = TIMES.replace("s16 = 5", f"s16 = 5, {detail} = 6")
    assert total(fetches("after_internal"), tmp_path, times) == 3 * 6


def test_another_word_for_what_a_burst_does_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EstimateError) as caught:
        total(fetches("sequential"), tmp_path, TIMES + 'burst_after_internal = "goes on"\n')
    assert str(caught.value) == (
        f"{tmp_path / 'platform.toml'}: memory.ext.burst_after_internal: 'goes on' is nothing that a burst "
        'does; give "restarts" or "continues"'
    )


def test_accesses_into_another_memory_are_nonsequential(tmp_path: Path) -> None:
    crossing = made.count("heap", "read", 2, 32, "sequential") | {"crosses_from": "stack"}
    of = made.sheet(made.service("s", made.part("1", crossing)))
    times = "core_mhz = 50\n" + "".join(
        f"[memory.{name}]\nread_cycles = {{n32 = 8, s32 = 3}}\n" for name in ("one", "other")
    )
    assert total(of, tmp_path, times, '[map]\nheap = "one"\nstack = "one"\n') == 2 * 3
    assert total(of, tmp_path, times, '[map]\nheap = "one"\nstack = "other"\n') == 2 * 8


def test_a_sheet_of_the_older_format_is_priced_with_a_warning(tmp_path: Path) -> None:
    older = json.loads(files.file.text(fetches("sequential"))) | {"format": 1}
    (tmp_path / "older.sheet.json").write_text(json.dumps(older))
    (tmp_path / "times.toml").write_text(TIMES)
    (tmp_path / "map.toml").write_text(MAP)
    names: list[str | Path] = ["--platform", tmp_path / "times.toml", "--mapping", tmp_path / "map.toml"]
    said, messages = made.typed("estimate", tmp_path / "older.sheet.json", *names, "--json")
    assert json.loads(said)["paths"][0]["total_ns"] == 3 * 5 * 20
    warning = (
        "the sheet of k is of format 1, which cannot say which fetches follow an internal cycle: on a memory "
        "that begins its burst anew then, the price is too low; characterize the kernel again"
    )
    assert warning in json.loads(said)["notes"]
    assert f"note: {warning}\n" in messages
    files.write(tmp_path / "newer.sheet.json", fetches("sequential"))
    _, messages = made.typed("estimate", tmp_path / "newer.sheet.json", *names)
    assert "format 1" not in messages


def test_a_count_that_follows_on_from_nothing_does_not_cross() -> None:
    crossing = made.count("heap", "read", 2, 32, "nonsequential") | {"crosses_from": "stack"}
    with pytest.raises(ValueError, match="crosses_from is for accesses that are sequential"):
        made.sheet(made.service("s", made.part("1", crossing)))
