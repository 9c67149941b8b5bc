"""Recorded runs once more: from their input alone, in all ways, and where two of them part."""

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from socscope.device import Context, Device, Register, Word, attribute, on_write
from socscope.errors import RecordError
from socscope.record import Run, open_run, sources
from socscope.record.manifest import Begin
from socscope.record.write import write
from socscope.replay import Again, compare, diff, profiles, replay, verify
from socscope.simulation import Simulation
from socscope.study.serial_transfer.parameters import Parameters
from socscope.study.serial_transfer.transfer import worker
from socscope.study.space import Point

# Answers each character with the next of the alphabet, after work that depends on the character.
ECHO_C = """
#define US ((volatile unsigned *)0xfffd0000)
int work(int n) { volatile int x = 0; int i; for (i = 0; i < n; i++) x += i; return x; }
int main(void) {
    US[0] = 0xac; US[1] = 0x8c0; US[8] = 13; US[0] = 0x50;
    for (;;) {
        int c;
        while (!(US[5] & 1)) work(3);
        c = US[6];
        work(c);
        while (!(US[5] & 2)) {}
        US[7] = c + 1;
    }
}
"""
PORT = "usart0"


@pytest.fixture(scope="session")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image that answers on a serial port."""
    folder = tmp_path_factory.mktemp("echo")
    (folder / "echo.c").write_text(ECHO_C)
    (folder / "start.S").write_text(".text\n.global _start\n_start: ldr sp, =0x2000\n bl main\nend: b end\n")
    options = ["-mcpu=arm7tdmi", "-g", "-O1", "-nostdlib", "-Ttext=0x100", "-o", "echo.elf"]
    subprocess.run(
        ["arm-none-eabi-gcc", *options, "start.S", "echo.c", "-lgcc"],
        cwd=folder,
        check=True,
    )
    return folder / "echo.elf"


def talk(
    image: Path, folder: Path, *texts: bytes, limit: str = "40ms", overrides: tuple[str, ...] = ()
) -> Run:
    """A run with input at three moments, one of them between two runs."""
    simulation = Simulation("at91x40", image, profile=True, overrides=overrides)
    for text in texts:
        simulation.run("1234567cycles")
        simulation.send(text, PORT)
    simulation.run(limit)
    return simulation.record(folder)


@pytest.fixture(scope="module")
def talked(echo: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A record with input."""
    return talk(echo, tmp_path_factory.mktemp("talked") / "run", b"abc", b"xyz")


def test_input_is_part_of_the_record(talked: Run) -> None:
    rows = talked.rows("input")
    assert [(row["kind"], row["target"], row["bytes"]) for row in rows] == [
        ("serial", PORT, b"abc"),
        ("serial", PORT, b"xyz"),
    ]
    assert rows[0]["cycle"] >= 1234567
    said = [row["bytes"] for row in talked.rows("console") if row["direction"] == "out"]
    assert b"".join(said) == b"bcdyz{"


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_run_repeats_from_its_record_alone(talked: Run, engine: str, tmp_path: Path) -> None:
    again = replay(talked, engine=engine)  # type: ignore[arg-type]
    assert again.differences() == []
    written = again.simulation.record(tmp_path / "again")
    assert written.sha256 == talked.sha256


def test_nothing_but_the_record_is_needed(talked: Run, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "run"
    shutil.copytree(talked.folder, moved)
    assert replay(open_run(moved)).differences() == []


def test_host_transfer_is_replayed_without_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = Parameters().but(size_bytes=300)
    worker(Point(parameters.values(), {}), tmp_path / "runs" / "one")
    run = open_run(tmp_path / "runs" / "one")
    assert len(list((tmp_path / "runs" / sources.IMAGES).iterdir())) == 1
    # No program can be started now, and no Kermit found.
    monkeypatch.setenv("PATH", "")
    again = replay(run)
    assert again.differences() == []
    assert b"".join(row["bytes"] for row in run.rows("input") if row["target"] == "usart1")
    assert [str(difference) for check in verify(run) for difference in check.differences] == []


def test_interrupted_and_disturbed_runs_repeat(echo: Path, tmp_path: Path) -> None:
    simulation = Simulation("at91x40", echo, profile=True)
    simulation.disturb(PORT, 0.01, 7)
    simulation.send(b"noise" * 20, PORT)

    def interrupt(cycle: int, _time_ps: int) -> None:
        if cycle > 1_000_000:
            raise KeyboardInterrupt

    assert simulation.run("30s", on_progress=interrupt).stop.kind == "interrupted"
    run = simulation.record(tmp_path / "run")
    assert [row["kind"] for row in run.rows("input")] == ["bit errors", "serial"]
    assert replay(run).differences() == []


def test_window_by_commands_repeats(echo: Path, tmp_path: Path) -> None:
    simulation = Simulation("at91x40", echo, profile=True, window="commands")
    simulation.run("1ms")
    simulation.count(on=True)
    simulation.run("2ms")
    simulation.count(on=False)
    simulation.run("1ms")
    run = simulation.record(tmp_path / "run")
    assert run.manifest.totals.cycles > 0
    assert replay(run).differences() == []


def test_profile_that_began_in_the_middle_repeats(echo: Path, tmp_path: Path) -> None:
    before = Simulation("at91x40", echo)
    before.send(b"a", PORT)
    before.run("1ms")
    before.checkpoint(tmp_path / "file.ckpt")
    simulation = Simulation.restore(tmp_path / "file.ckpt", profile=True, window="commands")
    simulation.count(on=True)
    simulation.send(b"b", PORT)
    simulation.run("1ms")
    # Over another checkpoint, the begin is still known.
    simulation.checkpoint(tmp_path / "second.ckpt")
    simulation = Simulation.restore(tmp_path / "second.ckpt")
    simulation.run("1ms")
    run = simulation.record(tmp_path / "run")
    assert 0 < run.manifest.totals.cycles < run.manifest.stop.cycle
    assert replay(run).differences() == []
    assert all(check.same for check in verify(run))


class Adder(Device):
    """A register that adds up."""

    limits = "It never overflows."

    SUM = Register(0x0, summary="Adds what is written.")
    step = attribute(1, minimum=1, summary="Factor.")

    @on_write("SUM")
    def add(self, value: Word, _context: Context) -> None:
        """Adds."""
        self.SUM = (self.SUM + self.step * value) & 0xFFFF_FFFF


def test_run_with_a_device_in_python_repeats_when_it_is_given(echo: Path, tmp_path: Path) -> None:
    simulation = Simulation("at91x40", echo, profile=True)
    simulation.run("1ms")
    adder = Adder(at=0x4000_0000)
    simulation.add(adder)
    simulation.run("1ms")
    adder.step = 3
    simulation.run("1ms")
    run = simulation.record(tmp_path / "run")
    assert [row["kind"] for row in run.rows("input")] == ["attach", "attribute"]
    with pytest.raises(
        RecordError,
        match=r"the run had devices written in Python, which a record cannot hold: give adder from Python,",
    ):
        replay(run)

    def devices() -> list[Device]:
        return [Adder(at=0x4000_0000)]

    assert replay(run, devices=devices).differences() == []
    assert all(check.same for check in verify(run, devices=devices))


def test_linked_machines_repeat_one_by_one(echo: Path, tmp_path: Path) -> None:
    one, other = (Simulation("at91x40", echo, profile=True) for _ in range(2))
    one.connect(PORT, other, PORT)
    # Each answers the other's character with the next one.
    one.send(b"a", PORT)
    one.run("5ms")
    for number, simulation in enumerate((one, other)):
        simulation.stop = one.stop and one.stop.model_copy(
            update={"cycle": simulation.machine.cycle, "time_ps": simulation.machine.time_ps}
        )
        run = simulation.record(tmp_path / str(number))
        kinds = [row["kind"] for row in run.rows("input")]
        assert kinds[0] == "wire"
        assert kinds.count("waveform") > 5
        assert replay(run).differences() == []


def test_verify_agrees_in_all_ways(talked: Run) -> None:
    seen = []
    checks = verify(talked, on_check=lambda number, total, _share: seen.append((number, total)))
    assert len({check.name for check in checks}) == 8
    assert [check.differences for check in checks] == [[]] * 8
    assert seen[-1] == (8, 8)


def test_verify_tells_what_differs(talked: Run, tmp_path: Path) -> None:
    """A record whose end was written down wrongly."""
    facts = talked.manifest.model_copy(update={"state_hash": "0" * 64})
    files = {
        name: (talked.folder / name).read_bytes() for name in (sources.TREE, sources.LAYERS, sources.IMAGE)
    }
    write(tmp_path / "run", facts, dict(talked.tables()), files)
    checks = verify(open_run(tmp_path / "run"))
    assert all(str(check.differences[0]).startswith("state hash: recorded 0000") for check in checks)


def test_a_folder_of_records_is_verified_whole(talked: Run, echo: Path, tmp_path: Path) -> None:
    study = tmp_path / "study"
    good, other = study / "runs" / "one", tmp_path / "other"
    shutil.copytree(talked.folder, good)
    talk(echo, other, b"q", limit="1ms")
    # A record that was not finished is none.
    shutil.copytree(talked.folder, study / "runs" / ".two.x.partial")
    done = socscope("verify", study, other, good)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("2 of 2 runs as recorded in all ways, 16 checks\n")
    assert "2 of 2 runs  " in done.stderr
    done = socscope("verify", study, "--json")
    found = json.loads(done.stdout)
    assert found["same"]
    assert (found["runs_count"], found["runs_same"], found["checks_count"]) == (1, 1, 8)
    assert found["runs"][0]["run"] == str(good)


def test_what_differs_in_a_folder_is_named(talked: Run, echo: Path, tmp_path: Path) -> None:
    study = tmp_path / "study"
    shutil.copytree(talked.folder, study / "good")
    short = talk(echo, study / "short", b"q", limit="1ms")
    console = copied(short, study / "wrong")
    tables = dict(short.tables())
    tables["console"] = tables["console"].slice(0, 0)
    files = {
        name: (short.folder / name).read_bytes() for name in (sources.TREE, sources.LAYERS, sources.IMAGE)
    }
    shutil.rmtree(console.folder)
    write(console.folder, short.manifest, tables, files)
    (copied(short, study / "broken").folder / sources.TREE).write_bytes(b"")
    done = socscope("verify", study, "--jobs", "2")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "1 of 3 differ" in done.stdout
    assert (
        f"{console.folder}: with probes, translated, straight: table console: recorded 0 rows" in done.stdout
    )
    assert (
        f"{study / 'broken'}: not verified: {study / 'broken' / sources.TREE}: changed since" in done.stdout
    )
    assert done.stdout.endswith("2 of 4 runs as recorded in all ways, 24 checks\n")
    shutil.rmtree(console.folder)
    assert socscope("verify", study).returncode == 1
    done = socscope("verify", tmp_path / "nothing")
    assert done.returncode == 1
    assert "nothing: neither a run record nor a folder with some (no manifest.json in it)" in done.stderr


def test_a_changed_character_is_found_at_its_instruction(echo: Path, talked: Run, tmp_path: Path) -> None:
    other = talk(echo, tmp_path / "run", b"abc", b"x!z")
    found = diff(talked, other)
    assert found is not None
    assert found.what == "this instruction leaves other values in the registers"
    assert found.first.cycle == found.second.cycle > talked.rows("input")[1]["cycle"]
    assert found.first.function.startswith("main+")
    assert found.first.source == "echo.c:4" or found.first.source.endswith("echo.c:4")
    assert found.first.last_inputs[-1].endswith(f"serial {PORT} 'xyz'")
    assert found.second.last_inputs[-1].endswith(f"serial {PORT} 'x!z'")
    assert found.registers == {}
    changes = profiles.functions(talked, other)
    assert {change.name for change in changes} >= {"work"}


def test_equal_runs_have_no_divergence(echo: Path, talked: Run, tmp_path: Path) -> None:
    assert diff(talked, talk(echo, tmp_path / "run", b"abc", b"xyz")) is None


def test_runs_of_different_length_part_where_one_ends(echo: Path, talked: Run, tmp_path: Path) -> None:
    shorter = talk(echo, tmp_path / "run", b"abc", b"xyz", limit="20ms")
    found = diff(talked, shorter)
    assert found is not None
    assert found.what == "one run ends here, the other goes on"
    assert found.second.cycle == shorter.manifest.stop.cycle


def test_with_another_clock_only_the_way_counts(echo: Path, talked: Run, tmp_path: Path) -> None:
    slower = talk(echo, tmp_path / "run", b"abc", b"xyz", overrides=("/clock:clock-frequency=20000000",))
    found = diff(talked, slower)
    assert found is not None
    # The same cycles take twice as long, so the same time ends earlier.
    assert found.what == "one run ends here, the other goes on"
    assert found.second.cycle == slower.manifest.stop.cycle < talked.manifest.stop.cycle


def test_record_without_input(run: Run) -> None:
    text = run.folder / "manifest.json"
    text.write_text(text.read_text().replace('"format": 5', '"format": 1'))
    with pytest.raises(
        RecordError,
        match=r"the record holds no input: it was written in format 1; run again$",
    ):
        replay(open_run(run.folder))


def copied(run: Run, folder: Path) -> Run:
    """A copy to damage."""
    shutil.copytree(run.folder, folder)
    return open_run(folder)


def test_image_that_is_missing_or_another_one(talked: Run, elf: Path, echo: Path, tmp_path: Path) -> None:
    run = copied(talked, tmp_path / "run")
    with pytest.raises(RecordError, match=f"{elf}: another image than the one that ran: .* names echo.elf"):
        Again(run, image=elf)
    (run.folder / sources.IMAGE).unlink()
    with pytest.raises(
        RecordError,
        match=r"the image echo.elf \(SHA-256 [0-9a-f]{64}\) is not kept with the record; give its file with",
    ):
        Again(run)
    assert replay(run, image=echo).differences() == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (sources.TREE, "changed since the record was written; run again"),
        (sources.LAYERS, "changed since the record was written; run again"),
        ("input.parquet", "changed since the record was written; run again"),
        (sources.IMAGE, "changed since the record was written; give the image with --image"),
    ],
)
def test_changed_files(talked: Run, tmp_path: Path, name: str, message: str) -> None:
    run = copied(talked, tmp_path / "run")
    (run.folder / name).write_bytes(gzip.compress(b"something else"))
    with pytest.raises(RecordError, match=f"{name}: {message}$"):
        Again(run)
    if name == sources.IMAGE:
        (run.folder / name).write_bytes(b"not compressed")
        with pytest.raises(RecordError, match=f"{name}: cannot be read: "):
            Again(run)
        return
    (run.folder / name).unlink()
    with pytest.raises(RecordError, match=f"{name}: cannot be read: No such file or directory$"):
        Again(run)


def test_damaged_input(talked: Run, tmp_path: Path) -> None:
    tables = dict(talked.tables())
    column = tables["input"].column_names.index("encoded")
    field = tables["input"].schema.field(column)
    tables["input"] = tables["input"].set_column(column, field, [[b"\xff\xff", b""]])
    files = {
        name: (talked.folder / name).read_bytes() for name in (sources.TREE, sources.LAYERS, sources.IMAGE)
    }
    write(tmp_path / "run", talked.manifest, tables, files)
    with pytest.raises(
        RecordError, match=r"table input is damaged: input 0 is none that this version knows$"
    ):
        Again(open_run(tmp_path / "run"))


def test_probes_begin_in_the_order_of_their_moments() -> None:
    """A run settles at a moment before its first input there, and again after each."""
    moments = [(8, 9, True, 2), (9, 0, True, 2), (9, 0, False, 3), (9, 0, True, 3), (9, 1, False, 3)]
    begins = [Begin(cycle=at[0], part=at[1], settled=at[2], inputs=at[3]) for at in moments]
    mixed = [begins[place] for place in (3, 0, 4, 1, 2)]
    assert sorted(mixed, key=lambda begin: begin.order) == begins


def test_probes_are_switched_on_again_between_the_same_instructions(echo: Path, tmp_path: Path) -> None:
    """Three instructions take one cycle; the profile begins within the first."""
    overrides = [f"/cpus/cpu@0:socscope,{what}" for what in ("timing=fixed-cpi", "cpi=1 3")]
    simulation = Simulation("at91x40", echo, overrides=overrides)
    simulation.machine.step()
    simulation.machine.step()
    simulation.enable_profile("all")
    simulation.send(b"ab", PORT)
    simulation.run("2ms")
    run = simulation.record(tmp_path / "run")
    begin = sources.rerun_of(run).profile_from
    assert begin
    assert (begin.cycle, begin.part) == (0, 2)
    again = replay(run)
    assert again.differences() == []
    assert again.simulation.counts().totals == run.manifest.totals


def socscope(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line."""
    command = [sys.executable, "-c", "from socscope.cli import app; app()", *(str(one) for one in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_commands(echo: Path, talked: Run, tmp_path: Path) -> None:
    done = socscope("replay", talked.folder, "--out", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"identical: state {talked.manifest.state_hash[:16]}")
    assert pq.read_table(tmp_path / "again" / "input.parquet").num_rows == 2
    other = talk(echo, tmp_path / "other", b"abc", b"x!z")
    done = socscope("diff", talked.folder, other.folder)
    assert done.returncode == 4, done.stderr
    assert "first divergence: after" in done.stdout
    assert "work" in done.stdout
    done = socscope("diff", talked.folder, other.folder, "--json")
    found = json.loads(done.stdout)
    assert found["divergence"]["a"]["last_inputs"]
    assert found["functions"]
    done = socscope("diff", talked.folder, tmp_path / "again")
    assert (done.returncode, done.stdout) == (
        0,
        "first divergence: none: both runs do the same to their end\nprofiles: all sums are equal\n",
    )
    done = socscope("verify", talked.folder, "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["checks"]) == 8


def test_a_record_of_an_earlier_format_is_compared_by_the_columns_that_it_has(run: Run) -> None:
    recorded = {name: run.table(name) for name in run.table_names}
    again = {name: table.append_column("later", [[0] * len(table)]) for name, table in recorded.items()}
    assert compare.tables(run, again, list(recorded)) == []
