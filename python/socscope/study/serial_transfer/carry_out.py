"""Carries the study out: builds the guests, makes the runs, writes tables, pictures and the report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from socscope import _core, platform
from socscope.platform import ROOT
from socscope.record import Run
from socscope.record.write import whole_file
from socscope.simulation import DEFAULT_LAYERS
from socscope.study import pool
from socscope.study.pool import Progress
from socscope.study.serial_transfer import outputs, transfer
from socscope.study.serial_transfer.measures import Measured
from socscope.study.serial_transfer.parameters import Parameters, Plan, plan
from socscope.study.sheet import Sheet
from socscope.study.space import Point
from socscope.version import VERSION

NAME = "serial-transfer"


@dataclass(frozen=True)
class Results:
    """What the study gave: its sheets, its runs, and the page."""

    sheets: list[Sheet]
    runs: list[Run]
    page: Path


def carry_out(
    folder: Path,
    *,
    quick: bool = False,
    jobs: int = 1,
    settings: Sequence[str] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_build: Callable[[str], None] = lambda _: None,
) -> Results:
    """Makes the runs that `folder` does not hold yet, and everything that follows from them."""
    wanted = plan(quick=quick, settings=settings)
    points = _points(wanted.points(), on_build)
    runs = pool.carry_out(
        list(points.values()), transfer.worker, folder / "runs", jobs=jobs, on_progress=on_progress
    )
    measured = {parameters: Measured(run) for parameters, run in zip(points, runs, strict=True)}
    sheets = _sheets(wanted, measured)
    for sheet in sheets:
        sheet.write(folder)
    from socscope.report import study_page  # noqa: PLC0415 - takes a moment to import.

    page = folder / "report.html"
    whole_file(
        page, study_page.render(NAME, sheets, runs, ROOT / "studies" / "serial_transfer" / "README.md")
    )
    return Results(sheets, runs, page)


def _points(wanted: Sequence[Parameters], on_build: Callable[[str], None]) -> dict[Parameters, Point]:
    """The points with the hashes of all that goes into them; builds the guests that are missing."""
    core = sha256(Path(_core.__file__).read_bytes()).hexdigest()
    tree = platform.load("at91x40").sha256
    layers = sha256(DEFAULT_LAYERS.read_bytes()).hexdigest()
    images: dict[str, str] = {}
    points = {}
    for parameters in wanted:
        settings = parameters.guest()
        text = " ".join(f"{name}={value}" for name, value in settings.items() if value)
        if text not in images:
            on_build(text)
            images[text] = sha256(transfer.image(parameters).read_bytes()).hexdigest()
        inputs = {"image": images[text], "platform": tree, "layers": layers, "core": core, "version": VERSION}
        points[parameters] = Point(parameters.values(), inputs)
    return points


def _sheets(wanted: Plan, measured: dict[Parameters, Measured]) -> list[Sheet]:
    def of(parameters: Sequence[Parameters]) -> list[Measured]:
        return [measured[one] for one in parameters]

    by_size, sent = of(wanted.sizes), of(wanted.send)
    detail = measured[wanted.detail]
    sheets = [
        outputs.overview(by_size, sent),
        outputs.overhead(by_size, sent),
        outputs.classes(by_size, sent),
        outputs.modules(detail),
        outputs.functions(detail),
        outputs.accesses(detail),
        outputs.registers(detail),
        outputs.dma(by_size, sent),
        outputs.occupation(of(wanted.clocks)),
    ]
    if wanted.variants:
        sheets.append(outputs.variants(detail, of(wanted.variants)))
    return [*sheets, outputs.errors(of(wanted.noisy))]
