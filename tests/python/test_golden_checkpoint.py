"""Checkpoints of every format that was ever written: each is read to the bit, or refused with its number."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from socscope.checkpoint import Checkpoint
from socscope.errors import CheckpointError
from socscope.simulation import Engine, Simulation

FOLDER = Path(__file__).parents[1] / "checkpoints"
# The format that is written, and those that are read.
PRESENT = 4
READ = (4,)
FILES = {int(path.stem.removeprefix("format-")): path for path in FOLDER.glob("format-*.ckpt")}


@pytest.fixture(scope="module")
def golden() -> ModuleType:
    """The maker of these files, with the class of their device."""
    spec = importlib.util.spec_from_file_location("golden", FOLDER / "golden.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_format_has_its_file() -> None:
    assert sorted(FILES) == list(range(1, PRESENT + 1))


@pytest.mark.parametrize("number", READ)
@pytest.mark.parametrize("engine", get_args(Engine))
def test_what_is_read_goes_on_to_the_bit(golden: ModuleType, number: int, engine: Engine) -> None:
    one = Simulation.restore(FILES[number], engine=engine, devices=[golden.Ticker(at=golden.DEVICE_AT)])
    expected = json.loads(FILES[number].with_suffix(".json").read_text())
    assert golden.expected(one) == expected


def test_the_present_layout_is_that_of_its_file(golden: ModuleType, tmp_path: Path) -> None:
    """A layout that has changed needs another format number, and a file of its own."""
    one = Simulation.restore(FILES[PRESENT], devices=[golden.Ticker(at=golden.DEVICE_AT)])
    one.checkpoint(tmp_path / "again.ckpt")
    found = [Checkpoint.read(path).facts["sections"] for path in (tmp_path / "again.ckpt", FILES[PRESENT])]
    # The first are the facts, with the version; what is stored depends on the compression.
    again, before = ([(name, length) for name, length, _ in sections[1:]] for sections in found)
    assert again == before


@pytest.mark.parametrize("number", sorted(set(FILES) - set(READ)))
def test_what_is_not_read_is_refused_with_its_number(number: int) -> None:
    with pytest.raises(CheckpointError) as error:
        Simulation.restore(FILES[number])
    assert str(error.value) == (
        f"{FILES[number]}: the checkpoint has format {number}, this version of Socscope reads format "
        f"{PRESENT}: make it again, or use the version that made it"
    )


@pytest.mark.parametrize("number", READ)
def test_nothing_of_a_host_is_in_a_file(number: int) -> None:
    found = Checkpoint.read(FILES[number])
    for machine in range(len(found.machines)):
        kept = found.image(machine).data + found.platform(machine).dtb
        assert not any(path in kept for path in (b"/tmp", b"/home", b"/work", b"/root", b"/usr"))
        assert json.dumps(found.machines[machine]).count("/") == len(found.machines[machine]["overrides"])
