"""The timeline of a run: its tracks, its trace file, and its page in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from html_checker import Checker
from playwright.sync_api import Browser, Page
from readers import reader
from socscope.awareness.linux.found import columns
from socscope.cli import app
from socscope.record import Run, open_run
from socscope.record.tables import TASKS
from socscope.record.write import write
from socscope.report.timeline import Track, trace, tracks
from socscope.report.timeline.page import page
from typer.testing import CliRunner

STRETCHES = 200_000


class Calls:
    """The part of a kernel that names system calls."""

    def system_call(self, number: int) -> str:
        return {3: "read", 54: "ioctl"}[number]


def numbers(*values: int) -> bytes:
    return np.array(values, dtype="<i8").tobytes()


def found() -> dict[str, Any]:
    """A shell that reads and is interrupted on core 0; core 1 is idle, then makes a call."""
    return {
        "tasks": [(0, 0, "swapper/1"), (7, 7, "sh"), (9, 7, "rule30")],
        "spans": {
            "core": numbers(0, 0, 0, 0, 1, 1),
            "start_cycle": numbers(0, 10, 20, 25, 0, 30),
            "end_cycle": numbers(10, 20, 25, 40, 30, 40),
            "start_ps": numbers(0, 10_000, 20_000, 25_000, 0, 30_000),
            "end_ps": numbers(10_000, 20_000, 25_000, 40_000, 30_000, 40_000),
            "task": numbers(1, 1, 1, 1, 0, 2),
            "activity": numbers(1, 3, 5, 3, 0, 3),
            "number": numbers(-1, 3, 17, 3, -1, 54),
        },
        # Two more calls of rule30, of which only the sums are known.
        "sums": {
            "core": numbers(1),
            "task": numbers(2),
            "activity": numbers(3),
            "cycles": numbers(7),
            "spans": numbers(2),
        },
        "calls": {
            "core": numbers(0),
            "start_cycle": numbers(10),
            "end_cycle": numbers(40),
            "start_ps": numbers(10_000),
            "end_ps": numbers(40_000),
            "task": numbers(1),
            "number": numbers(3),
            "result": numbers(-11),
        },
    }


@pytest.fixture
def watched(run: Run, tmp_path: Path) -> Run:
    """A record with tasks."""
    made = columns(found(), Calls())  # type: ignore[arg-type]
    tables = dict(run.tables())
    for name, table in made.items():
        tables[name] = pa.table(table, schema=TASKS[name].schema)
    write(tmp_path / "watched", run.manifest, tables)
    return open_run(tmp_path / "watched")


def test_tables_of_tasks(watched: Run) -> None:
    assert [(row["state"], row["detail"]) for row in watched.rows("task_spans")] == [
        ("user", ""),
        ("kernel", "read"),
        ("interrupt", "interrupt 17"),
        ("kernel", "read"),
        ("idle", ""),
        ("kernel", "ioctl"),
    ]
    times = {
        (row["core"], row["task"], row["state"]): (row["cycles"], row["spans"])
        for row in watched.rows("task_times")
    }
    assert times == {
        (0, "sh", "kernel"): (25, 2),
        (0, "sh", "user"): (10, 1),
        (0, "sh", "interrupt"): (5, 1),
        (1, "swapper/1", "idle"): (30, 1),
        (1, "rule30", "kernel"): (17, 3),
    }
    (call,) = watched.rows("system_calls")
    assert (call["call"], call["result"], call["task"]) == ("read", -11, "sh")


def test_tracks_of_cores_processes_and_devices(watched: Run) -> None:
    shown = {(track.group, track.name): track for track in tracks(watched)}
    assert [*shown] == [
        ("Cores", "core 0"),
        ("Cores", "core 1"),
        ("Processes", "sh 7"),
        ("Processes", "sh 7: system calls"),
        ("Processes", "rule30 9"),
        ("Machine", "marks"),
        ("Machine", "profiled"),
        ("Machine", "usart1 transmit"),
        ("Machine", "usart1 in"),
        ("Machine", "usart1 out"),
    ]
    core = shown["Cores", "core 0"]
    assert core.labels == ["sh", "sh: read", "sh: interrupt 17", "sh: read"]
    assert shown["Cores", "core 1"].starts_ps == [30_000]
    assert shown["Processes", "sh 7: system calls"].labels == ["read = -11"]
    # 2000 cycles are 50 us.
    assert shown["Machine", "usart1 transmit"].starts_ps == [5_000_000, 12_500_000]


def test_a_run_without_tasks_has_a_timeline_too(run: Run) -> None:
    assert {track.group for track in tracks(run)} == {"Machine"}


def test_the_trace_file_says_the_same(watched: Run) -> None:
    events = json.loads(trace(tracks(watched)))["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    slices = [event for event in events if event["ph"] == "X"]
    read = [event for event in slices if event["name"] == "sh: read"]
    assert [(names[event["tid"]], event["ts"], event["dur"]) for event in read] == [
        ("core 0", 0.01, 0.01),
        ("core 0", 0.025, 0.015),
    ]
    marks = [event["name"] for event in events if event["ph"] == "i"]
    assert marks == ["mark 1, argument 0", "mark 2, argument 7"]
    assert {event["args"]["name"] for event in events if event["name"] == "process_name"} == {
        "Cores",
        "Processes",
        "Machine",
    }


def test_the_command_writes_both(watched: Run) -> None:
    done = CliRunner().invoke(app, ["timeline", str(watched.folder)])
    assert done.exit_code == 0, done.output
    folder = watched.folder
    assert done.stdout == f"page: {folder / 'timeline.html'}\ntrace: {folder / 'timeline.json'}\n"
    checker = Checker()
    checker.feed((folder / "timeline.html").read_text())
    assert (checker.open, checker.loads) == ([], [])
    again = CliRunner().invoke(app, ["timeline", str(folder / "nowhere")])
    assert again.exit_code == 1
    assert "not a run record" in again.output


@pytest.fixture
def many(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page with more stretches than anybody could look at, and one that is far away."""
    crowd = Track("Cores", "core 0")
    for number in range(STRETCHES):
        crowd.add(
            number * 1000, number * 1000 + 900, f"task {number % 7}", "user" if number % 2 else "kernel"
        )
    lone = Track("Machine", "</script><b>rule30", [77_000_500], [77_000_800], ["the needle <i>"], ["call"])
    (tmp_path / "page.html").write_text(page("a & b", [crowd, lone]))
    with reader(browser, tmp_path / "page.html", height=500) as tab:
        yield tab


def test_the_page_finds_zooms_and_tells(many: Page) -> None:
    assert many.title() == "a & b: timeline"
    many.locator("#find").fill("needle")
    many.locator("#next").click()
    said = many.locator("#detail").inner_text()
    assert said.startswith("the needle <i>")
    assert "at 77.001 µs, 0.3 ns long" in said
    for _ in range(40):
        many.locator("#in").click()
    span = many.evaluate("timeline.view.to - timeline.view.from")
    assert span == pytest.approx(0.05)
    many.locator("#all").click()
    assert many.evaluate("timeline.view.to - timeline.view.from") == pytest.approx(STRETCHES, rel=1e-3)


def test_a_click_finds_what_is_under_it(many: Page) -> None:
    many.evaluate("timeline.view.from = 10; timeline.view.to = 20; window.dispatchEvent(new Event('resize'))")
    many.wait_for_function("document.getElementById('range').textContent.includes('10 ns')")
    box = many.locator("#canvas").bounding_box()
    assert box
    x = many.evaluate("timeline.place(13.4)")
    top = many.evaluate("timeline.rows.find((row) => row.track).top")
    many.mouse.click(box["x"] + x, box["y"] + top + 10)
    assert many.locator("#detail").inner_text().startswith("task 6\nCores, core 0: user, at 0.013 µs")
    many.keyboard.press("w")
    many.mouse.wheel(0, -100)
    many.wait_for_function("timeline.view.to - timeline.view.from < 7")


def test_drawing_a_crowd_is_quick(many: Page) -> None:
    took = many.evaluate(
        """() => new Promise((done) => {
            const before = performance.now();
            window.dispatchEvent(new Event("resize"));
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - before)));
        })"""
    )
    assert took < 2000
