"""Renders the outputs of a study as one HTML page that needs nothing else."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from socscope.record import Run
from socscope.report import charts
from socscope.report.page import environment
from socscope.study.sheet import Sheet


def render(name: str, sheets: Sequence[Sheet], runs: Sequence[Run], texts: Path) -> str:
    """The page of a study. `texts` is its description; its first heading is the page's title."""
    title, _, text = texts.read_text(encoding="utf-8").partition("\n")
    pictures = {
        (sheet.name, caption): Markup(charts.inline_svg(spec))
        for sheet in sheets
        for caption, spec in sheet.pictures.items()
    }
    template = environment().get_template("study.html")
    return template.render(
        name=name,
        title=title.removeprefix("# "),
        paragraphs=[part for part in text.strip().split("\n\n") if part],
        sheets=sheets,
        pictures=pictures,
        runs=runs,
    )
