"""Studies in files of their own: one boot, many forks, a store, and all that can go wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from socscope.errors import QueryError, StudyError
from socscope.study import cluster, pool
from socscope.study.carry_out import Results, carry_out
from socscope.study.store import Store

SOCSCOPE = str(Path(sys.executable).with_name("socscope"))
LOOP_C = """
volatile int rounds = 5;
void __attribute__((noinline)) ready(void) { __asm__ volatile(""); }
void __attribute__((noinline)) finish(void) { __asm__ volatile(""); }
void _start(void) {
    ready();
    for (int n = 0; n < rounds; n++) __asm__ volatile("orr r1, r1, r1");
    finish();
    for (;;) __asm__ volatile("");
}
"""
STUDY = '''
import os, time
from pathlib import Path
from socscope.errors import StudyError
from socscope.simulation import Simulation
from socscope.study import ForkedStudy, Parameters

HERE = Path(__file__).parent

class Rounds(Parameters):
    rounds: int = 5
    clock_hz: int = 40_000_000
    what: str = ""

class Loop(ForkedStudy[Rounds]):
    """How long does a loop take?

    The number of rounds is poked into memory.
    """

    parameters = Rounds
    machine_parameters = frozenset({"clock_hz"})

    def space(self, *, quick):
        points = [Rounds(rounds=rounds) for rounds in (1, 10, 100, 1000)]
        return {"short": points[:2], "long": points[2:]} if not quick else {"short": points[:1]}

    def machine(self, parameters):
        clock = [f"/clock:clock-frequency={parameters.clock_hz}"]
        return Simulation("at91x40", HERE / "loop.elf", overrides=clock, profile=True)

    def boot(self, simulation, parameters):
        with (HERE / "boots").open("a") as log:
            log.write("boot\\n")
        simulation.run("1s", until_symbol="ready")

    def measure(self, simulation, parameters):
        if parameters.what == "dies once" and not (HERE / "died").exists():
            (HERE / "died").touch()
            os.kill(os.getpid(), 9)
        if parameters.what.startswith("sleeps"):
            (HERE / f"at-{parameters.rounds}").write_text(str(os.getpid()))
            time.sleep(60 if not (HERE / "go").exists() else 0)
        if parameters.what == "bug":
            return {"x": 1 // 0}
        if parameters.what == "full":
            raise OSError(28, os.strerror(28), "/results")
        if parameters.what == "fails" and parameters.rounds == 1:
            raise StudyError("the loop went away")
        rounds = simulation.image.address_of("rounds")
        simulation.machine.poke(rounds, parameters.rounds.to_bytes(4, "little"))
        begin = simulation.machine.cycle
        simulation.run("1s", until_symbol="finish")
        return {"loop_cycles": simulation.machine.cycle - begin}
'''


@pytest.fixture
def study(tmp_path: Path) -> str:
    """A study in a file of its own."""
    (tmp_path / "loop.c").write_text(LOOP_C)
    options = ["-mcpu=arm7tdmi", "-O1", "-g", "-nostdlib", "-Ttext=0x02000000"]
    subprocess.run(["arm-none-eabi-gcc", *options, "loop.c", "-o", "loop.elf"], cwd=tmp_path, check=True)
    (tmp_path / "loop_study.py").write_text(STUDY)
    return str(tmp_path / "loop_study.py")


def done(study: str, jobs: int = 2, name: str = "results", *settings: str) -> Results:
    return carry_out(study, Path(study).parent / name, jobs=jobs, settings=settings)


def boots(study: str) -> int:
    return len((Path(study).parent / "boots").read_text().splitlines())


def test_study_boots_once_and_forks_for_each_run(study: str) -> None:
    results = done(study)
    assert boots(study) == 1
    assert [sheet.name for sheet in results.sheets] == ["short", "long"]
    found = [row["loop_cycles"] for sheet in results.sheets for row in sheet.rows]
    assert found == sorted(found)
    assert found[3] - found[2] == 10 * (found[2] - found[1])
    page = results.page.read_text()
    assert "<h1>How long does a loop take?</h1>" in page
    assert "<p>The number of rounds is poked into memory.</p>" in page


def test_results_depend_on_neither_jobs_nor_order(study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = done(study, 1, "one")
    second = done(study, 3, "three")
    assert first.sha256 == second.sha256
    assert [run.sha256 for run in first.runs] == [run.sha256 for run in second.runs]
    tables = [(Path(study).parent / name / "tables" / "long.csv").read_text() for name in ("one", "three")]
    assert tables[0] == tables[1]


def test_finished_runs_and_the_booted_state_are_kept(study: str) -> None:
    first = done(study)
    told: list[pool.Progress] = []
    again = carry_out(study, first.page.parent, jobs=1, on_progress=told.append)
    assert told[-1].kept == told[-1].total == 4
    assert again.sha256 == first.sha256
    done(study, 2, "results", "rounds=7")
    assert boots(study) == 1
    done(study, 2, "results", "rounds=7", "clock_hz=20000000")
    assert boots(study) == 2


def test_killed_worker_is_replaced_and_told_of(study: str) -> None:
    told: list[pool.Progress] = []
    folder = Path(study).parent / "results"
    results = carry_out(study, folder, jobs=2, settings=["what=dies once"], on_progress=told.append)
    assert len(results.runs) == 4
    [death] = [one for one in told if one.trouble]
    assert death.trouble == "its process died: SIGKILL; it is made again"
    assert death.last.startswith("rounds ")
    assert told[-1].done == 4


def test_killed_study_goes_on_where_it_was(study: str) -> None:
    folder = Path(study).parent
    (folder / "go").touch()
    whole = done(study, 1, "whole", "what=sleeps")
    (folder / "go").unlink()
    for seen in folder.glob("at-*"):
        seen.unlink()
    command = [
        SOCSCOPE,
        "study",
        study,
        "--out",
        str(folder / "r"),
        "--jobs=1",
    ]
    started = subprocess.Popen([*command, "--set", "what=sleeps"], stderr=subprocess.DEVNULL)
    while not (places := list(folder.glob("at-*"))) or not places[0].read_text():
        assert started.poll() is None
        time.sleep(0.05)
    worker = int(places[0].read_text())
    started.send_signal(signal.SIGKILL)
    started.wait()
    # Nobody is left behind: the worker notices that its study is gone.
    for _ in range(200):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            break
        if "zombie" in Path(f"/proc/{worker}/status").read_text():
            break
        time.sleep(0.05)
    else:
        pytest.fail("the worker lives on")
    (folder / "go").touch()
    assert done(study, 2, "r", "what=sleeps").sha256 == whole.sha256


def test_two_studies_do_not_share_a_folder(study: str, tmp_path: Path) -> None:
    with (
        pool.alone(tmp_path / "results"),
        pytest.raises(StudyError, match="another study works in this folder; wait for its end"),
    ):
        done(study)


def test_failed_run_leaves_the_others_alone(study: str) -> None:
    with pytest.raises(
        StudyError, match=r"^1 of 4 runs failed; the others are kept:\n.*: the loop went away$"
    ):
        done(study, 2, "results", "what=fails")
    assert len(Store.open(Path(study).parent / "results").runs) == 3


def test_bug_of_a_study_is_told_with_its_line(study: str) -> None:
    line = STUDY.splitlines().index('            return {"x": 1 // 0}') + 1
    with pytest.raises(StudyError, match=f"loop_study.py:{line}: ZeroDivisionError: integer division"):
        done(study, 2, "results", "what=bug", "rounds=1")


def test_full_disk_stops_the_study(study: str) -> None:
    with pytest.raises(
        StudyError, match=r"The disk is full\. All runs that were finished are kept: free some"
    ):
        done(study, 1, "results", "what=full")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def x(:\n", "{path}:1: invalid syntax"),
        ("\nimport nothing_there\n", "{path}:2: ModuleNotFoundError: No module named 'nothing_there'"),
        ("x = 1\n", "{path}: defines no study: derive a class from socscope.study.ForkedStudy"),
        (
            "from socscope.study import ForkedStudy\nclass Half(ForkedStudy):\n    pass\n",
            "{path}:2: the study Half lacks machine, measure, space",
        ),
        (
            STUDY + "class Second(Loop):\n    pass\n",
            "{path}: defines several studies, Loop, Second; give each a file of its own",
        ),
        (None, "{path}: no such file"),
    ],
)
def test_file_that_is_no_study(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(StudyError, match=f"^{re.escape(message.format(path=path))}$"):
        carry_out(str(path), tmp_path / "results")


def test_names_that_are_not_there(study: str, tmp_path: Path) -> None:
    with pytest.raises(
        StudyError, match=r"^study-x: no such study; there are serial-transfer.* my_study.py$"
    ):
        carry_out("study-x", tmp_path)
    with pytest.raises(StudyError, match=r"^--part x: no such part; the study has short, long$"):
        carry_out(study, tmp_path, only=["x"])


def test_store_answers_questions_over_all_runs(study: str) -> None:
    results = done(study)
    folder = results.page.parent
    store = Store.open(folder)
    rows = store.query(
        "SELECT rounds, count(*) AS marks FROM marks JOIN runs USING (run) "
        "WHERE number = 1 GROUP BY ALL ORDER BY 1"
    ).to_pylist()
    assert rows == [{"rounds": n, "marks": n} for n in (1, 10, 100, 1000)]
    (row,) = store.query("SELECT * FROM runs WHERE rounds = 100").to_pylist()
    run = next(run for run in results.runs if run.folder.name == row["run"])
    assert row["state_hash"] == run.manifest.state_hash
    assert row["record_sha256"] == run.sha256
    assert row["image_sha256"] == run.manifest.image.sha256
    assert row["host_seconds"] > 0
    with pytest.raises(QueryError, match=r"denied|disabled|Permission|Cannot access"):
        store.query("SELECT * FROM read_csv('/etc/passwd')")
    with duckdb.connect(folder / "results.duckdb", read_only=True) as database:
        assert database.sql("SELECT count(*), sum(loop_cycles) FROM long").fetchall()[0][0] == 2
        assert database.sql("SELECT count(*) FROM runs").fetchall() == [(4,)]


CLUSTER = """
import parsl
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider

config = parsl.Config(
    executors=[
        HighThroughputExecutor(
            label="here", address="127.0.0.1", max_workers_per_node=2, provider=LocalProvider(max_blocks=1)
        )
    ],
    run_dir={folder!r},
    usage_tracking=0,
)
"""


def test_cluster_gives_the_same_results(study: str, tmp_path: Path) -> None:
    (tmp_path / "cluster.py").write_text(CLUSTER.format(folder=str(tmp_path / "parsl")))
    command = [
        SOCSCOPE,
        "study",
        study,
        "--out",
        str(tmp_path / "there"),
    ]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(
        [*command, "--cluster", str(tmp_path / "cluster.py"), "--json"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert f'"sha256": "{done(study).sha256}"' in ran.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "{path}: no such file"),
        ("config = 1\n", "{path}: defines no `config`: write config = parsl.Config(executors=[...])"),
        ("config = ]\n", "{path}:1: unmatched ']'"),
        ("\nconfig = missing\n", "{path}:2: NameError: name 'missing' is not defined"),
    ],
)
def test_cluster_that_is_none(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "cluster.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(StudyError, match=f"^{re.escape(message.format(path=path))}$"), cluster.each(path):
        pass


def test_query_command_asks_all_runs(study: str, tmp_path: Path) -> None:
    results = done(study)
    command = [SOCSCOPE, "query", str(results.page.parent), "--json"]
    sql = "SELECT count(*) AS runs FROM runs"
    assert json.loads(subprocess.run([*command, sql], capture_output=True, check=True).stdout) == [
        {"runs": 4}
    ]
    empty = subprocess.run(
        [command[0], "query", str(tmp_path / "runs"), sql], capture_output=True, text=True, check=False
    )
    assert "not a run record" in empty.stderr
