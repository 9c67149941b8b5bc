"""Records of a study verified from the checkpoint at which they begin, and when that is refused."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from socscope.errors import RecordError
from socscope.record import Run, open_run
from socscope.record.manifest import MarkPoint
from socscope.record.sources import CHECKPOINTS
from socscope.replay import Again, verify
from socscope.replay.start import Start, find
from socscope.replay.verify import ALL, BEGIN
from socscope.simulation import Simulation
from socscope.study.carry_out import carry_out

SOCSCOPE = str(Path(sys.executable).with_name("socscope"))
LOOP_C = """
volatile int rounds = 5;
void __attribute__((noinline)) ready(void) { __asm__ volatile(""); }
void __attribute__((noinline)) finish(void) { __asm__ volatile(""); }
void _start(void) {
    for (int n = 0; n < 1000; n++) __asm__ volatile("");
    ready();
    for (int n = 0; n < rounds; n++) __asm__ volatile("orr r1, r1, r1");
    finish();
    for (;;) __asm__ volatile("");
}
"""
STUDY = '''
from pathlib import Path
from socscope.simulation import Simulation
from socscope.study import ForkedStudy, Parameters

class Rounds(Parameters):
    rounds: int = 5

class Loop(ForkedStudy[Rounds]):
    """How long does a loop take?"""

    parameters = Rounds

    def space(self, *, quick):
        return [Rounds(rounds=rounds) for rounds in (10, 1000)]

    def machine(self, parameters):
        return Simulation("at91x40", Path(__file__).parent / "loop.elf", profile=PROFILE)

    def boot(self, simulation, parameters):
        simulation.send(b"typed before")
        simulation.run("1s", until_symbol="ready")

    def measure(self, simulation, parameters):
        if not simulation.profiled:
            simulation.enable_profile("all")
        rounds = simulation.image.address_of("rounds")
        simulation.machine.poke(rounds, parameters.rounds.to_bytes(4, "little"))
        simulation.run("1s", until_symbol="finish")
        return {}
'''


def made(folder: Path, *, profile: bool = False) -> Path:
    """The results of a study; the profile begins behind the boot, or at power-on."""
    folder.mkdir()
    (folder / "loop.c").write_text(LOOP_C)
    options = ["-mcpu=arm7tdmi", "-O1", "-g", "-nostdlib", "-Ttext=0x02000000"]
    subprocess.run(["arm-none-eabi-gcc", *options, "loop.c", "-o", "loop.elf"], cwd=folder, check=True)
    (folder / "loop.py").write_text(STUDY.replace("PROFILE", str(profile)))
    return carry_out(str(folder / "loop.py"), folder / "results", jobs=2).page.parent


def run_of(results: Path) -> Run:
    return open_run(min((results / "runs").glob("*/manifest.json")).parent)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("study") / "loop")


@pytest.fixture
def start(results: Path) -> Start:
    found = find(run_of(results))
    assert found is not None
    return found


def test_a_run_of_a_study_is_verified_from_its_begin(results: Path, start: Start) -> None:
    assert (start.place.cycle > 1000, start.place.inputs) == (True, 1)
    told: list[float] = []
    checks = verify(run_of(results), on_check=lambda _number, _total, share: told.append(share))
    assert [(one.probes, one.engine, one.way) for one in checks] == [*BEGIN, *ALL]
    assert all(one.same for one in checks)
    assert (min(told), max(told)) == (0.0, 1.0)


def test_power_on_can_be_asked_for(results: Path) -> None:
    run = run_of(results)
    assert len(verify(run, from_power_on=True)) == 8
    with pytest.raises(RecordError, match=r"there is no checkpoint on its way$"):
        verify(run, from_power_on=True, ways=BEGIN)


def test_a_begin_is_reached_once_for_all_runs(results: Path, start: Start) -> None:
    command = [SOCSCOPE, "verify", str(results), "--jobs=2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count("to the begin") == 2
    assert done.stdout.endswith("2 of 2 runs as recorded in all ways, 18 checks\n")
    assert f"the begin  {start.path}: same\n" in done.stderr
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    begins = [(one["checkpoint"], one["same"], len(one["checks"])) for one in found["begins"]]
    assert begins == [(str(start.path), True, 2)]
    assert (found["runs_count"], found["checks_count"], found["checks_same"]) == (2, 18, 18)


def test_a_state_that_power_on_does_not_lead_to_is_told(results: Path, start: Start) -> None:
    again = Again(run_of(results), goal=replace(start, state_hash="0" * 64))
    again.advance()
    assert [one.what for one in again.differences()] == ["state hash"]


def test_a_checkpoint_beside_the_way_is_no_begin(results: Path, start: Start) -> None:
    run = run_of(results)
    (moment, typed), *_ = start.inputs
    late = start.place.model_copy(update={"cycle": run.manifest.stop.cycle + 1})
    beside = [
        replace(start, inputs=[(moment, typed[:-1])]),
        replace(start, inputs=[], place=start.place.model_copy(update={"inputs": 0})),
        replace(start, image_sha256=""),
        replace(start, platform_sha256=""),
        replace(start, overrides=["/clock:clock-frequency=1"]),
        replace(start, place=late),
    ]
    assert [one.lies_on(run) for one in [start, *beside]] == [True] + [False] * len(beside)


def test_a_checkpoint_of_another_course_is_no_begin(results: Path, start: Start, tmp_path: Path) -> None:
    simulation = Simulation("at91x40", results.parent / "loop.elf")
    simulation.send(b"typed otherwise")
    simulation.run("1s", until_symbol="ready")
    (tmp_path / CHECKPOINTS).mkdir()
    simulation.checkpoint(tmp_path / CHECKPOINTS / start.path.name)
    run = run_of(results)
    (tmp_path / "runs").mkdir()
    moved = tmp_path / "runs" / run.folder.name
    moved.symlink_to(run.folder)
    assert find(open_run(moved)) is None


def test_what_was_counted_before_the_checkpoint_is_verified_from_power_on(tmp_path: Path) -> None:
    run = run_of(made(tmp_path / "loop", profile=True))
    assert find(run) is None
    assert [one.way for one in verify(run, ways=ALL[:1])] == ["straight"]


def test_marks_that_were_set_before_the_checkpoint_are_verified_from_power_on(
    results: Path, start: Start
) -> None:
    run = run_of(results)
    assert run.manifest.rerun is not None
    begins = [start.place, start.place.model_copy(update={"cycle": start.place.cycle - 1})]
    for begin in begins:
        point = MarkPoint(source="address", place="finish", number=0, since=begin)
        rerun = run.manifest.rerun.model_copy(update={"marks": [point]})
        marked = Run(run.folder, run.manifest.model_copy(update={"rerun": rerun}))
        assert start.lies_on(marked) == (begin is begins[0])


def test_without_a_sound_checkpoint_each_way_begins_at_power_on(tmp_path: Path) -> None:
    folder = made(tmp_path / "loop")
    [checkpoint] = (folder / CHECKPOINTS).glob("*.checkpoint")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    assert [check.same for check in verify(run_of(folder))] == [True] * 8
    checkpoint.unlink()
    assert find(run_of(folder)) is None
