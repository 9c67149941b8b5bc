"""Cost sheets of the kernel on a PowerPC: cycles of instructions, cut, fitted and verified as on ARM."""

from pathlib import Path

import pytest
from self_tests import ROOT, build
from socscope.characterize.build import characterize
from socscope.characterize.dynamic.bench import Bench, Source
from socscope.cli import app
from socscope.errors import CharacterizeError
from socscope.sheet import write
from typer.testing import CliRunner

SERVICES = ROOT / "guests/rtos/characterize/services.toml"
CHOSEN = (
    "semaphore_post",
    "queue_send",
    "heap_alloc",
    "timer interrupt",
    "interrupt entry",
    "interrupt exit",
)


@pytest.fixture(scope="module")
def image() -> Path:
    return build("characterize", "BOARD=mixed-powerpc") / "characterize.elf"


def test_sheets_price_to_the_simulated_cycles(image: Path, tmp_path: Path) -> None:
    source = Source(image, SERVICES, "powerpc755")
    sheet = characterize(source, only=CHOSEN, static=False).sheet
    assert (sheet.kernel.instruction_set, sheet.kernel.core) == ("powerpc", "755")
    assert (sheet.accuracy.model, sheet.accuracy.validated_against) == (
        "fixed CPI 1/1",
        "nothing: the ratio is an assumption",
    )
    paths = [path for service in sheet.services for path in service.paths]
    assert [path.name for path in paths if not path.fit.exact] == []
    assert [part for path in paths for part in path.parts if part.counts] == []
    written = tmp_path / "kernel.sheet.json"
    write(written, sheet)
    command = ["validate", str(written), str(image), "--services", str(SERVICES), "--platform", "powerpc755"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    [total] = [line.split() for line in done.stdout.splitlines() if line.startswith("all ")]
    assert int(total[1]) > 100
    assert total[2:] == ["1.0000"] * 4


def refused(image: Path, services: Path, platform: str) -> str:
    with pytest.raises(CharacterizeError) as caught:
        characterize(Source(image, services, platform), only=["time_get"], static=False)
    return str(caught.value)


def test_what_cannot_be_measured_says_why(image: Path, tmp_path: Path) -> None:
    assert "mixed-soc: has 2 cores, and what others do would be counted, too; give a platform" in refused(
        image, SERVICES, "mixed-soc"
    )
    fraction = tmp_path / "fraction.dts"
    fraction.write_text('/dts-v1/;\n/include/ "powerpc755.dts"\n&powerpc { socscope,cpi = <3 2>; };\n')
    assert 'set /cpus/<core>:socscope,timing="fixed-cpi" and socscope,cpi=<1 1>' in refused(
        image, SERVICES, str(fraction)
    )
    other = tmp_path / "services.toml"
    other.write_text(SERVICES.read_text().replace('when = "masked"', 'when = "cpsr.i"'))
    message = refused(image, other, "powerpc755")
    assert 'when = "cpsr.i": a PowerPC has no CPSR; write "masked"' in message


def test_interrupts_are_masked_by_the_machine_state(image: Path) -> None:
    bench = Bench(Source(image, SERVICES, "powerpc755"))
    service = next(one for one in bench.services.service if one.name == "semaphore_post")
    path = next(one for one in service.path if one.name == "kept")
    episode = bench.episode(service, path, {parameter.name: 1 for parameter in service.parameter})
    blockings = [piece.blocking for piece in episode.pieces]
    # The stub; the entry of the system call; the service, with its critical section; the way back.
    assert blockings == ["none", "interrupts"] * 3 + ["none"]
    assert episode.cycles == sum(episode.costs.values())
    assert {key[0] for key in episode.costs} == {"internal"}
