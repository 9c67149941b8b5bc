"""Marks at addresses and of devices: in records, forks and replays, the same in both engines."""

from pathlib import Path
from typing import Any

import pytest
from socscope.cli import app
from socscope.errors import OptionError, SocscopeError
from socscope.record import open_run
from socscope.record.marks import with_magic
from socscope.replay import verify
from socscope.replay.again import replay
from socscope.report.timeline import tracks
from socscope.simulation import Engine, Simulation
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
SYSTEM = ROOT / "build/guests/at91eb40a-arm/system.elf"
ENGINES: list[Engine] = ["interpreted", "translated"]


def simulation(engine: Engine = "translated", *, profile: bool = False) -> Simulation:
    return Simulation("at91eb40a", SYSTEM, engine=engine, profile=profile)


def marks(subject: Simulation) -> list[dict[str, Any]]:
    return subject.counts().tables["marks"].to_pylist()


def marked(subject: Simulation, length: str = "30ms") -> Simulation:
    """The places that are marked in these tests, and a run."""
    assert subject.mark_at("scheduler_insert") == 256
    assert subject.mark_at("rtos_interrupt_dispatch", 7) == 7
    assert subject.mark_on("usart0:US_THR:write") == 257
    assert subject.mark_on("aic:interrupt") == 258
    assert subject.mark_on("aic:AIC_EOICR") == 259
    subject.run(length)
    return subject


def test_both_engines_and_runs_in_pieces_set_the_same_marks() -> None:
    found = marks(marked(simulation("interpreted")))
    whole = marked(simulation())
    assert marks(whole) == found
    pieces = marked(simulation(), "1ms")
    for _ in range(29):
        pieces.run("1ms")
    assert marks(pieces) == found
    plain = simulation()
    plain.run("30ms")
    assert whole.machine.state_hash() == plain.machine.state_hash()


def test_marks_are_what_the_profile_counts() -> None:
    subject = marked(simulation(profile=True))
    counts = subject.counts().tables
    rows = counts["marks"].to_pylist()
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    assert [row["cycle"] for row in rows] == sorted(row["cycle"] for row in rows)
    calls = [row for row in counts["nodes"].to_pylist() if row["entry"] == "call"]
    assert calls
    ended = sum(row["count"] for row in counts["io"].to_pylist() if row["register"] == "AIC_EOICR")
    assert len(by_name["aic:AIC_EOICR"]) == ended > 0
    dispatched = by_name["rtos_interrupt_dispatch"]
    assert {(row["source"], row["number"], row["core"]) for row in dispatched} == {("address", 7, 0)}
    taken = sum(row["count"] for row in counts["interrupts"].to_pylist())
    assert len(dispatched) == taken > 0
    raised = by_name["aic:interrupt"]
    assert {(row["source"], row["core"]) for row in raised} == {("device", -1)}
    # A task's control block lies in memory.
    assert all(row["argument"] for row in by_name["scheduler_insert"])


def test_forks_go_on_with_marks_and_records_are_run_again(tmp_path: Path) -> None:
    subject = simulation()
    subject.run("10ms")
    first = marked(subject, "10ms")
    fork = first.fork()
    for one in (first, fork):
        one.run("10ms")
    assert marks(first) == marks(fork)
    assert min(row["time_ps"] for row in marks(fork)) >= 10_000_000_000
    fork.record(tmp_path / "run")
    run = open_run(tmp_path / "run")
    points = run.manifest.rerun.marks if run.manifest.rerun else []
    assert [(one.source, one.place, one.number) for one in points] == [
        ("address", "scheduler_insert", 256),
        ("address", "rtos_interrupt_dispatch", 7),
        ("device", "usart0:US_THR:write", 257),
        ("device", "aic:interrupt", 258),
        ("device", "aic:AIC_EOICR", 259),
    ]
    for engine in ENGINES:
        assert replay(run, engine=engine).differences() == []
    assert [check.name for check in verify(run) if not check.same] == []
    labels = [label for track in tracks(run) if track.name == "marks" for label in track.labels]
    assert any(label.startswith("mark scheduler_insert, argument ") for label in labels)


def test_both_kinds_of_marks_stand_in_one_table_by_their_cycles() -> None:
    magic = {"number": [1, 2], "argument": [5, 6], "core": [0, 1], "cycle": [10, 30], "time_ps": [100, 300]}
    one = {"number": [256, 7], "argument": [8, 9], "core": [0, -1], "cycle": [30, 20], "time_ps": [300, 200]}
    set_besides = {**one, "source": ["address", "device"], "name": ["main", "aic:interrupt"]}
    assert with_magic(magic, set_besides) == {
        "number": [1, 7, 2, 256],
        "argument": [5, 9, 6, 8],
        "core": [0, -1, 1, 0],
        "cycle": [10, 20, 30, 30],
        "time_ps": [100, 200, 300, 300],
        "source": ["magic", "device", "magic", "address"],
        "name": ["", "aic:interrupt", "", "main"],
    }
    assert with_magic(magic, None) == {**magic, "source": ["magic"] * 2, "name": [""] * 2}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("aic", "aic: no event: write DEVICE:REGISTER, "),
        ("aic::read", "aic::read: no event: write DEVICE:REGISTER, "),
        ("uart:THR", "uart:THR: no device uart: there are "),
        ("usart0:THR", "usart0:THR: usart0 has no register THR: it has US_CR, "),
        (
            "usart0:US_THR:execute",
            "usart0:US_THR:execute: execute is no access: write read, write or nothing",
        ),
        ("usart0:interrupt", "usart0:interrupt: usart0 is no interrupt controller: no line leads to it"),
        ("aic:interrupt:bell", "has no interrupt bell: give its number, or the name of an input"),
    ],
)
def test_events_that_cannot_be(event: str, message: str) -> None:
    with pytest.raises(SocscopeError) as error:
        simulation().mark_on(event)
    assert message in str(error.value)


def test_what_marks_do_not_go_with() -> None:
    subject = simulation()
    with pytest.raises(SocscopeError, match="nowhere"):
        subject.mark_at("nowhere")
    with pytest.raises(OptionError, match="init_main: marks have numbers from 0 to 4294967295, not -1"):
        subject.mark_at("init_main", -1)
    assert subject.mark_points == ()
    history = subject.history()
    subject.mark_at("init_main")
    subject.run("2ms")
    with pytest.raises(OptionError, match="a debugger can go back in time"):
        subject.debug(limit="1ms")
    history.goto("1ms")
    with pytest.raises(OptionError, match="the counts are those of the present"):
        subject.counts()


def test_marks_of_a_command(tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = ["run", "at91eb40a", str(SYSTEM), "--for", "30ms", "--serial", "usart0=null", "--out", str(out)]
    more = ["--mark-at", "7=init_main", "--mark-at", "scheduler_insert", "--mark-on", "9=aic:interrupt:tc0"]
    said = CliRunner().invoke(app, [*options, *more])
    assert said.exit_code == 0, said.output
    query = "SELECT source, name, number, count(*) AS marks FROM marks GROUP BY ALL ORDER BY number"
    rows = open_run(out).query(query).to_pylist()
    assert [(row["source"], row["name"], row["number"]) for row in rows] == [
        ("address", "init_main", 7),
        ("device", "aic:interrupt:tc0", 9),
        ("address", "scheduler_insert", 256),
    ]
    assert rows[0]["marks"] == 1
    gdb = CliRunner().invoke(app, [*options[:-2], "--gdb", "0", "--mark-at", "init_main"])
    assert gdb.exit_code == 2
    assert "set breakpoints instead" in gdb.output
