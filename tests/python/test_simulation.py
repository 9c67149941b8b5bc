"""Machines that run an image: where they stop, what they record, how they crash."""

import re
import subprocess
from pathlib import Path

import pytest
import socscope
from socscope.crash import report
from socscope.errors import OptionError, RecordError, SocscopeError
from socscope.simulation import Simulation

CRASH_C = """
__attribute__((noinline)) int inner(int x) {
    volatile int local[4] = {x, 1, 2, 3};
    void (*nowhere)(void) = (void (*)(void))0x50000000;
    nowhere();
    return local[0];
}
__attribute__((noinline)) int middle(int x) { return inner(x + 1) + 1; }
int main(void) { return middle(3) + 1; }
"""


@pytest.fixture(scope="module")
def crashing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image that calls a function where no memory is."""
    folder = tmp_path_factory.mktemp("crash")
    (folder / "crash.c").write_text(CRASH_C)
    (folder / "start.S").write_text(".text\n.global _start\n_start: ldr sp, =0x2000\n bl main\nend: b end\n")
    subprocess.run(
        [
            *["arm-none-eabi-gcc", "-mcpu=arm7tdmi", "-g", "-O1", "-nostdlib", "-Ttext=0x100"],
            *f"-ffile-prefix-map={folder}=. -o crash.elf start.S crash.c".split(),
        ],
        cwd=folder,
        check=True,
    )
    return folder / "crash.elf"


def test_machines_are_part_of_the_package() -> None:
    assert socscope.Simulation is Simulation
    with pytest.raises(AttributeError, match=r"^module 'socscope' has no attribute 'Simulator'$"):
        _ = socscope.Simulator  # type: ignore[attr-defined]


def test_run_ends_at_a_symbol(elf: Path) -> None:
    simulation = Simulation("at91x40", elf)
    outcome = simulation.run("1s", until_symbol="done")
    assert outcome.stop.kind == "address"
    assert simulation.machine.registers()["r15"] == simulation.image.address_of("done")
    assert outcome.crash is None


def test_run_ends_after_a_time_or_a_number_of_cycles(elf: Path) -> None:
    simulation = Simulation("at91x40", elf)
    assert simulation.run("2us").stop.time_ps >= 2_000_000
    assert simulation.run("20cycles").stop.cycle >= 100
    assert simulation.machine.cycle < 110


def test_a_machine_knows_where_its_cycles_went_without_a_profile(elf: Path, tmp_path: Path) -> None:
    for image, span in ((elf, "2us"), (Path("build/guests/at91x40-arm/system.elf"), "50ms")):
        profiled, bare = (Simulation("at91x40", image, profile=profile) for profile in (True, False))
        for simulation in (profiled, bare):
            simulation.run(span)
        totals = profiled.record(tmp_path / span).manifest.totals
        cycles = bare.machine.core_cycles()
        assert cycles == profiled.machine.core_cycles() == bare.fork().machine.core_cycles()
        assert cycles == {
            "executing": [totals.executing_cycles],
            "asleep": [totals.stopped_cycles],
            "bus_held": [totals.bus_held_cycles],
        }
    assert totals.stopped_cycles > totals.executing_cycles > 0


def test_profile_changes_nothing_and_equal_runs_give_equal_records(elf: Path, tmp_path: Path) -> None:
    hashes = []
    for name, profile in (("a", True), ("b", True), ("c", False)):
        simulation = Simulation("at91x40", elf, profile=profile)
        simulation.run("1s", until_symbol="done")
        hashes.append((simulation.record(tmp_path / name), simulation.machine.state_hash()))
    (first, state), (second, state_again), (bare, state_bare) = hashes
    assert state == state_again == state_bare
    assert first.sha256 == second.sha256
    assert first.manifest.totals.instructions > 50
    assert bare.manifest.totals.instructions == 0


def test_window_between_symbols_counts_what_runs_there(elf: Path) -> None:
    simulation = Simulation("at91x40", elf, profile=True, window="symbols main..rtos_idle")
    simulation.run("1s", until_symbol="done")
    functions = {row["name"]: row for row in simulation.counts().tables["functions"].to_pylist()}
    assert functions["main"]["instructions"] > 0
    assert functions["copy_bytes"]["instructions"] > 0
    assert functions["rtos_idle"]["instructions"] == 0


def test_library_function_counts_to_its_caller(elf: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rule]]\nlayer = "drivers"\nsource = "*drivers/*"\n[[rule]]\nlayer = "library"\nsource = ""\n'
        '[[rule]]\nlayer = "rest"\n'
    )
    simulation = Simulation("at91x40", elf, profile=True, layers=rules)
    simulation.run("1s", until_symbol="done")
    tables = simulation.counts().tables
    own = sum(
        row["instructions"]
        for row in tables["functions"].to_pylist()
        if row["name"] in ("driver_send", "copy_bytes")
        or (row["name"] == "twice" and row["source"] == "drivers/driver.c")
    )
    layers = {row["layer"]: row["instructions"] for row in tables["layers"].to_pylist()}
    assert layers["drivers"] == own


def test_crash_is_reported_with_registers_code_and_calls(crashing: Path) -> None:
    outcome = Simulation("at91x40", crashing).run("1s")
    assert outcome.stop.kind == "crash"
    assert outcome.crash is not None
    assert outcome.crash.startswith("The guest crashed: the prefetch abort at 0x50000000 happens again")
    assert re.search(r"^cpsr [0-9a-f]{8}  ----I?F?-  abort$", outcome.crash, re.MULTILINE)
    calls = outcome.crash.partition("Calls by what supervisor mode remembers:\n")[2]
    places = re.findall(r"#\d 0x[0-9a-f]{8} (\S+)\+0x[0-9a-f]+(?: \(crash\.c:(\d+)\))?", calls)
    assert places == [("inner", "2"), ("middle", "8"), ("main", "9"), ("_start", "")]


def test_calls_are_found_in_the_middle_of_a_function(crashing: Path) -> None:
    simulation = Simulation("at91x40", crashing)
    simulation.run("1s", until_symbol="inner")
    for _ in range(3):
        simulation.machine.step()
    machine = simulation.machine
    text = report("a look", simulation.image, machine.registers(), machine.peek)
    assert re.findall(r"#\d 0x\w+ (\w+)", text) == ["inner", "middle", "main", "_start"]
    assert re.search(r"^=> 0x[0-9a-f]{8}  \w+", text, re.MULTILINE)


def test_crash_without_memory_at_the_program_counter(crashing: Path) -> None:
    simulation = Simulation("at91x40", crashing)
    registers = {**simulation.machine.registers(), "r15": 0x50000000}
    text = report("a look", simulation.image, registers, simulation.machine.peek)
    assert "No memory at 0x50000000: there is no code to show." in text


def test_run_can_be_interrupted_and_goes_on(elf: Path, tmp_path: Path) -> None:
    def interrupt(_cycle: int, _time_ps: int) -> None:
        raise KeyboardInterrupt

    simulation = Simulation("at91x40", elf, profile=True)
    outcome = simulation.run("100s", on_progress=interrupt)
    assert outcome.stop.kind == "interrupted"
    record = simulation.record(tmp_path / "cut")
    assert record.manifest.stop.detail == "interrupted by the user"
    assert simulation.run("1us").stop.kind == "time"


def test_nothing_to_record_before_a_run(elf: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"^nothing has run yet: there is nothing to record$"):
        Simulation("at91x40", elf).record(tmp_path / "run")


def test_taken_folder_is_seen_before_the_counts_are_made(elf: Path, tmp_path: Path) -> None:
    simulation = Simulation("at91x40", elf)
    simulation.run("1us")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="already there; name another folder or remove it"):
        simulation.record(tmp_path)


def test_errors_of_the_core_are_ours(elf: Path) -> None:
    with pytest.raises(SocscopeError, match="/nowhere"):
        Simulation("at91x40", elf, overrides=["/nowhere:property=1"])
    with pytest.raises(SocscopeError, match="usart9"):
        Simulation("at91x40", elf).attach("usart9", "null")


def test_port_in_use(elf: Path) -> None:
    first, second = Simulation("at91x40", elf), Simulation("at91x40", elf)
    port = first.attach("usart1", "tcp:127.0.0.1:0").rpartition(":")[2]
    with pytest.raises(SocscopeError, match=f"{port}.*in use"):
        second.attach("usart1", f"tcp:127.0.0.1:{port}")


def test_commands_switch_counting_on_and_off(elf: Path) -> None:
    simulation = Simulation("at91x40", elf, profile=True, window="commands")
    simulation.run("10us")
    assert simulation.counts().totals.instructions == 0
    simulation.count(on=True)
    simulation.run("10us")
    counted = simulation.counts().totals.instructions
    simulation.count(on=False)
    simulation.run("10us")
    assert 0 < simulation.counts().totals.instructions == counted


def test_commands_need_the_profile(elf: Path) -> None:
    simulation = Simulation("at91x40", elf)
    with pytest.raises(ValueError, match="the profile is off: call enable_profile before the run"):
        simulation.count(on=True)
