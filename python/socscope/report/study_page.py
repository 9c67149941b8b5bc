"""Renders the outputs of a study as one HTML page that needs nothing else."""

from collections.abc import Sequence

from markupsafe import Markup

from socscope.record import Run
from socscope.report import charts
from socscope.report.page import FOLDER, asset, environment
from socscope.study.sheet import Sheet


def render(title: str, paragraphs: Sequence[str], sheets: Sequence[Sheet], runs: Sequence[Run]) -> str:
    """The page of a study."""
    pictures = {
        (sheet.name, caption): Markup(charts.inline_svg(spec))
        for sheet in sheets
        for caption, spec in sheet.pictures.items()
    }
    template = environment().get_template("study.html")
    return template.render(
        title=title,
        paragraphs=paragraphs,
        sheets=sheets,
        pictures=pictures,
        runs=runs,
        sort_script=asset(FOLDER / "sort.js"),
    )
