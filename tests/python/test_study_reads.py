"""A study keeps a run only while everything that it has read is as it was, and says why it does not."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from socscope import reading
from socscope.study import reads
from socscope.study.carry_out import Results, carry_out
from socscope.study.fingerprint import NOTHING, fingerprint
from socscope.study.standing import KEPT

LOOP_C = """
volatile int rounds = ROUNDS;
void __attribute__((noinline)) ready(void) { __asm__ volatile(""); }
void __attribute__((noinline)) finish(void) { __asm__ volatile(""); }
void _start(void) { ready(); for (int n = 0; n < rounds; n++) __asm__ volatile(""); finish(); for (;;) {} }
"""
STUDY = '''
import subprocess, sys
from pathlib import Path
from socscope import reading
from socscope.simulation import Simulation
from socscope.study import ForkedStudy, Parameters

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import imported
from device import Idle

class Rounds(Parameters):
    rounds: int = 5

class Loop(ForkedStudy[Rounds]):
    """How long does a loop take?"""

    parameters = Rounds

    def space(self, *, quick):
        return [Rounds(rounds=rounds) for rounds in (1, 10)]

    def machine(self, parameters):
        return Simulation("at91x40", HERE / "loop.elf")

    def boot(self, simulation, parameters):
        (HERE / "booted").write_text((HERE / "boot.txt").read_text())
        simulation.run("1s", until_symbol="ready")

    def measure(self, simulation, parameters):
        simulation.add(Idle(at=0x60000000))
        reading.tell(HERE / "shared")
        said = subprocess.run([HERE / "tool"], capture_output=True, text=True, check=True).stdout
        (HERE / "scratch").write_text("1")
        (HERE / "scratch").read_text()
        simulation.run("1s", until_symbol="finish")
        found = {"bias": imported.BIAS, "data": (HERE / "data").read_text(), "said": said}
        return {"cycles": simulation.machine.cycle, **found}
'''
DEVICE = """
from socscope.device import Device, Register

class Idle(Device):
    \"\"\"Does nothing.\"\"\"


    VALUE = Register(0)
"""
FILES = {
    "loop_study.py": STUDY,
    "imported.py": "BIAS = 1\n",
    "device.py": DEVICE,
    "boot.txt": "1",
    "data": "1",
    "shared/file": "1",
    "tool": "#!/bin/sh\necho 1\n",
}


def build(folder: Path, rounds: int) -> None:
    (folder / "loop.c").write_text(LOOP_C)
    options = ["-mcpu=arm7tdmi", "-O1", "-nostdlib", "-Ttext=0x02000000", f"-DROUNDS={rounds}"]
    subprocess.run(["arm-none-eabi-gcc", *options, "loop.c", "-o", "loop.elf"], cwd=folder, check=True)


def carried_out(folder: Path) -> Results:
    return carry_out(str(folder / "loop_study.py"), folder / "results", jobs=1)


def reasons(results: Results) -> set[tuple[bool, str]]:
    return {(one.kept, one.reason) for one in results.standings}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that was carried out, and kept when it was carried out again."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "shared").mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "tool").chmod(0o755)
    build(folder, 5)
    assert reasons(carried_out(folder)) == {(False, "new")}
    assert reasons(carried_out(folder)) == {(True, KEPT)}
    return folder


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("imported.py", "BIAS = 2\n"),
        ("device.py", DEVICE.replace("nothing", "nothing at all")),
        ("boot.txt", "2"),
        ("data", "2"),
        ("shared/other", "new"),
        ("tool", "#!/bin/sh\necho 2\n"),
    ],
    ids=lambda text: "" if "\n" in text else text,
)
def test_a_file_that_changed_is_named_and_the_runs_are_made_again(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    place = folder / ("shared" if name.startswith("shared") else name)
    assert reasons(carried_out(folder)) == {(False, f"changed: {place}")}
    assert reasons(carried_out(folder)) == {(True, KEPT)}
    assert (folder / "booted").read_text() == (folder / "boot.txt").read_text()


def test_a_run_whose_reading_is_not_known_is_made_again(folder: Path) -> None:
    for notes in (folder / "results/runs").glob("*/reads.json"):
        notes.write_text('{"format": 1, "files": {"a": 1}}')
    assert reasons(carried_out(folder)) == {(False, "what it has read is not known")}


def test_another_image_makes_runs_that_take_the_place_of_the_old_ones(folder: Path) -> None:
    build(folder, 6)
    script = "from socscope.cli import app; app()"
    options = ["--out", folder / "results", "--jobs", "1", "--json"]
    command = [sys.executable, "-c", script, "study", folder / "loop_study.py", *options]
    said = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)
    standing = json.loads(said.stdout)["standing"].values()
    assert {(one["kept"], one["reason"]) for one in standing} == {(False, "changed: start")}
    assert "0 runs kept, to be made: 2 changed: start\n" in said.stderr
    assert len(list((folder / "results/runs").glob("*/manifest.json"))) == 2


def test_what_was_made_while_it_ran_is_not_noted(tmp_path: Path) -> None:
    notes, kept = tmp_path / "notes.json", tmp_path / "kept"
    kept.write_text("a")
    with reads.noted(notes, tmp_path / "inside"):
        kept.read_text()
        with tempfile.TemporaryDirectory(dir=tmp_path) as work:
            (Path(work) / "scratch").write_text("b")
            (Path(work) / "scratch").read_text()
        (tmp_path / "written").write_text("c")
        (tmp_path / "written").read_text()
    text = notes.read_text()
    assert str(kept) in text
    assert "scratch" not in text
    assert "written" not in text
    assert reads.changed(notes) is None
    kept.unlink()
    assert reads.changed(notes) == f"changed: {kept}"


def test_a_folder_is_its_names_contents_and_what_is_executable(tmp_path: Path) -> None:
    one = tmp_path / "one"
    seen = [fingerprint(one)]
    assert seen == [NOTHING]
    one.mkdir()
    for change in (
        lambda: (one / "a").write_text("a"),
        lambda: (one / "a").write_text("b"),
        lambda: (one / "a").chmod(0o755),
        lambda: (one / "a").rename(one / "b"),
        lambda: (one / "link").symlink_to("b"),
        (one / "below").mkdir,
    ):
        seen.append(fingerprint(one))
        change()
    seen.append(fingerprint(one))
    assert len(set(seen)) == len(seen)


def test_what_compiled_code_reads_is_told(tmp_path: Path) -> None:
    notes, folder = tmp_path / "notes.json", tmp_path / "shared"
    folder.mkdir()
    with reads.noted(notes, tmp_path / "inside"):
        reading.tell(folder)
    (folder / "new").write_text("")
    assert reads.changed(notes) == f"changed: {folder}"
    assert os.fspath(folder) in notes.read_text()
