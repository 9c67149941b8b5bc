"""The kernel's sheet against real runs: every service, several values of each parameter, four memory maps."""

from pathlib import Path

import pytest
from socscope.characterize.build import Characterized, characterize
from socscope.characterize.dynamic.bench import Source
from socscope.characterize.validate import Checked, validate
from socscope.cli import app
from socscope.errors import CharacterizeError
from socscope.sheet import file
from socscope.sheet.model import Sheet
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
SERVICES = ROOT / "guests" / "rtos" / "characterize" / "services.toml"
MAPS = ("sheet-sram", "sheet-ext32", "sheet-ext16", "sheet-mixed")
SIMPLE_MAX = {"sheet-sram": 1.0, "sheet-mixed": 1.0, "sheet-ext16": 1.1, "sheet-ext32": 2.0}
"""Simple access times say the slowest access, so that they are above by what a memory is faster in bursts:
three wait states against one in sheet-ext32, six against five in sheet-ext16.
"""
SIMPLE_MAX_THUMB = SIMPLE_MAX | {"sheet-ext16": 7 / 6}
"""Thumb fetches are single transfers, and so differ by a wait state of seven cycles, not of thirteen."""

pytestmark = pytest.mark.usefixtures("instruction_set")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.xdist_group(f"sheet-{name}")) for name in ("arm", "thumb")],
)
def instruction_set(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def image(instruction_set: str) -> Path:
    return ROOT / "build" / "guests" / f"characterize-at91eb40a-{instruction_set}" / "characterize.elf"


@pytest.fixture(scope="module")
def characterized(image: Path) -> Characterized:
    return characterize(Source(image, SERVICES, "at91eb40a"))


@pytest.fixture(scope="module")
def sheet(characterized: Characterized) -> Sheet:
    return characterized.sheet


def _said(checked: list[Checked]) -> list[str]:
    return [f"{one.service}, {one.path}, {dict(one.parameters)}" for one in checked]


def test_all_counts_have_exact_formulas_that_other_runs_verify(sheet: Sheet) -> None:
    paths = [(service, path) for service in sheet.services for path in service.paths]
    assert [f"{one.name}, {path.name}: {path.fit.note}" for one, path in paths if not path.fit.exact] == []
    assert [f"{one.name}, {path.name}" for one, path in paths if path.names and not path.fit.verified] == []


def test_static_bounds_are_below_no_run(characterized: Characterized) -> None:
    assert characterized.failures == []
    statics = {service.name: service.static for service in characterized.sheet.services}
    assert [name for name, one in statics.items() if one is None or one.unbounded] == []
    for name, one in statics.items():
        assert one is not None
        assert one.over is not None, name
        assert one.over >= 1, name


@pytest.mark.parametrize("platform", MAPS)
def test_estimates_are_safe_and_close(sheet: Sheet, image: Path, platform: str, instruction_set: str) -> None:
    checked = validate(sheet, Source(image, SERVICES, platform)).checked
    assert {(one.service, one.path) for one in checked} == {
        (service.name, path.name) for service in sheet.services for path in service.paths
    }
    assert _said([one for one in checked if not one.safe]) == []
    assert _said([one for one in checked if one.detailed > 1.01]) == []
    most = (SIMPLE_MAX_THUMB if instruction_set == "thumb" else SIMPLE_MAX)[platform]
    assert _said([one for one in checked if one.simple > most]) == []


def test_several_values_of_each_parameter_are_run(sheet: Sheet, image: Path) -> None:
    only = [service.name for service in sheet.services if len(service.parameters) == 1][:3]
    checked = validate(sheet, Source(image, SERVICES, "sheet-mixed"), only=only).checked
    for name in only:
        [parameter] = next(one for one in sheet.services if one.name == name).parameters
        values = {one.parameters[parameter.name] for one in checked if one.service == name}
        assert len(values) >= 3, name


def test_an_estimate_below_the_time_is_found(sheet: Sheet, image: Path, tmp_path: Path) -> None:
    service = sheet.services[0]
    path = service.paths[0]
    less = path.model_copy(update={"parts": path.parts[1:]})
    shorter = service.model_copy(update={"paths": [less, *service.paths[1:]]})
    wrong = sheet.model_copy(update={"services": [shorter, *sheet.services[1:]]})
    written = tmp_path / "wrong.sheet.json"
    file.write(written, wrong)
    command = ["validate", str(written), str(image), "--services", str(SERVICES), "--platform", "sheet-sram"]
    shown = CliRunner().invoke(app, [*command, "--only", service.name])
    assert shown.exit_code == 4, shown.output
    assert f"sheet-sram: {service.name}, {path.name}" in shown.output


def test_another_image_is_refused(sheet: Sheet, image: Path) -> None:
    other = image.parents[1] / "at91eb40a-arm" / "system.elf"
    with pytest.raises(CharacterizeError, match=r"system.elf: .*no symbol|is not the image of the sheet"):
        validate(sheet, Source(other, SERVICES, "sheet-sram"))
