"""Timing with caches: chosen by the platform, told in the record, the same in every repetition."""

from pathlib import Path

import pytest
from socscope import Simulation
from socscope.errors import SocscopeError
from socscope.replay import verify
from socscope.replay.verify import Kind
from socscope.simulation import Engine

IMAGE = "build/guests/at91x40-arm/system.elf"
CACHES = """
&cpu {
    socscope,timing = "caches";
    i-cache-size = <2048>;
    i-cache-line-size = <16>;
    d-cache-size = <2048>;
    d-cache-line-size = <16>;
    socscope,cache-replacement = "lru";
    socscope,memory-cycles = <30>;
};
"""


def board(folder: Path, properties: str = CACHES) -> str:
    """The board of the first study before caches."""
    path = folder / "cached.dts"
    path.write_text(f'/include/ "at91x40.dts"\n{properties}')
    return str(path)


def test_a_record_tells_what_the_caches_did(tmp_path: Path) -> None:
    """Every fetch is one access, and every miss costs what the platform says."""
    simulation = Simulation(board(tmp_path), IMAGE, profile=True)
    simulation.run("5ms")
    record = simulation.record(tmp_path / "run")
    instruction, data = record.rows("caches")
    assert [row["cache"] for row in (instruction, data)] == ["instruction", "data"]
    totals = record.manifest.totals
    fetches = instruction["read_hits"] + instruction["read_misses"]
    # Entries of exceptions are charged as instructions, and fetch nothing.
    misses = instruction["read_misses"] + data["read_misses"] + data["write_misses"]
    assert 0 < misses < fetches <= totals.instructions
    assert instruction["write_hits"] == instruction["write_misses"] == 0
    assert data["write_backs"] <= data["write_misses"] + data["read_misses"]
    assert "memory at 30 cycles a line" in record.manifest.timing.model
    assert 30 * misses < totals.cycles


def test_engines_forks_and_checkpoints_agree(tmp_path: Path) -> None:
    """An ARM with caches is interpreted, whichever engine was asked for."""
    simulations = [Simulation(board(tmp_path), IMAGE, engine=name) for name in ("translated", "interpreted")]
    for simulation in simulations:
        simulation.run("2ms")
    simulations.append(simulations[0].fork())
    simulations[0].checkpoint(tmp_path / "cached.ckpt")
    simulations.append(Simulation.restore(tmp_path / "cached.ckpt"))
    for simulation in simulations:
        simulation.run("1ms")
    assert len({simulation.machine.state_hash() for simulation in simulations}) == 1
    counts = [simulation.machine.caches() for simulation in simulations]
    assert all(found == counts[0] for found in counts)


VMLINUX = "build/guests/linux/vmlinux"
INITRAMFS = "build/guests/initramfs/initramfs.cpio"


def linux(engine: Engine) -> Simulation:
    """The MPC8641D, whose cores have caches."""
    overrides = [f"/cpus/PowerPC,8641@{core}:socscope,timing=caches" for core in range(2)]
    return Simulation("mpc8641d", VMLINUX, initrd=INITRAMFS, overrides=overrides, engine=engine)


def test_translated_linux_misses_what_interpreted_linux_misses() -> None:
    """State and counts agree while it boots, and most is translated."""
    translated, interpreted = linux("translated"), linux("interpreted")
    for length in ("2ms", "6ms", "4ms"):
        translated.run(length)
        interpreted.run(length)
        assert translated.machine.state_hash() == interpreted.machine.state_hash()
        assert translated.machine.caches() == interpreted.machine.caches()
    fetches = translated.machine.caches()["read_hits"][0]
    assert fetches > 10_000_000
    assert translated.machine.engine_statistics()["interpreted"] < fetches // 20


def test_a_record_of_translated_linux_with_caches_repeats(tmp_path: Path) -> None:
    """Both engines make the same run of it, over a checkpoint too."""
    simulation = linux("translated")
    simulation.run("3ms")
    record = simulation.record(tmp_path / "run")
    assert record.rows("caches")[0]["read_misses"] > 0
    ways: list[Kind] = [(False, "translated", "over a checkpoint"), (False, "interpreted", "straight")]
    assert all(check.same for check in verify(record, ways=ways))


def test_other_timings_have_no_caches() -> None:
    """The table is there, and empty."""
    simulation = Simulation("at91x40", IMAGE)
    simulation.run("1ms")
    assert simulation.counts().tables["caches"].num_rows == 0


def test_wrong_caches_name_the_property(tmp_path: Path) -> None:
    """A platform that describes no cache is refused when it is built."""
    wrong = CACHES.replace("i-cache-line-size = <16>", "i-cache-line-size = <20>")
    with pytest.raises(
        SocscopeError, match="i-cache-size: lines of 20 bytes are not possible; give a power of two"
    ):
        Simulation(board(tmp_path, wrong), IMAGE)
