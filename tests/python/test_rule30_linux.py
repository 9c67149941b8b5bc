"""The accelerator study as a whole, under the real kernel: boot, forks, driver, program, report."""

from pathlib import Path

import pytest
from socscope.errors import StudyError
from socscope.record import Run
from socscope.replay.verify import ALL, BEGIN, verify
from socscope.study.carry_out import Results, carry_out
from socscope.study.rule30 import Rule30, engine, linux
from socscope.study.rule30.parameters import Rule30Parameters
from socscope.study.store import Store

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
    assert [16 < row["crossover_bits"] < 1000 for row in crossed] == [True]
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


def test_driver_that_does_not_load_is_told() -> None:
    study = Rule30()
    parameters = Rule30Parameters(packets=1, lines=1)
    simulation = study.machine(parameters)
    study.boot(simulation, parameters)
    script = linux.console(simulation)
    folder = engine.share(simulation, script)
    told = r"^the guest's 'insmod .*base=0xffee8000' ended with status 135:\n(?s:.*)Machine check"
    with pytest.raises(StudyError, match=told):
        linux.command(script, f"insmod {folder}/rule30.ko base=0xffee8000")
