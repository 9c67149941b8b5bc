"""From an image to a sheet: traces, sections, parts, and prices that are the simulated cycles."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from socscope import _core
from socscope.characterize.build import Characterized, characterize
from socscope.characterize.dynamic import bench
from socscope.characterize.dynamic import trace as t
from socscope.characterize.dynamic.bench import Bench, Source
from socscope.characterize.dynamic.trace import Trace
from socscope.cli import app
from socscope.errors import CharacterizeError
from socscope.estimate.simulated import simulated
from socscope.image import Image
from socscope.sheet import file
from socscope.sheet.model import Path as SheetPath
from socscope.simulation import Simulation
from typer.testing import CliRunner

RING = Path(__file__).parents[2] / "guests" / "ring"
PLATFORMS = ("at91eb40a", "at91x40", "sheet-sram", "sheet-ext16")
Ring = Callable[[str], Path]

TRACED = """
    .text
    .arm
    .global _start
_start:
    ldr   r4, =0x1000
    ldr   r5, =counter
traced:
    ldr   r0, [r4]
    stmia r4, {r0, r1}
    cmp   r0, #1
    addeq r0, r0, #1
    mov   r2, #0x300
    mul   r3, r0, r2
    bl    inner
    str   r0, [r5]
    adr   r0, half + 1
    bx    r0
    .thumb
half:
    nop
    .arm
    .balign 4
    .global over
over:
    b     over
inner:
    mov   pc, lr
    .ltorg
    .section .counters, "aw", %nobits
counter:
    .space 4
"""


def _compiled(folder: Path, *options: str) -> None:
    subprocess.run(
        ["arm-none-eabi-gcc", "-mcpu=arm7tdmi", "-mthumb-interwork", "-g", "-nostdlib", *options],
        cwd=folder,
        check=True,
    )


@pytest.fixture(scope="session")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Ring:
    """The ring buffer's image for an instruction set: code in external memory, data on the chip."""
    built: dict[str, Path] = {}

    def image(instruction_set: str) -> Path:
        if instruction_set not in built:
            folder = tmp_path_factory.mktemp(f"ring-{instruction_set}")
            places = "-Ttext=0x01000100 -Wl,--section-start=.bss=0x400 -Wl,--section-start=.stack=0x1000"
            sources = [str(RING / name) for name in ("start.S", "ring.c")]
            _compiled(
                folder,
                f"-m{instruction_set}",
                "-O2",
                "-ffreestanding",
                *places.split(),
                *sources,
                "-o",
                "ring.elf",
            )
            built[instruction_set] = folder / "ring.elf"
        return built[instruction_set]

    return image


def _source(image: Path, platform: str = "at91eb40a", services: Path = RING / "services.toml") -> Source:
    return Source(image, services, platform)


def _priced(done: Characterized, path: SheetPath, values: Mapping[str, int], bench: Bench) -> Fraction:
    """Cycles of a path at the costs of a bench's platform."""
    target = simulated(bench.ready.machine, done.sheet.sections, "bench")
    [service] = [one for one in done.sheet.services if path in one.paths]
    return target.ns(target.cost(service, path, values).uses) / target.platform.cycle_ns


def test_a_trace_has_every_instruction_bus_cycle_and_change(tmp_path: Path) -> None:
    (tmp_path / "traced.S").write_text(TRACED)
    _compiled(tmp_path, "-Ttext=0x100", "-Wl,--section-start=.counters=0x800", "-o", "traced.elf", "traced.S")
    image = Image.read(tmp_path / "traced.elf")
    simulation = Simulation("sheet-sram", image)
    simulation.run("1ms", until_symbol="traced")
    machine = simulation.machine
    machine.poke(0x1000, (1).to_bytes(4, "little"))
    begin = machine.cycle
    kind, _, tables = machine.trace(
        [(image.address_of("counter"), 4)], 10**12, until_address=image.address_of("over")
    )
    assert kind == "address"
    trace = Trace.unpack(tables, 1)
    rows, bus = trace.rows, trace.bus
    assert rows.kind.tolist() == [t.EXECUTED] * 13
    assert rows.transfer.tolist() == [0, 0, 0, 0, 0, 0, t.CALL, t.JUMP, 0, 0, t.JUMP, 0, 0]
    assert (rows.size == [4] * 11 + [2] * 2).all()
    assert rows.cycle[0] == begin
    assert (np.diff(rows.cycle) == rows.cycles[:-1]).all()
    assert int(rows.cycles.sum()) == machine.cycle - begin
    # Both fetches follow the I cycle of a load. Load: N data and an I cycle. Store multiple: N and S data,
    # and an N fetch behind it.
    shown = [
        (int(row), int(purpose), int(sequence))
        for row, purpose, sequence in zip(bus.row, bus.purpose, bus.sequence, strict=True)
        if row < 3
    ]
    assert shown == [
        *[(0, t.FETCH, 2), (0, t.READ, 0), (0, t.INTERNAL, 0)],
        *[(1, t.FETCH, 2), (1, t.WRITE, 0), (1, t.WRITE, 1)],
        *[(2, t.FETCH, 0)],
    ]
    # r2 is 0x300: two bytes of the multiplier's operand.
    assert bus.address[(bus.purpose == t.INTERNAL) & (bus.row == 5)].tolist() == [2]
    assert trace.watched[0].tolist() == [0] * 9 + [2] * 4


@pytest.mark.parametrize("instruction_set", ["arm", "thumb"])
def test_prices_are_the_simulated_cycles_on_every_platform(ring: Ring, instruction_set: str) -> None:
    image = ring(instruction_set)
    done = characterize(_source(image), only=["ring_put"], static=False)
    [service] = done.sheet.services
    for platform in PLATFORMS:
        bench = Bench(_source(image, platform))
        facts = next(one for one in bench.services.service if one.name == "ring_put")
        for path, run in zip(service.paths, facts.path, strict=True):
            assert path.fit.exact
            for length in (0, 1, 7, 64, 200) if path.name == "worst" else (1,):
                episode = bench.episode(facts, run, {"L": length})
                assert _priced(done, path, {"L": length}, bench) == episode.cycles, (
                    platform,
                    path.name,
                    length,
                )


def test_parts_follow_blocking_and_repetition(ring: Ring) -> None:
    done = characterize(_source(ring("arm")), only=["ring_put"], static=False)
    worst = done.sheet.services[0].paths[0]
    assert [part.blocking for part in worst.parts] == ["none", *["interrupts"] * 4, "none"]
    assert {str(part.repetition) for part in worst.parts} >= {"1", "L"}
    assert worst.fit.verified >= 2
    assert {one.name: one.kind for one in done.sheet.sections} == {
        ".text": "code",
        ".bss": "data",
        ".stack": "stack",
    }
    assert done.sheet.kernel.instruction_set == "arm"
    assert "-O2" in done.sheet.kernel.compiler
    [length] = done.sheet.services[0].parameters
    assert (length.minimum, length.maximum) == (0, 100)


def test_counts_without_a_rule_are_given_from_above(ring: Ring) -> None:
    source = _source(ring("thumb"))
    done = characterize(source, only=["checksum"], static=False)
    [path] = done.sheet.services[0].paths
    assert not path.fit.exact
    assert 0 < path.fit.excess_max < 1
    assert "upper bounds" in path.fit.note
    for (length,), cycles in done.services[0].paths[0].cycles.items():
        assert _priced(done, path, {"L": length}, Bench(source)) >= cycles


def test_what_the_static_side_sees_is_cut_out(ring: Ring, tmp_path: Path) -> None:
    """From the entry to its return, or from a place within it to the end or to a stop."""
    cycles = []
    for more in (
        "",
        'start = "interrupts_off"',
        'start = "interrupts_off"\nstop = ["interrupts_restore"]',
        'start = "interrupts_restore+0x4"',
        'start = "stay"',
    ):
        services = _described(
            tmp_path, ("[[service.parameter]]", f"[service.static]\n{more}\n[[service.parameter]]")
        )
        bench = Bench(_source(ring("arm"), services=services))
        facts = bench.services.service[0]
        episode = bench.episode(facts, facts.path[0], {"L": 3})
        if more == "":
            assert episode.entered is not None
            assert episode.entered.cycles == episode.cycles
        cycles.append(-1 if episode.entered is None else episode.entered.cycles)
    whole, from_lock, locked, behind, nowhere = cycles
    assert nowhere == -1
    assert whole > from_lock > locked > behind > 0


def test_several_services_at_a_time_give_the_same_sheet(ring: Ring) -> None:
    source = _source(ring("arm"))
    names: list[str] = []
    one = characterize(source, only=["ring_put", "find"], static=False)
    two = characterize(
        source,
        only=["ring_put", "find"],
        static=False,
        jobs=2,
        on_service=lambda name, _done, total: names.append(f"{name} of {total}"),
    )
    assert file.text(one.sheet) == file.text(two.sheet)
    assert sorted(names) == ["find of 2", "ring_put of 2"]


def test_worst_paths_are_bounded_on_several_platforms(ring: Ring) -> None:
    both = ("sheet-ext16", "sheet-sram")
    done = characterize(_source(ring("arm")), only=["ring_put"], references=both)
    [service] = done.sheet.services
    static = service.static
    assert static is not None
    assert set(static.bounds) == {"at91eb40a", *both}
    assert static.bounds["at91eb40a"] == static.bound_cycles
    assert {name for path in static.worst_paths for name in path.worst_on} == set(static.bounds)
    for platform in both:
        alone = characterize(_source(ring("arm"), platform), only=["ring_put"]).sheet.services[0].static
        assert alone is not None
        assert alone.bound_cycles == static.bounds[platform]


def test_the_command_writes_a_sheet_and_a_table(ring: Ring, tmp_path: Path) -> None:
    out = tmp_path / "ring.sheet.json"
    options = [
        "characterize",
        str(ring("arm")),
        *["--services", str(RING / "services.toml"), "--out", str(out), "--no-static", "--only", "ring_put"],
    ]
    shown = CliRunner().invoke(app, options)
    assert shown.exit_code == 0, shown.output
    assert "25 + 7*L + 5*min(L, 1)" in shown.output
    assert file.read(out).services[0].name == "ring_put"
    as_json = CliRunner().invoke(app, [*options, "--json"])
    first = json.loads(as_json.stdout)["paths"][0]
    assert first["path"] == "worst"
    assert first["exact"] is True
    assert first["cycles_min"] < first["cycles_max"]


def _described(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = (RING / "services.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "services.toml"
    path.write_text(text)
    return path


def test_an_interrupted_command_leaves_nothing(
    ring: Ring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("socscope.characterize.build.measure", interrupted)
    out = tmp_path / "results" / "ring.sheet.json"
    services = ["--services", str(RING / "services.toml"), "--out", str(out), "--jobs", "1"]
    done = CliRunner().invoke(app, ["characterize", str(ring("arm")), *services])
    assert done.exit_code == 130
    assert not out.parent.exists()
    refused = CliRunner().invoke(app, ["characterize", str(ring("arm")), *services[:2], "--out", "ring.txt"])
    assert refused.exit_code == 2
    assert "a sheet is a .json file, such as ring.sheet.json" in refused.output
    (tmp_path / "file").write_text("")
    nowhere = CliRunner().invoke(
        app, ["characterize", "no.elf", *services[:2], "--out", str(tmp_path / "file/a.json")]
    )
    assert "cannot be written there; give another file" in nowhere.output


BLOCKING = '[[blocking]]\nkind = "interrupts"\nwhen = "cpsr.i"'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('entry = "ring_put"', 'entry = "ring_putt"', "services.toml: service ring_put: entry: .*no symbol"),
        ("ring_put(addr", "rung_put(addr", "service ring_put, path worst: call: .*: no symbol rung_put"),
        ('"main"', '"mian"', "services.toml: image.ready: .*no symbol mian"),
        ('"main"', '"stay"', r"the ready state \(stay\) was not reached: nothing came within 10s"),
        ('expect = "L"', "expect = 77", r"path worst, L=1: the result is 1 \(0x1\), and 77 was expected"),
        (
            BLOCKING,
            '[[blocking]]\nkind = "source"\ndevice = "vic"\nregister = "MASK"\nnot_zero = true',
            "blocking source: at91eb40a has no device vic; it has .*aic",
        ),
        (
            BLOCKING,
            '[[blocking]]\nkind = "source"\ndevice = "aic"\nregister = "MASK"\nnot_zero = true',
            "blocking source: aic has no register MASK; it has .*AIC_IMR",
        ),
        (
            BLOCKING,
            '[sections]\nheap = [".heap"]',
            r"sections.heap: .heap is neither a section nor a variable of the image; its sections are .bss",
        ),
        (
            BLOCKING,
            '[sections]\nkinds = {".heap" = "heap"}',
            "sections.kinds: no section is called .heap; there are",
        ),
        (
            'call = \'ring_put(address("ring"), address("samples"), L)\'',
            "call = 'main()'",
            "its end .* was not reached: the time limit",
        ),
    ],
)
def test_what_is_wrong_with_a_description_is_said(
    ring: Ring, tmp_path: Path, old: str, new: str, message: str
) -> None:
    services = _described(tmp_path, (old, new), ("[image]", "[image]\nlimit_ms = 5"))
    with pytest.raises(CharacterizeError, match=message):
        characterize(_source(ring("arm"), services=services), only=["ring_put"], static=False)


def test_an_image_without_symbols_is_refused(ring: Ring, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped.elf"
    shutil.copy(ring("arm"), stripped)
    subprocess.run(["arm-none-eabi-strip", stripped], check=True)
    with pytest.raises(CharacterizeError, match="has no symbols, and they name the services"):
        characterize(_source(stripped), static=False)


def test_a_service_that_is_not_there_is_refused(ring: Ring) -> None:
    with pytest.raises(
        CharacterizeError, match="no service is called put; there are ring_put, checksum, find"
    ):
        characterize(_source(ring("arm")), only=["put"], static=False)


def test_a_platform_that_counts_no_bus_cycles_is_refused(ring: Ring) -> None:
    source = Source(
        ring("arm"), RING / "services.toml", "at91eb40a", ('/cpus/cpu@0:socscope,timing="fixed-cpi"',)
    )
    with pytest.raises(
        CharacterizeError, match='does not count them; set /cpus/cpu@0:socscope,timing="arm7tdmi"'
    ):
        characterize(source, only=["ring_put"], static=False)


def test_a_description_that_has_changed_is_read_anew(ring: Ring, tmp_path: Path) -> None:
    services = _described(tmp_path)
    source = _source(ring("arm"), services=services)
    characterize(source, only=["find"], static=False)
    services.write_text(services.read_text().replace('summary = "it is not there"', 'summary = "missing"'))
    again = characterize(source, only=["find"], static=False)
    assert again.sheet.services[0].paths[0].summary == "missing"


def test_watched_registers_and_sections_of_groups(ring: Ring, tmp_path: Path) -> None:
    services = _described(
        tmp_path,
        (
            BLOCKING,
            BLOCKING
            + '\n[[blocking]]\nkind = "source"\ndevice = "aic"\nregister = "AIC_IMR"\ncondition = "& 4 = 0"'
            + '\n[sections]\nbuffer = ["ring"]\n".stack" = [".stack"]\nkinds = {buffer = "heap"}',
        ),
    )
    done = characterize(_source(ring("arm"), services=services), only=["ring_put"], static=False)
    kinds: dict[str, Any] = {one.name: one.kind for one in done.sheet.sections}
    assert kinds["buffer"] == "heap"
    blocking = [part.blocking for part in done.sheet.services[0].paths[0].parts]
    assert blocking[0] == blocking[-1] == "source"


def test_a_case_that_fails_ends_no_validation(ring: Ring, tmp_path: Path) -> None:
    """It is named, in the table and at the end; all others are held against the sheet."""
    done = characterize(_source(ring("arm")), only=["ring_put", "find"], static=False)
    sheet = tmp_path / "ring.sheet.json"
    file.write(sheet, done.sheet)
    services = _described(tmp_path, ("expect = 0", "expect = 5"))
    command = ["validate", str(sheet), str(ring("arm")), "--services", str(services), "--jobs", "1"]
    shown = CliRunner().invoke(app, [*command, "--platform", "sheet-sram", "--platform", "sheet-ext16"])
    assert shown.exit_code == 1, shown.output
    messages = " ".join(shown.stderr.split())
    for platform in ("sheet-sram", "sheet-ext16"):
        assert f"{platform}: service ring_put, path full, L=1: the result is 0 (0x0), and 5 was" in messages
    assert "2 cases failed, all others were run" in messages
    assert re.search(r"ring_put\s+\d+\s+1\s", shown.stdout)
    assert re.search(r"find\s+\d+\s+1\.0000", shown.stdout)
    answer = json.loads(CliRunner().invoke(app, [*command, "--platform", "sheet-sram", "--json"]).stdout)
    [failed] = answer["failed"]
    assert (failed["path"], failed["parameters"]) == ("full", {"L": 1})
    assert {run["service"] for run in answer["runs"]} == {"ring_put", "find"}
    assert answer["unsafe"] == 0


def test_a_case_that_does_not_fit_into_memory_says_so(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "ROW_BYTES", _core.memory_limit() // 50)
    with pytest.raises(CharacterizeError) as caught:
        characterize(_source(ring("arm")), only=["ring_put"], static=False)
    message = str(caught.value)
    assert "the trace has 50 rows, which is what fits into half of this host's memory" in message
    assert "choose smaller parameters, or a host with more memory" in message
