"""Response times: as the textbooks have them, as a simulation finds them, and with prices from sheets."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import sheets as made
from hypothesis import given, settings
from hypothesis import strategies as st
from socscope import sheet as files
from socscope.estimate.response import Job, responses

DEADLINE_MISSED = 5


def jobs(*rows: tuple[int, int], blocking: int = 0) -> list[Job]:
    """Periods and costs, the most urgent first."""
    return [
        Job(f"t{n}", Fraction(period), Fraction(period), Fraction(cost), -n, blocking=Fraction(blocking))
        for n, (period, cost) in enumerate(rows)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "worst"),
    [
        # A. Burns and A. Wellings, Real-Time Systems and Programming Languages, response time analysis.
        ([(7, 3), (12, 3), (20, 5)], [3, 6, 20]),
        # The same book: the whole processor is asked for, and every deadline still holds.
        ([(20, 5), (40, 10), (80, 40)], [5, 15, 80]),
        # J. Lehoczky, 1990: of seven jobs (114, 102, 116, 104, 118, 106, 94) the fifth is the worst.
        ([(70, 26), (100, 62)], [26, 118]),
    ],
)  # fmt: skip
def test_textbook_examples(rows: list[tuple[int, int]], worst: list[int]) -> None:
    assert [one.worst for one in responses(jobs(*rows))] == worst


def test_the_worst_job_need_not_be_the_first() -> None:
    found = responses(jobs((70, 26), (100, 62)))[1]
    assert found.instance == 4
    assert not found.holds
    assert found.slack == -18


def test_blocking_and_jitter() -> None:
    # The first's jitter brings its second release into the second's window.
    first = Job("a", Fraction(10), Fraction(10), Fraction(3), 2, jitter=Fraction(4), blocking=Fraction(2))
    second = Job("b", Fraction(30), Fraction(30), Fraction(4), 1, jitter=Fraction(1))
    found = responses([first, second])
    assert found[0].worst == 4 + 3 + 2
    assert found[1].worst == 1 + 4 + 2 * 3
    assert found[1].delays == (("a", Fraction(6)),)


def test_equal_priorities_delay_each_other() -> None:
    one, other = (Job(name, Fraction(10), Fraction(10), Fraction(3), 1) for name in "ab")
    assert [found.worst for found in responses([one, other])] == [6, 6]


def test_too_much_has_no_bound() -> None:
    found = responses(jobs((10, 6), (20, 9)))
    assert (found[0].worst, found[1].worst) == (Fraction(6), None)
    assert found[1].load == Fraction(21, 20)
    assert not found[1].holds
    assert found[1].slack is None


def longest(all_: list[Job], of: int, count: int) -> Fraction:
    """The longest response among so many jobs of one, which the recurrence gives for each of them."""
    job, worst = all_[of], Fraction(0)
    for number in range(count):
        window = Fraction(0)
        while True:
            delays = sum(-(-(window + o.jitter) // o.period) * o.cost for o in all_[:of])
            needed = (number + 1) * job.cost + job.blocking + delays
            if needed == window:
                break
            window = needed
        worst = max(worst, job.jitter + window - number * job.period)
    return worst


def test_all_of_the_processor_and_what_holds_a_job_up_once() -> None:
    """What is lost once is never made good, but no job waits longer for it than once."""
    found = responses(jobs((2, 1), (4, 2), blocking=1))[1]
    assert (found.worst, found.load, found.undecided) == (Fraction(6), Fraction(1), False)
    late = responses([replace(one, deadline=Fraction(6)) for one in jobs((2, 1), (4, 2), blocking=1)])
    assert [one.holds for one in late] == [True, True]
    assert not responses(
        [replace(one, deadline=Fraction(59, 10)) for one in jobs((2, 1), (4, 2), blocking=1)]
    )[1].holds


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=2),
    st.fractions(0, 3, max_denominator=4),
    st.fractions(0, 3, max_denominator=4),
)
@settings(max_examples=40, deadline=None)
def test_utilisation_of_exactly_one_is_bounded_as_the_recurrence_has_it(
    costs: list[int], blocking: Fraction, jitter: Fraction
) -> None:
    urgent = [
        Job(f"t{n}", Fraction(6 + 4 * n), Fraction(99), Fraction(c), -n, jitter) for n, c in enumerate(costs)
    ]
    left = 1 - sum((one.utilisation for one in urgent), Fraction(0))
    if left <= 0:
        return
    last = Job("last", Fraction(15), Fraction(99), 15 * left, -9, jitter, blocking)
    found = responses([*urgent, last])[-1]
    assert found.load == 1
    # Two hyperperiods and more say nothing else than the first.
    assert found.worst == longest([*urgent, last], len(urgent), 9)


def test_what_was_not_decided_is_no_miss() -> None:
    first = Job("a", Fraction(1_000_003), Fraction(9), Fraction(1), 2)
    second = Job("b", Fraction(7), Fraction(99), 7 - Fraction(7, 1_000_003), 1, blocking=Fraction(1))
    found = responses([first, second])[1]
    assert found.load == 1
    assert (found.worst, found.undecided, found.holds) == (None, True, False)


def simulated(rows: list[tuple[int, int]]) -> list[int]:
    """The longest response of each in a run from a common release, one time unit after the other."""
    worst = [0] * len(rows)
    queues: list[list[list[int]]] = [[] for _ in rows]
    now = 0
    while now == 0 or any(queues):
        for queue, (period, cost) in zip(queues, rows, strict=True):
            if now % period == 0:
                queue.append([now, cost])
        number = next(n for n, queue in enumerate(queues) if queue)
        now += 1
        queues[number][0][1] -= 1
        if queues[number][0][1] == 0:
            worst[number] = max(worst[number], now - queues[number].pop(0)[0])
    return worst


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(3, 14), st.integers(1, 6)), min_size=1, max_size=4))
def test_the_response_is_what_a_simulation_finds(rows: list[tuple[int, int]]) -> None:
    """The worst case of synchronous releases lies in the first busy period (of the least urgent, for all)."""
    if sum(Fraction(cost, period) for period, cost in rows) >= 1:
        return
    found = responses(jobs(*rows))
    for number in range(len(rows)):
        assert found[number].worst == simulated(rows[: number + 1])[number]


@given(st.lists(st.tuples(st.integers(3, 14), st.integers(1, 6)), min_size=2, max_size=3), st.integers(2, 9))
def test_the_unit_does_not_matter(rows: list[tuple[int, int]], factor: int) -> None:
    def scaled(by: Fraction) -> list[Fraction | None]:
        made_ = [Job(f"{n}", p * by, p * by, c * by, -n) for n, (p, c) in enumerate(rows)]
        return [one.worst for one in responses(made_)]

    whole, parts = scaled(Fraction(1)), scaled(Fraction(1, factor))
    assert [None if one is None else one / factor for one in whole] == parts


SYSTEM = """
more_urgent = "smaller"
[switch]
calls = [{service = "switch"}]
[tick]
period = "100us"
calls = [{service = "tick", with = {T = 2}}]
[[interrupt]]
name = "uart"
period = "200us"
own = "5us"
[[task]]
name = "slow"
priority = 7
period = "1ms"
own = "100us"
calls = [{service = "send", count = 3}]
[[task]]
name = "fast"
priority = 1
period = "500us"
deadline = "100us"
own = "20us"
blocking = "4us"
"""


def kernel(name: str = "k") -> dict[str, object]:
    """A kernel that locks its scheduler, in one service, on a path that is not the dearest."""
    send = made.service("send", made.part("1", made.count("text", "access", 1000)))
    locked = made.part("1", made.count("text", "access", 600), blocking="scheduler")
    send["paths"].append({"name": "locked", "parts": [locked]})
    masked = made.part("1", made.count("text", "access", "100*T"), blocking="interrupts")
    switch = made.part("1", made.count("text", "access", 200), blocking="interrupts")
    services = (send, made.service("tick", masked, names="T"), made.service("switch", switch))
    found: dict[str, object] = json.loads(files.file.text(made.sheet(*services, name=name)))
    return found


def arguments(folder: Path, system: str = SYSTEM) -> list[str | Path]:
    (folder / "tasks.toml").write_text(system)
    (folder / "k.sheet.json").write_text(json.dumps(kernel()))
    (folder / "p.toml").write_text("[memory.m]\naccess_ns = 10\n")
    (folder / "m.toml").write_text('[map]\n"*" = "m"\n')
    return [
        "schedulability", folder / "tasks.toml", "--sheet", folder / "k.sheet.json",
        "--platform", folder / "p.toml", "--mapping", folder / "m.toml",
    ]  # fmt: skip


def test_costs_and_blocking_come_from_the_sheet(tmp_path: Path) -> None:
    said, _ = made.typed(*arguments(tmp_path), "--json")
    answer = json.loads(said)
    tasks = {one["name"]: one for one in answer["tasks"]}
    assert list(tasks) == ["tick", "uart", "fast", "slow"]
    # The switch masks interrupts for 2 us; each interrupt may wait for the other, too.
    assert tasks["tick"]["response_ns"] == 2_000 + 2_000 + 5_000
    # Two switches; "slow" locks the scheduler for 6 us; 4 us for a resource; one tick and one uart.
    assert tasks["fast"]["switches_ns"] == 4_000
    assert tasks["fast"]["blocking_ns"] == 6_000 + 4_000
    assert tasks["fast"]["response_ns"] == 20_000 + 4_000 + 10_000 + 2_000 + 5_000
    assert tasks["slow"]["services_ns"] == 30_000
    own = 100_000 + 30_000 + 4_000
    assert tasks["slow"]["response_ns"] == own + 24_000 + 2 * 2_000 + 1 * 5_000
    assert tasks["slow"]["holds"]
    assert answer["schedulable"]
    assert answer["utilisation"] == pytest.approx(0.02 + 0.025 + 24 / 500 + 0.134)


def test_a_missed_deadline_is_said_and_ends_with_its_status(tmp_path: Path) -> None:
    system = SYSTEM.replace('own = "20us"', 'own = "90us"')
    said, _ = made.typed(*arguments(tmp_path, system), status=DEADLINE_MISSED)
    assert "MISSES by 13" in said
    assert "missed: fast" in said
    busy = SYSTEM.replace('own = "100us"', 'own = "999us"')
    said, _ = made.typed(*arguments(tmp_path, busy), status=DEADLINE_MISSED)
    assert "no bound" in said
    assert "MISSES: with all that may delay it 112.6 % are asked for" in said


def test_the_responses_are_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "r.svg"
    said, _ = made.typed(*arguments(tmp_path), "--picture", picture)
    assert "every deadline is held" in said
    assert "more urgent tasks" in picture.read_text()
    _, messages = made.typed(*arguments(tmp_path), "--picture", tmp_path / "r.png", status=1)
    assert "pictures are SVG; name it r.svg" in messages


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('period = "1ms"', 'period = "1"', "tasks.toml: task / slow / period: '1': not a duration"),
        ('period = "1ms"', "period = 3", "task / slow / period: 3 has no unit; write for instance '20us'"),
        ('period = "1ms"', 'period = "0ms"', "slow: the period is 0"),
        ('own = "100us"', 'own = "-1us"', "task / slow / own: '-1us': not a duration"),
        ('more_urgent = "smaller"', "", "more_urgent: Field required"),
        ('name = "slow"', 'name = "fast"', "fast: there are two of this name"),
        ("priority = 7", "", "task / slow / priority: Field required"),
        ("priority = 7", "priority = 7\nprioriti = 7", "slow / prioriti: is not known here; did you mean"),
        ("[switch]", "[swich]\nown = '1us'\n[switch]", "swich: is not known here; did you mean switch?"),
        ('service = "send"', 'service = "sned"', "slow: sned: the sheet of k has no such service"),
        ('service = "send"', 'service = "send", kernel = "q"', "slow: there is no sheet of q; there are k"),
        ("with = {T = 2}", "with = {}", "tick: service tick, path worst: the parameter T has no value; it"),
        ("with = {T = 2}", "with = {}", "): give with = {T = ...} in the call"),
        ("with = {T = 2}", "with = {N = 2}", "tick: N: no chosen service has this parameter; there are T"),
        ("[switch]", "[switch", "tasks.toml: not TOML"),
    ],
)  # fmt: skip
def test_task_sets_that_do_not_fit_are_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    _, messages = made.typed(*arguments(tmp_path, SYSTEM.replace(old, new)), status=1)
    assert said in messages


def test_a_service_of_two_kernels_needs_the_kernel(tmp_path: Path) -> None:
    more = arguments(tmp_path)
    (tmp_path / "other.sheet.json").write_text(json.dumps(kernel("other")))
    _, messages = made.typed(*more, "--sheet", tmp_path / "other.sheet.json", status=1)
    assert "send stands in several sheets (k, other); add kernel = ..." in messages
    (tmp_path / "other.sheet.json").write_text(json.dumps(kernel("k")))
    _, messages = made.typed(*more, "--sheet", tmp_path / "other.sheet.json", status=1)
    assert "send stands in several sheets (k, k); give one of them, or rename a kernel" in messages


def test_the_example_holds() -> None:
    said, _ = made.typed(
        "schedulability", made.EXAMPLE / "tasks.toml", "--sheet", made.SHEET, "--platform", made.SDRAM,
        "--mapping", made.SECTIONS, "--json",
    )  # fmt: skip
    control = json.loads(said)["tasks"][1]
    # The sensor's interrupt, and CreateThread's masked interrupts in a less urgent task.
    assert control["response_ns"] == 300_000 + 20_000 + 54_044
