"""Checkpoints of the stage's system in mid-transfer, restored in a new process; forks; the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from socscope import _core
from socscope.checkpoint import Checkpoint
from socscope.cli import app
from socscope.device import Context, Device, attribute, event, state
from socscope.errors import CheckpointError
from socscope.image import Image
from socscope.simulation import Simulation
from typer.testing import CliRunner

SYSTEM = Path("build/guests/at91x40-arm/system.elf")
# The end of the board's external memory.
TICKER_WRITES_TO = 0x0203_FF00
OTHER = Path("build/guests/at91x40-thumb/system.elf")

# Restores a checkpoint, goes on, and says what came out.
IN_A_NEW_PROCESS = """
import json, sys
from socscope.simulation import Simulation
one = Simulation.restore(sys.argv[1], engine=sys.argv[3])
one.run(sys.argv[2])
tables = {name: table.to_pydict() for name, table in one.counts().tables.items()}
hashes = [linked.machine.state_hash() for linked in one.linked]
print(json.dumps({"hashes": hashes, "tables": tables}, default=str))
"""


def transfer() -> Simulation:
    """The stage's system in the middle of sending a file to a second one, counted."""
    sender, receiver = Simulation("at91x40", SYSTEM, profile=True), Simulation("at91x40", SYSTEM)
    sender.connect("usart1", receiver, "usart1")
    sender.disturb("usart1", 1e-4, 5)
    sender.send(b"make data.bin 4000 7\rcrc32 data.bin\r")
    sender.run("500ms", until_output="4000 data.bin")
    receiver.send(b"kermit -r -S -e 94\r")
    receiver.run("1s", until_output="READY TO RECEIVE")
    sender.send(b"kermit -s data.bin -S -e 94\r")
    sender.run("1200ms")
    return sender


def everything(one: Simulation) -> dict[str, Any]:
    """State and counts, as the new process says them."""
    tables = {name: table.to_pydict() for name, table in one.counts().tables.items()}
    hashes = [linked.machine.state_hash() for linked in one.linked]
    plain: dict[str, Any] = json.loads(json.dumps({"hashes": hashes, "tables": tables}, default=str))
    return plain


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A checkpoint in mid-transfer, and what came out of the run that went on without it."""
    one = transfer()
    path = tmp_path_factory.mktemp("checkpoint") / "transfer.ckpt"
    one.checkpoint(path)
    before = len(one.machine.serial_log("usart1")[0])
    one.run("300ms")
    assert len(one.machine.serial_log("usart1")[0]) > before > 100, "the transfer goes on"
    return path, everything(one)


@pytest.mark.parametrize("engine", ["translated", "interpreted"])
def test_a_transfer_goes_on_in_a_new_process(saved: tuple[Path, dict[str, Any]], engine: str) -> None:
    path, expected = saved
    said = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS, str(path), "300ms", engine],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout) == expected


def test_a_fork_goes_its_own_way(saved: tuple[Path, dict[str, Any]]) -> None:
    path, expected = saved
    one = Simulation.restore(path)
    fork = one.fork()
    state = [linked.machine.state_hash() for linked in fork.linked]
    one.run("300ms")
    assert [linked.machine.state_hash() for linked in fork.linked] == state
    fork.run("300ms")
    assert everything(one) == everything(fork) == expected


def test_a_profile_begins_at_a_checkpoint(tmp_path: Path) -> None:
    one = Simulation("at91x40", SYSTEM)
    one.run("5ms")
    cycles = one.machine.cycle
    one.checkpoint(tmp_path / "x.ckpt")
    again = Simulation.restore(tmp_path / "x.ckpt", profile=True)
    again.run("5ms")
    assert 0 < again.counts().totals.cycles <= again.machine.cycle - cycles


def test_a_checkpoint_is_the_same_file_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        one = Simulation("at91x40", SYSTEM, profile=True)
        one.run("5ms")
        one.checkpoint(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    Simulation.restore(tmp_path / "one").checkpoint(tmp_path / "three")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "three").read_bytes()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of one machine."""
    path = tmp_path_factory.mktemp("checkpoint") / "small.ckpt"
    one = Simulation("at91x40", SYSTEM, profile=True)
    one.run("2ms")
    one.checkpoint(path)
    return path


def test_damage_is_named(small: Path, tmp_path: Path) -> None:
    data = small.read_bytes()
    damaged = tmp_path / "damaged.ckpt"
    for content, message in [
        (b"\x7fELF", "not a checkpoint: the file does not begin like one"),
        (data[:-1], "the checkpoint is cut off in its 0/profile-entries: 1 bytes are missing; copy it again"),
        (
            data[:-1] + bytes([data[-1] ^ 1]),
            "the checkpoint's 0/profile-entries is damaged: its checksum does not match; copy it again",
        ),
        (
            data[:8] + b"\x63" + data[9:],
            "the checkpoint has format 99, this version of Socscope reads format 4: make it again, "
            "or use the version that made it",
        ),
    ]:
        damaged.write_bytes(content)
        with pytest.raises(CheckpointError) as error:
            Simulation.restore(damaged)
        assert str(error.value) == f"{damaged}: {message}"
    with pytest.raises(CheckpointError, match=r"missing\.ckpt: cannot be read: No such file or directory"):
        Simulation.restore(tmp_path / "missing.ckpt")


def test_another_image_is_refused(small: Path) -> None:
    sha256 = Image.read(SYSTEM).sha256
    with pytest.raises(CheckpointError) as error:
        Simulation.restore(small, image=OTHER)
    assert str(error.value) == f"{OTHER}: another image than the checkpoint's, which has SHA-256 {sha256}"
    assert Simulation.restore(small, image=SYSTEM).image.path == SYSTEM


def test_a_profile_that_goes_on_keeps_its_window(small: Path) -> None:
    with pytest.raises(CheckpointError) as error:
        Simulation.restore(small, profile=True, window="marks")
    assert str(error.value) == f"{small}: its profile goes on and counts all, not marks"


def test_nothing_is_left_of_a_checkpoint_that_cannot_be_written(tmp_path: Path) -> None:
    one = Simulation("at91x40", SYSTEM)
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match=r"file/x\.ckpt: not written: (Not a directory|File exists)"):
        one.checkpoint(tmp_path / "file" / "x.ckpt")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_machine_is_forked_by_place() -> None:
    first, second = Simulation("at91x40", SYSTEM), Simulation("at91x40", SYSTEM)
    first.connect("usart1", second, "usart1")
    second.send(b"x")
    forks = second.machine.fork()
    assert [fork.state_hash() for fork in forks] == [
        first.machine.state_hash(),
        second.machine.state_hash(),
    ]
    assert isinstance(forks[0], _core.Machine)


def test_the_command_line_saves_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "boot.ckpt"
    runner = CliRunner()
    said = runner.invoke(
        app, ["checkpoint", "save", "at91x40", str(SYSTEM), "--for", "3ms", "--out", str(path), "--json"]
    )
    assert said.exit_code == 0, said.output
    result = json.loads(said.stdout)
    assert result["bytes"] == path.stat().st_size
    facts = Checkpoint.read(path).facts
    assert facts["machines"][0]["state_hash"] == result["state_hash"]
    said = runner.invoke(app, ["checkpoint", "info", str(path)])
    assert said.exit_code == 0
    assert "at91x40, system.elf" in said.stdout
    assert "undamaged" in said.stdout
    said = runner.invoke(app, ["run", "--checkpoint", str(path), "--for", "2ms", "--json"])
    assert said.exit_code == 0, said.output
    straight = Simulation("at91x40", SYSTEM)
    straight.run("3ms")
    straight.run("2ms")
    assert json.loads(said.stdout)["stop"]["cycle"] == straight.machine.cycle
    said = runner.invoke(app, ["run", "at91x40", str(SYSTEM), "--checkpoint", str(path)])
    assert said.exit_code == 2
    assert "--checkpoint: the checkpoint says platform, image and --set; leave them out" in said.output
    said = runner.invoke(app, ["run", "at91x40"])
    assert said.exit_code == 2
    assert "name a platform and an image, or a --checkpoint" in said.output


def test_facts_are_json(small: Path) -> None:
    said = CliRunner().invoke(app, ["checkpoint", "info", str(small), "--json"])
    facts = json.loads(said.stdout)
    assert facts["format"] == 4
    assert facts["machines"][0]["profiled"]
    assert facts["sections"][0][0] == "facts"


class Ticker(Device):
    """Counts by itself, and writes its count to memory."""

    title = "Ticker"
    count = state(0)
    step = attribute(1)

    def reset(self, context: Context) -> None:
        """Begins to count."""
        self.count = 0
        context.schedule(self.tick, cycles=1000)

    @event
    def tick(self, _argument: object, context: Context) -> None:
        """Counts, and comes again."""
        self.count += self.step
        context.write(TICKER_WRITES_TO, self.count.to_bytes(4, "little"))
        context.schedule(self.tick, cycles=1000 + self.count % 7)


def test_a_device_in_python_goes_on_in_mid_activity(tmp_path: Path) -> None:
    path = tmp_path / "ticker.ckpt"
    one = Simulation("at91x40", SYSTEM, devices=[Ticker(at=0x4000_0000)])
    one.run("3ms")
    one.set_attribute("ticker", "step", 3)
    one.checkpoint(path)
    fork = one.fork()
    ticker = Ticker(at=0x4000_0000)
    again = Simulation.restore(path, devices=[ticker])
    assert ticker.count == one.attribute("ticker", "count")
    assert ticker.count > 100
    for simulation in (one, again, fork):
        simulation.run("3ms")
    assert one.machine.state_hash() == again.machine.state_hash() == fork.machine.state_hash()
    assert ticker.count == fork.attribute("ticker", "count")
    with pytest.raises(CheckpointError) as error:
        Simulation.restore(path)
    assert str(error.value) == (
        f"{path}: the checkpoint does not fit machine 0: device ticker (Ticker) was added to the machine "
        "and is missing here; give it to this machine first"
    )
