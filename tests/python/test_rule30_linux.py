"""The accelerator study as a whole, under the real kernel: boot, forks, driver, program, report."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from readers import reader
from socscope.cli import app
from socscope.errors import StudyError
from socscope.record import Run
from socscope.record.sources import CHECKPOINTS
from socscope.replay.verify import ALL, BEGIN, verify
from socscope.report.timeline import trace, tracks
from socscope.simulation import Simulation
from socscope.study.carry_out import Results, carry_out
from socscope.study.rule30 import engine, linux
from socscope.study.store import Store
from typer.testing import CliRunner

pytestmark = pytest.mark.xdist_group("rule30-linux")


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The quick form."""
    return carry_out("rule30", tmp_path_factory.mktemp("rule30") / "results", quick=True, jobs=2)


def test_quick_form_answers_the_question(results: Results) -> None:
    sheets = {sheet.name: sheet for sheet in results.sheets}
    assert {"crossovers", "map", "driver", "break_even", "jitter", "split", "host"} <= set(sheets)
    times = {
        (row["mode"], row["length_bits"], row["latency_ns"]): row["line_ns_mean"]
        for row in sheets["map"].rows
    }
    for length in (16, 256, 1000):
        # System calls and an interrupt cost more than a few loads and stores, and a latency is waited for.
        assert times["hw", length, 10] > times["hw-mmap", length, 10]
        assert times["hw-mmap", length, 1000] > 1000
    assert times["bit", 16, None] < times["hw-mmap", 16, 10]
    assert times["bit", 1000, None] > times["hw-mmap", 1000, 10]
    crossed = [
        row for row in sheets["crossovers"].rows if row["mode"] == "hw-mmap" and row["latency_ns"] == 10
    ]
    # Between those nothing was run.
    assert [(row["low_bits"], row["high_bits"]) for row in crossed] in ([(16, 256)], [(256, 1000)])
    page = results.page.read_text()
    assert "This is the quick form: few points and short runs." in page
    assert "3 lengths were run, from 16 to 1000, up to 744 apart" in page
    parts = {(row["mode"], row["part"]): row["percent"] for row in sheets["split"].rows if row["core"] == 0}
    assert parts["bit", "program, user"] > 90
    assert parts["hw", "program, kernel"] > parts["hw-mmap", "program, kernel"]


def test_all_modes_compute_what_the_host_computes(results: Results) -> None:
    rows = Store.open(results.page.parent).query(
        "SELECT length_bits, count(DISTINCT checksum) AS found, min(lines_checked) AS checked "
        "FROM runs GROUP BY ALL"
    )
    assert [(row["found"], row["checked"]) for row in rows.to_pylist()] == [(1, 9)] * rows.num_rows
    assert rows.num_rows >= 3


def test_every_line_has_its_marks(results: Results) -> None:
    rows = Store.open(results.page.parent).query(
        "SELECT run, count(*) FILTER (number = 3) AS lines, max(argument) FILTER (number = 3) AS last, "
        "count(*) FILTER (number = 6) AS packets, max(core) AS core FROM marks GROUP BY run"
    )
    assert rows.num_rows == len(results.runs)
    for row in rows.to_pylist():
        assert (row["lines"], row["last"], row["packets"], row["core"]) == (18, 8, 2, 0)


def test_results_depend_on_neither_jobs_nor_order(results: Results, tmp_path: Path) -> None:
    settings = ["length_bits=16"]
    again = carry_out("rule30", tmp_path / "again", quick=True, jobs=1, settings=settings, only=["map"])
    first = {run.folder.name: run.sha256 for run in results.runs}
    assert {run.folder.name for run in again.runs} <= set(first)
    assert all(first[run.folder.name] == run.sha256 for run in again.runs)


def run_in(results: Results, mode: str) -> Run:
    return next(run for run in results.runs if run.manifest.parameters["mode"] == mode)


def test_power_on_leads_to_where_the_runs_begin(results: Results) -> None:
    checks = verify(run_in(results, "bit"), ways=BEGIN)
    assert [check.differences for check in checks] == [[], []]


@pytest.mark.parametrize("mode", ["hw", "hw-mmap"])
def test_runs_can_be_verified_from_there_in_all_ways(results: Results, mode: str) -> None:
    checks = verify(run_in(results, mode), ways=ALL)
    assert {check.name: check.differences for check in checks if not check.same} == {}
    assert len(checks) == 8


def test_the_report_is_drawn_and_its_tables_sort(results: Results, browser: Browser) -> None:
    with reader(browser, results.page) as page:
        pictures = page.locator("figure svg")
        assert pictures.count() == sum(len(sheet.pictures) for sheet in results.sheets) > 5
        for number in range(pictures.count()):
            marks = pictures.nth(number).locator("[aria-roledescription$='mark'], .mark-group")
            assert marks.count() > 0
        table = page.locator("#host ~ .scroll table").first
        heading = table.locator("th", has=page.locator("button")).nth(1)
        values = table.locator("tbody td:nth-child(2)")
        unsorted = values.all_inner_texts()
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") in {"ascending", "descending"}
        heading.locator("button").click()
        once = values.all_inner_texts()
        heading.locator("button").click()
        assert values.all_inner_texts() == once[::-1]
        assert sorted(once) == sorted(unsorted)
        page.screenshot(path=results.page.with_suffix(".png"))
    assert results.page.with_suffix(".png").stat().st_size > 10_000


@pytest.fixture(scope="module")
def watched(results: Results) -> Run:
    """A run of the driver whose tasks were watched."""
    runs = [run for run in results.runs if run.manifest.parameters["tasks"]]
    return next(run for run in runs if run.manifest.parameters["mode"] == "hw")


def test_the_timeline_shows_both_cores_in_user_and_kernel_mode(watched: Run, browser: Browser) -> None:
    done = CliRunner().invoke(app, ["timeline", str(watched.folder)])
    assert done.exit_code == 0, done.output
    with reader(browser, watched.folder / "timeline.html") as page:
        names = page.evaluate("timeline.rows.filter((row) => row.track).map((row) => row.track.name)")
        assert names[:2] == ["core 0", "core 1"]
        drawn = page.evaluate(
            """() => {
                const canvas = document.getElementById("canvas");
                const colours = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                const seen = new Set();
                for (let at = 0; at < colours.length; at += 4) seen.add(colours.slice(at, at + 3).join());
                return seen.size;
            }"""
        )
        assert drawn > 5
        # The program begins on any core, and computes on core 0.
        page.locator("#find").fill("rule30: read")
        said = []
        for _ in range(40):
            page.locator("#next").click()
            said.append(page.locator("#detail").inner_text())
        assert any(one.startswith("rule30: read\nCores, core 0: kernel, at ") for one in said)
    states = {(row["core"], row["state"]) for row in watched.rows("task_spans")}
    assert {(0, "user"), (0, "kernel"), (0, "interrupt"), (1, "idle")} <= states


def test_the_trace_keeps_to_the_trace_event_format(watched: Run) -> None:
    """What Perfetto asks of a file in JSON: known phases, numbers, slices of a track that do not overlap."""
    found = json.loads(trace(tracks(watched)))
    assert set(found) == {"displayTimeUnit", "traceEvents"}
    required = {"M": {"args"}, "X": {"ts", "dur", "cat"}, "i": {"ts", "s", "cat"}}
    slices: dict[tuple[int, int], list[tuple[Decimal, Decimal]]] = {}
    for event in found["traceEvents"]:
        assert required[event["ph"]] <= set(event)
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        if event["ph"] == "X":
            start, length = Decimal(str(event["ts"])), Decimal(str(event["dur"]))
            assert length >= 0
            slices.setdefault((event["pid"], event["tid"]), []).append((start, start + length))
        if event["ph"] == "i":
            assert event["s"] == "t"
    for one in slices.values():
        open_ends: list[Decimal] = []
        for start, end in sorted(one, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)
    assert sum(len(one) for one in slices.values()) > 100


def test_driver_that_does_not_load_is_told(results: Results) -> None:
    [checkpoint] = (results.page.parent / CHECKPOINTS).glob("*.checkpoint")
    simulation = Simulation.restore(checkpoint)
    script = linux.console(simulation)
    folder = engine.share(simulation, script)
    told = r"ended with status 135:\n(?s:.*)Machine check(?s:.*)\nThe kernel's last messages:\n"
    with pytest.raises(StudyError, match=told):
        linux.load(script, f"{folder}/rule30.ko", 0xFFEE_8000)
