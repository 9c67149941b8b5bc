"""The page of a run: complete, self-contained, drawn by a real browser."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from html_checker import Checker
from socscope.cli.run import _summary
from socscope.record import Run
from socscope.report import charts, page, summary, words


def test_page_is_well_formed_and_loads_nothing(run: Run) -> None:
    text = page.render(run)
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.loads == []
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", text)
    linked = set(re.findall(r'href="#([\w-]+)"', text))
    assert linked
    assert linked <= checker.ids


def test_page_shows_the_numbers_of_the_record(run: Run) -> None:
    text = page.render(run)
    for shown in (
        "2.500",  # cycles per instruction
        "CPI",
        "drivers 70.0 %",
        "core stopped 74.0 %",
        "Counts are exact. Cycles: ARM7TDMI; checked against hand counts; known error: none",
        "US_TPR",
        "3.0 bytes",
    ):
        assert shown in text, shown


def test_equal_records_give_equal_pages(run: Run) -> None:
    assert page.render(run) == page.render(run)


def test_names_from_the_image_cannot_become_markup(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = run.rows("functions")
    evil = "</script><img src=x>"
    for row in rows:
        row["name"] = evil
    real = Run.rows
    monkeypatch.setattr(Run, "rows", lambda self, name: rows if name == "functions" else real(self, name))
    text = page.render(run)
    assert evil not in text
    checker = Checker()
    checker.feed(text)
    assert checker.loads == []


def test_occupation_leaves_idle_and_sleep_out(run: Run) -> None:
    # 1000 cycles: 740 asleep, 50 in the idle function itself.
    assert summary.occupation(run) == pytest.approx(0.21)


def test_flame_graph_holds_every_instruction(run: Run) -> None:
    flame = summary.flame(run)
    assert sum(flame["instructions"]) == run.manifest.totals.instructions
    assert sum(flame["cycles"]) == run.manifest.totals.executing_cycles
    assert all(parent < node for node, parent in enumerate(flame["parent"]))


def test_effective_layers_name_the_largest_first(run: Run) -> None:
    number = {row["name"]: row["function"] for row in run.rows("functions")}
    assert summary.effective_layers(run)[number["copy_bytes"]] == "drivers"


@pytest.mark.parametrize(
    ("time_ps", "text"), [(1, "1 ps"), (2500, "2.5 ns"), (25_000_000, "25 µs"), (3 * 10**12, "3 s")]
)
def test_times_have_the_unit_that_fits(time_ps: int, text: str) -> None:
    assert words.seconds(time_ps) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0"),
        (0.1234, "0.123"),
        (5.678, "5.68"),
        (1234.56, "1,234.6"),
        (12345, "12,345"),
        ("a", "a"),
    ],
)
def test_values_in_tables(value: object, text: str) -> None:
    assert words.cell(value) == text


def test_pictures_take_the_colours_of_the_page_or_of_a_file() -> None:
    rows = [{"x": x, "y": x * 2, "part": part} for x in (1, 2) for part in ("a", "b")]
    spec = charts.bars(rows, x=("x", "across"), y=("y", "up"), part="part", parts=["a", "b"])
    inline, alone = charts.inline_svg(spec), charts.file_svg(spec)
    assert "var(--c0)" in inline
    assert "#0102" not in inline
    assert "#0103" not in inline
    assert "var(" not in alone
    assert "#2f6fb7" in alone
    assert charts.inline_svg(spec) == inline


def test_lines_of_different_magnitudes_lie_equally_far_apart() -> None:
    rows = [{"x": x, "y": y, "part": str(y)} for x in (1, 2) for y in (10, 100, 1000)]
    parts = ["10", "100", "1000"]
    spec = charts.lines(rows, x=("x", "across"), y=("y", "up"), part="part", parts=parts, magnitudes=True)
    heights = re.findall(r'aria-roledescription="line mark" d="M0,([\d.]+)L', charts.inline_svg(spec))
    first, second, third = map(float, heights)
    assert first - second == second - third > 0


def test_map_has_a_field_for_each_place() -> None:
    rows = [{"x": x, "y": y, "part": "ab"[x > y]} for x in (1, 2, 3) for y in (1, 2)]
    svg = charts.inline_svg(
        charts.grid(rows, x=("x", "across"), y=("y", "up"), part="part", parts=["a", "b"])
    )
    assert svg.count('aria-roledescription="rect mark"') == 6
    assert svg.count("var(--c1)") >= 3


def test_browser_draws_the_flame_graph(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page.render(run), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    drawn = subprocess.run(
        ["chromium", *options, "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=180,
    ).stdout
    labels = re.findall(r'aria-label="(\w+) (\d+) instructions"', drawn)
    assert ("all", "100") in labels
    assert ("driver_send", "50") in labels
    data = re.search(r'id="flame-data">(.*?)</script>', drawn)
    assert data is not None
    json.loads(data.group(1))


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.0, 3, "0.000"),
        (1e-4, 3, "0.0001"),
        (-1e-6, 1, "-1e-06"),
        (0.04, 1, "0.04"),
        (1234.56, 1, "1,234.6"),
    ],
)
def test_fixed_decimals_leave_something_of_small_numbers(value: float, decimals: int, text: str) -> None:
    assert words.fixed(value, decimals) == text


def test_small_shares_rates_and_times_keep_digits() -> None:
    assert words.cell(1e-4) == "0.0001"
    assert words.cell(0.0015) == "0.0015"
    assert words.cell(3e-7) == "3e-07"
    assert words.percent(1e-5) == "0.001 %"
    assert words.simulated(25_000) == "0.000000025 s"
    assert words.simulated(0) == "0 s"
    assert words.simulated(1_414_000_000_000) == "1.414000 s"


def test_quotient_of_the_numbers_that_stand_together_is_the_cpi(run: Run) -> None:
    """The window has 1000 cycles, 740 of them asleep and 10 held by DMA: 250 cycles for 100 instructions."""
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page.render(run)))
    executing, instructions = int(facts["Executing cycles"]), int(facts["Instructions"])
    assert float(facts["Executing cycles per instruction"]) == executing / instructions == 2.5
    assert facts["Cycles in the window"] == "1,000"
    assert facts["Of these stopped, held by DMA"] == "740, 10"
    # The other time of the page is named: 50 µs from power-on to the end.
    assert facts["Time in the window"] == "25 µs"
    assert "The run ended 50 µs of simulated time after power-on" in page.render(run)


def test_terminal_names_what_the_cpi_leaves_out(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    _summary(run)
    said = capsys.readouterr().err
    assert "100 instructions, 250 executing cycles, CPI 2.500\n" in said
    assert (
        "window: 1,000 cycles, 740 of them with the clock stopped and 10 with DMA on the bus; 0.000025 s"
        in said
    )
