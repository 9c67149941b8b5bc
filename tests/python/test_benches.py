"""The benches measure the right thing: engines agree on their programs, rows are met when they should be."""

import json
from pathlib import Path

import comparison
import engines
import host_time
import images
import map_sample
import pytest
import rows
from images import INSTRUCTION_SETS, InstructionSet, Program
from map_sample import MapSample
from rows import Row
from socscope.record import Run
from socscope.record.manifest import Manifest
from socscope.study.rule30.parameters import Rule30Parameters
from socscope.study.store import note_host
from socscope.study.study import Result

ENGINES = ("translated", "interpreted")
ALONE = [program for program in images.PROGRAMS if not program.is_system]


@pytest.fixture(scope="session")
def hooks() -> Path:
    return images.unicorn()


@pytest.mark.parametrize("program", ALONE, ids=lambda program: program.name)
@pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)
def test_engines_agree_on_a_program(program: Program, instruction_set: InstructionSet, hooks: Path) -> None:
    image = images.program(program, instruction_set, 3)
    ours = {engine: engines.socscope("bench", image, "profile", engine=engine) for engine in ENGINES}
    theirs = engines.unicorn(image, hooks, "code")
    for sample in ours.values():
        assert sample["result"] == theirs["result"]
        assert sample["accesses"] == sorted(theirs["accesses"])
        assert sample["instructions"] == ours["interpreted"]["instructions"]
        # A Thumb BL is two instructions of v4T; unicorn calls its hook once.
        assert sample["instructions"] >= theirs["instructions"]
        assert instruction_set == "thumb" or sample["instructions"] == theirs["instructions"]


def test_programs_work_as_long_as_they_say() -> None:
    """A round of the smallest work, times the rounds of a full bench, is at least 1 G instructions."""
    for program in ALONE:
        counts = []
        for rounds in (1, 11):
            image = images.program(program, "arm", rounds)
            counts.append(engines.socscope("bench", image, "profile")["instructions"])
        per_round = (counts[1] - counts[0]) / 10
        assert counts[0] + per_round * (program.rounds - 1) >= 1e9, program.name


@pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)
def test_the_kernel_does_the_same_work_under_every_timing(instruction_set: InstructionSet) -> None:
    image = images.kernel("at91eb40a", instruction_set, 2)
    results = {
        engines.socscope("at91eb40a", image, mode, result="bench_result")["result"]
        for mode in comparison.MODES
    }
    assert results == {"95f7e080"}  # As QEMU gives for the port to its board.


def test_a_row_is_met_above_its_floor_or_below_its_limit() -> None:
    assert Row("speed", 1.0, "ratio", 1.0).met
    assert not Row("speed", 0.99, "ratio", 1.0).met
    assert Row("memory", 150, "MB", 150, "at most").met
    assert not Row("memory", 151, "MB", 150, "at most").met
    assert Row("cycles", 3, "MHz").met is None
    assert Row("memory", 151, "MB", 150, "at most").as_json() == {
        "name": "memory",
        "value": 151,
        "unit": "MB",
        "floor": 150,
        "met": False,
    }


def test_benches_keep_each_others_rows(tmp_path: Path) -> None:
    rows.merge([Row("a", 1, "s"), Row("b", 2, "s")], "first", {"x": 1}, folder=tmp_path)
    rows.merge([Row("b", 3, "s"), Row("c", 4, "s")], "second", {"y": 2}, folder=tmp_path)
    found = json.loads((tmp_path / "bench.json").read_text())
    assert [(row["name"], row["value"]) for row in found] == [("a", 1), ("b", 3), ("c", 4)]
    assert json.loads((tmp_path / "bench-raw.json").read_text()) == {"first": {"x": 1}, "second": {"y": 2}}


def test_a_wrong_result_ends_the_comparison() -> None:
    case = comparison.Case(images.PROGRAMS[0], "arm")
    sample = {"result": "00000001", "instructions": 5, "accesses": [["data", 32, "read", 1]]}
    comparison.agree(case, {"profile": sample, "plugin": sample, "qemu": sample})
    with pytest.raises(comparison.WrongCountsError, match=r"^core arm: results differ: "):
        comparison.agree(case, {"profile": sample, "plugin": sample, "qemu": {"result": "00000002"}})
    for what, value in {"instructions": 6, "accesses": [["data", 32, "read", 2]]}.items():
        with pytest.raises(comparison.WrongCountsError, match=f"^core arm: {what} differ: "):
            comparison.agree(case, {"profile": sample, "plugin": sample | {what: value}})


def test_samples_are_told_apart_by_their_crate() -> None:
    core = "_core.abi3.so"
    report = "\n".join(
        f" 10.00% \t{module} \t[.] {symbol} \t- -"
        for module, symbol in [
            ("[unknown]", "0x7f0000001000"),
            ("memfd:code (deleted)", "0x10"),
            (core, "socscope_arm::interpreter::step::run"),
            (core, "<socscope_probe::Profile as socscope_core::observer::Observer>::data"),
            (core, "cranelift_codegen::context::Context::compile"),
            (core, "<socscope_devices::atmel::tc::Timer as socscope_device::Device>::read"),
            (core, "alloc::collections::btree::map::BTreeMap<K,V,A>::remove"),
            ("libpython3.11.so.1.0", "gc_collect_main"),
        ]
    )
    assert host_time.shares(report) == {
        "translated": 20,
        "interpreter": 10,
        "translation": 10,
        "devices": 10,
        "probes": 10,
        "machine": 10,
        "start": 10,
    }


def test_the_map_is_estimated_by_a_straight_line_through_two_runs(tmp_path: Path) -> None:
    """A run of 2 s and 0.1 s a packet takes 102 s; there are 11 designs and latencies at 32 lengths."""
    points = MapSample().space(quick=False)["sample"]
    results = [Result(one, run_that_took(tmp_path / str(number), one)) for number, one in enumerate(points)]
    whole = map_sample.estimate(results)
    assert (len(points), whole.runs) == (22, 352)
    assert whole.seconds == pytest.approx(352 * 102)
    assert whole.executed_cycles == pytest.approx(352 * 1_000_000)


def run_that_took(folder: Path, parameters: Rule30Parameters) -> Run:
    """A record of a run, as far as the estimate looks at it."""
    folder.mkdir()
    note_host(folder, 2 + 0.1 * parameters.packets)
    facts = {**parameters.values(), "executed_cycles": 1000 * parameters.packets}
    return Run(folder, Manifest.model_construct(parameters=facts))
