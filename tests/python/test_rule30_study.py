"""The accelerator study: its space, what it reads off marks, where lines cross, its report in a browser."""

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from html_checker import Checker
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser
from readers import reader
from socscope.errors import StudyError
from socscope.record import Run, open_run
from socscope.record.counts import empty_profile
from socscope.record.manifest import ImageFacts, Manifest, PlatformFacts, Stop, Timing, Totals
from socscope.record.write import write
from socscope.report import study_page
from socscope.study.find import find
from socscope.study.rule30 import engine, linux, outputs
from socscope.study.rule30.crossover import Point, crossings, sampled
from socscope.study.rule30.measures import Measured, Times
from socscope.study.rule30.parameters import CACHES, LATENCIES_NS, Caches, Rule30Parameters, space
from socscope.study.rule30.study import Rule30
from socscope.study.study import Result

SAID = """mode hw length 96 packets 2 lines 3 rule 30 seed 1
line_ns: min 10 mean 20 max 30 count 6
packet_ns: min 10 mean 20 max 30 count 2
total_ns: 5000 user 1500 system 2500
checked: 3 lines
checksum: 738e1d52
ok
"""


def test_map_has_352_runs() -> None:
    whole = space(quick=False)["map"]
    assert len(whole) == len(set(whole)) == 352
    assert {point.length_bits for point in whole} == set(range(8, 257, 8))
    assert {point.latency_ns for point in whole if point.hardware} == set(LATENCIES_NS)
    assert {point.latency_ns for point in whole if not point.hardware} == {0}
    assert {(point.packets, point.lines) for point in whole} == {(1000, 99)}


def test_coarse_map_reaches_1020_bits_in_all_modes_of_the_question() -> None:
    coarse = space(quick=False)["coarse"]
    lengths = sorted({point.length_bits for point in coarse})
    assert (len(lengths), lengths[:3], lengths[-2:]) == (35, [10, 40, 70], [1000, 1020])
    assert {point.mode for point in coarse} == {"char", "bit", "hw", "hwo", "hw-mmap"}
    assert len(coarse) == 5 * 35


def test_quick_form_is_a_small_one() -> None:
    points = {point for part in space(quick=True).values() for point in part}
    assert len(points) < 20
    assert {point.packets * point.lines for point in points} == {18}


def test_study_is_found_by_its_name() -> None:
    study = find("rule30")
    assert study.title == "An accelerator under Linux"
    assert all(path.is_file() for path in study.sources())


def test_a_crossing_lies_anywhere_between_two_lengths_that_were_run() -> None:
    points = [Point(8, 10, 40), Point(16, 20, 40), Point(24, 50, 40), Point(32, 60, 40)]
    (one,) = crossings(points)
    assert (one.low, one.high, one.b_wins) == (16, 24, True)
    assert one.x == pytest.approx(16 + 8 * 20 / 30)


def test_lengths_at_which_errors_decide_nothing_widen_a_crossing() -> None:
    (one,) = crossings(
        [Point(8, 10, 40, 1, 0), Point(16, 39, 40, 1, 0), Point(24, 41, 40, 1, 0), Point(32, 60, 40)]
    )
    assert (one.low, one.high, one.b_wins) == (8, 32, True)
    (open_end,) = crossings([Point(8, 10, 40), Point(16, 41, 40, 1, 0)])
    assert (open_end.low, open_end.high, open_end.b_wins) == (8, 16, None)
    noise = [Point(8, 10, 40), Point(16, 41, 40, 5, 0), Point(24, 39, 40, 5, 0), Point(32, 10, 40)]
    (undecided,) = crossings(noise)
    assert (undecided.low, undecided.high, undecided.b_wins) == (8, 32, None)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=20, max_size=60),
    st.integers(2, 9),
)
def test_what_was_not_sampled_lies_in_the_intervals_or_comes_in_pairs(
    times: list[tuple[int, int]], step: int
) -> None:
    every = [Point(x, a, b) for x, (a, b) in enumerate(times)]
    coarse = every[::step]
    found = crossings(coarse)
    for one in found:
        inside = [each for each in crossings(every) if one.low <= each.low and each.high <= one.high]
        # An odd number of changes leads from one side to the other.
        assert len(inside) % 2 == 1
        assert one.low <= one.x <= one.high
    assert "can hold further crossings" in sampled(coarse, "lengths")


def test_lines_that_cross_never_or_often() -> None:
    assert crossings([Point(1, 1, 2), Point(2, 1, 2)]) == []
    assert crossings([]) == []
    often = crossings([Point(1, 1, 2), Point(2, 2, 1), Point(3, 1, 2)])
    assert [one.b_wins for one in often] == [True, False]


def test_times_of_equal_pieces() -> None:
    times = Times.of([1000, 2000, 6000])
    assert (times.count, times.min_ns, times.mean_ns, times.max_ns) == (3, 1.0, 3.0, 6.0)
    assert times.jitter == 2.0
    assert times.error_ns == pytest.approx((7000 / 3 / 1000) ** 0.5 / 1 * 1.0, rel=1)


def test_what_the_program_prints_is_read() -> None:
    assert linux.results(SAID) == {
        "checksum": "738e1d52",
        "lines_checked": 3,
        "guest_total_ns": 5000,
        "user_ns": 1500,
        "system_ns": 2500,
    }
    for missing in ("ok\n", "checksum: 738e1d52\n"):
        with pytest.raises(StudyError, match=r"^the guest's program did not end well:\nmode hw"):
            linux.results(SAID.replace(missing, ""))


def test_a_run_may_take_its_time_but_not_for_ever() -> None:
    few = linux.run_within(Rule30Parameters(length_bits=8, packets=1, lines=1))
    assert few == f"{5_000_000 + 208}us"
    slow = Rule30Parameters(length_bits=1000, latency_ns=10_000, packets=1, lines=1000, caches="16k-100")
    assert linux.run_within(slow) == f"{5_000_000 + 1000 * (10 * 1200 + 20)}us"


class Said:
    """A guest that has answered."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    def run(self, _line: str, _within: str | None = None) -> str:
        return self.answers.pop(0)


def test_a_command_that_does_not_end_well_is_told_with_what_it_said() -> None:
    assert linux.command(Said("one\ntwo\nstatus 0"), "ls") == "one\ntwo"  # type: ignore[arg-type]
    with pytest.raises(StudyError, match=r"^the guest's 'ls' ended with status 2:\nno such file$"):
        linux.command(Said("no such file\nstatus 2"), "ls")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match=r"^the guest's 'exit' took the shell with it:\nBusyBox v1 status$"):
        linux.command(Said("BusyBox v1 status"), "exit")  # type: ignore[arg-type]
    told = "ended with status 8:\ninvalid module format\nThe kernel's last messages:\nversion magic '5'$"
    with pytest.raises(StudyError, match=told):
        linux.load(Said("invalid module format\nstatus 8", "version magic '5'"), "/mnt/a.ko", 0)  # type: ignore[arg-type]


def made(folder: Path, parameters: Rule30Parameters) -> Measured:
    """A record as a run leaves it: software takes 10 ns a bit, hardware 1 us or 200 ns and its latency."""
    line_ps = {
        "bit": 10_000 * parameters.length_bits,
        "hw": 1_000_000 + 1000 * parameters.latency_ns,
        "hw-mmap": 200_000 + 1000 * parameters.latency_ns,
    }.get(parameters.mode, 500_000)
    marks: list[tuple[int, int, int]] = [(1, 0, 0)]
    now = 0
    for packet in range(parameters.packets):
        marks.append((5, packet, now))
        for line in range(parameters.lines):
            # The lines of a batch have no times of their own.
            alone = parameters.mode not in ("hw-batch", "hw-dma")
            marks += [(3, line, now)] if alone else []
            now += line_ps + (1000 if line == 1 else 0)
            marks += [(4, line, now)] if alone else []
        marks.append((6, packet, now))
    marks.append((2, 0, now))
    profile = empty_profile()
    profile["marks"] = {
        "number": [number for number, _, _ in marks],
        "argument": [argument for _, argument, _ in marks],
        "core": [0] * len(marks),
        "cycle": [time // 740 for _, _, time in marks],
        "time_ps": [time for _, _, time in marks],
        "source": ["magic"] * len(marks),
        "name": [""] * len(marks),
    }
    facts = {"user_ns": 300, "system_ns": 700, "executed_cycles": 10_000}
    tables: dict[str, pa.Table] = _tables(profile)
    manifest = Manifest(
        socscope="0.1.0",
        platform=PlatformFacts(name="mpc8641d", dtb_sha256="0" * 64),
        image=ImageFacts(name="vmlinux", sha256="0" * 64),
        command=["study", "rule30"],
        profiled=False,
        window="all",
        layer_names=[],
        stop=Stop(kind="output", detail="the awaited output came", cycle=2000, time_ps=now),
        state_hash="1" * 64,
        timing=Timing(model="fixed", validated_against="-", known_error="-", leaves_out="caches"),
        totals=Totals(),
        parameters={**parameters.values(), **facts},
    )
    name = "-".join(str(value) for value in parameters.values().values())
    write(folder / name, manifest, tables)
    return Measured(parameters, open_run(folder / name))


def _tables(profile: dict[str, dict[str, list[object]]]) -> dict[str, pa.Table]:
    from socscope.record.tables import TABLES  # noqa: PLC0415

    # The first span begins before the run, the last ends after it: 1000 cycles of each core lie within.
    last = profile["marks"]["cycle"][-1]
    assert isinstance(last, int)
    bounds = [(-50, 500), (500, 800), (800, 950), (950, 1000), (0, 1000)]
    ends = [(start * last // 1000, end * last // 1000) for start, end in bounds]
    spans = {
        "core": [0, 0, 0, 0, 1],
        "start_cycle": [start for start, _ in ends],
        "end_cycle": [end for _, end in ends[:4]] + [2 * last],
        "start_ps": [0] * 5,
        "end_ps": [0] * 5,
        "pid": [70, 70, 0, 5, 0],
        "tgid": [70, 70, 0, 5, 0],
        "task": ["rule30", "rule30", "swapper/0", "kworker", "swapper/1"],
        "state": ["user", "kernel", "interrupt", "kernel", "idle"],
        "detail": [""] * 5,
        "number": [-1] * 5,
    }
    return {
        "marks": pa.table(profile["marks"], schema=TABLES["marks"].schema),
        "task_spans": pa.table(spans, schema=TABLES["task_spans"].schema),
    }


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Result[Rule30Parameters]]]:
    """All runs of a small study."""
    folder = tmp_path_factory.mktemp("runs")
    known: dict[Rule30Parameters, Run] = {}
    parts = space(quick=False)
    found: dict[str, list[Result[Rule30Parameters]]] = {}
    for name, points in parts.items():
        wanted = [
            one.but(packets=2, lines=3) for one in points if one.length_bits % 3 in (0, 1) or name != "map"
        ]
        for one in wanted:
            if one not in known:
                known[one] = made(folder, one).run
        found[name] = [Result(one, known[one]) for one in wanted]
    return found


def sheet_rows(results: dict[str, list[Result[Rule30Parameters]]], name: str) -> Sequence[dict[str, object]]:
    (sheet,) = [sheet for sheet in Rule30().sheets(results) if sheet.name == name]
    return [dict(row) for row in sheet.rows]


def test_crossovers_are_where_the_times_are_equal(results: dict[str, list[Result[Rule30Parameters]]]) -> None:
    rows = {(row["mode"], row["latency_ns"]): row for row in sheet_rows(results, "crossovers")}
    # 1000 ns of the driver and 100 ns of latency are 110 bits of software at 10 ns.
    assert rows["hw", 100]["crossover_bits"] == pytest.approx(110, abs=0.5)
    assert rows["hw-mmap", 100]["crossover_bits"] == pytest.approx(30, abs=0.5)
    assert rows["hw", 10000]["faster"] == "hw never, at the lengths that were run"
    low, high = rows["hw", 100]["low_bits"], rows["hw", 100]["high_bits"]
    assert (low, high) == (96, 112)
    (sheet,) = [sheet for sheet in Rule30().sheets(results) if sheet.name == "crossovers"]
    assert (
        "21 lengths were run, from 16 to 256, up to 16 apart: what lies in between was not run" in sheet.text
    )


def test_break_even_is_the_latency_that_the_length_allows(
    results: dict[str, list[Result[Rule30Parameters]]],
) -> None:
    rows = {row["length_bits"]: row for row in sheet_rows(results, "break_even")}
    assert rows[256]["hw_ns"] == pytest.approx(1560, abs=5)
    assert (rows[256]["hw_low_ns"], rows[256]["hw_high_ns"]) == (1000, 10000)
    assert rows[16]["hw_says"] == "none"


def test_numbers_of_a_line_and_a_packet(results: dict[str, list[Result[Rule30Parameters]]]) -> None:
    row = next(row for row in sheet_rows(results, "map") if row["mode"] == "bit" and row["length_bits"] == 16)
    assert (row["line_ns_min"], row["line_ns_max"]) == (160.0, 161.0)
    assert row["packet_ns_mean"] == 481.0
    assert row["packet_ns_user"] == pytest.approx(481.0 * 0.3)
    assert row["latency_ns"] is None


def test_time_of_a_core_is_divided_without_a_rest(results: dict[str, list[Result[Rule30Parameters]]]) -> None:
    rows = [row for row in sheet_rows(results, "split") if row["mode"] == "hw"]
    assert {row["part"]: row["percent"] for row in rows if row["core"] == 0} == {
        "program, user": pytest.approx(50, abs=0.1),
        "program, kernel": pytest.approx(30, abs=0.1),
        "interrupts": pytest.approx(15, abs=0.1),
        "other tasks": pytest.approx(5, abs=0.1),
        "idle": 0.0,
    }
    assert sum(float(str(row["percent"])) for row in rows) == pytest.approx(200)


def test_caches_become_properties_of_both_cores() -> None:
    assert engine.cache_overrides("none") == []
    changed = engine.cache_overrides("16k-50")
    assert "/cpus/PowerPC,8641@1:socscope,memory-cycles=50" in changed
    assert "/cpus/PowerPC,8641@0:d-cache-size=16384" in changed


def test_marks_that_do_not_pair_are_refused(tmp_path: Path) -> None:
    one = made(tmp_path, Rule30Parameters(packets=1, lines=2))
    table = one.run.table("marks")
    one.run._tables["marks"] = table.slice(0, table.num_rows - 2)
    assert one.line.count == 2
    with pytest.raises(StudyError, match=r"1 marks 5 and 0 marks 6 do not pair$"):
        _ = one.packet


def test_report_is_drawn_by_a_browser(
    results: dict[str, list[Result[Rule30Parameters]]], tmp_path: Path, browser: Browser
) -> None:
    study = Rule30()
    sheets = study.sheets(results)
    assert [sheet.name for sheet in sheets][:3] == ["crossovers", "map", "coarse"]
    assert {outputs.designs.__name__, "caches", "split", "host"} <= {sheet.name for sheet in sheets}
    runs = [one.run for one in results["map"]]
    text = study_page.render(study.title, study.paragraphs, sheets, runs)
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.loads == []
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", text)
    path = tmp_path / "report.html"
    path.write_text(text)
    with reader(browser, path) as page:
        assert page.locator("h1").inner_text() == study.title
        assert page.locator("figure svg").count() == sum(len(sheet.pictures) for sheet in sheets)
        for sheet in sheets:
            assert page.locator(f"#{sheet.name}").count() == 1
        field = page.locator("#map ~ figure").nth(2).locator("path[aria-roledescription='rect mark']")
        assert field.count() > 100
        page.locator("#map ~ details summary").first.click()
        assert page.locator("#map ~ details table").first.is_visible()
        page.get_by_role("link", name="1. When is the accelerator").first.click()
        assert page.url.endswith("#crossovers")


def test_result_table_does_not_depend_on_the_host(results: dict[str, list[Result[Rule30Parameters]]]) -> None:
    sheets = Rule30().sheets(results)
    again = Rule30().sheets(results)
    assert [sheet.csv() for sheet in sheets] == [sheet.csv() for sheet in again]


@pytest.mark.parametrize("caches", CACHES)
def test_the_machine_has_the_caches_of_each_configuration(caches: Caches) -> None:
    simulation = Rule30().machine(Rule30Parameters(caches=caches))
    assert simulation.overrides == engine.cache_overrides(caches)
