"""Pictures: bars and lines as SVG, in the page's own colours or in fixed ones for files."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

# Stand-ins that no chart has otherwise: a page puts its variables there, a file the light theme's colours.
_STANDINS = {
    "ink": "#010203",
    "quiet": "#010204",
    "line": "#010205",
    **{f"c{number}": f"#01030{number}" for number in range(8)},
    "idle": "#010309",
}
WIDTH = 640
HEIGHT = 260

Row = Mapping[str, Any]
Spec = dict[str, Any]


def bars(
    rows: Sequence[Row],
    *,
    x: tuple[str, str],
    y: tuple[str, str],
    part: str,
    parts: Sequence[str],
    classes: Mapping[str, str] | None = None,
) -> Spec:
    """Stacked bars: one for each `x`, cut into parts in their order. Axes are a column and its title."""
    data = [{**row, "_order": parts.index(row[part])} for row in rows]
    across = alt.X(x[0], type="ordinal", title=x[1], sort=None, axis=alt.Axis(labelAngle=0))
    chart = _chart(data, y, _colour(part, parts, classes)).mark_bar(size=34)
    return _themed(chart.encode(x=across, order=alt.Order("_order", type="quantitative")))


def lines(
    rows: Sequence[Row],
    *,
    x: tuple[str, str],
    y: tuple[str, str],
    part: str,
    parts: Sequence[str],
    classes: Mapping[str, str] | None = None,
    logarithmic: bool = False,
    magnitudes: bool = False,
) -> Spec:
    """Lines with their points: one for each part.

    `logarithmic` is for `x`. `magnitudes` makes `y` so, where some parts are many times others; all values
    must be above 0 then.
    """
    scale = alt.Scale(type="log" if logarithmic else "linear", nice=False, zero=False)
    axis = alt.Axis(values=sorted({row[x[0]] for row in rows}), grid=False)
    across = alt.X(x[0], type="quantitative", title=x[1], scale=scale, axis=axis)
    chart = _chart(rows, y, _colour(part, parts, classes)).mark_line(point={"size": 40})
    if magnitudes:
        up = alt.Scale(type="log", nice=True)
        chart = chart.encode(y=alt.Y(y[0], type="quantitative", title=y[1], scale=up))
    return _themed(chart.encode(x=across))


def grid(
    rows: Sequence[Row], *, x: tuple[str, str], y: tuple[str, str], part: str, parts: Sequence[str]
) -> Spec:
    """A map: a field for each `x` and `y`, in the colour of its part."""
    across = alt.X(x[0], type="ordinal", title=x[1], axis=alt.Axis(labelAngle=0, labelOverlap=True))
    up = alt.Y(y[0], type="ordinal", title=y[1], sort="descending")
    chart = alt.Chart(alt.InlineData(values=list(rows)), width=WIDTH, height=alt.Step(28)).mark_rect()
    return _themed(chart.encode(x=across, y=up, color=_colour(part, parts, None)))


def _chart(rows: Sequence[Row], y: tuple[str, str], colour: alt.Color) -> alt.Chart:
    chart = alt.Chart(alt.InlineData(values=list(rows)), width=WIDTH, height=HEIGHT)
    return chart.encode(y=alt.Y(y[0], type="quantitative", title=y[1]), color=colour)


def _colour(part: str, parts: Sequence[str], classes: Mapping[str, str] | None) -> alt.Color:
    known = classes or {name: f"c{place % 8}" for place, name in enumerate(parts)}
    scale = alt.Scale(domain=list(parts), range=[_STANDINS[known[name]] for name in parts])
    colour = alt.Color(part, type="nominal", title=None, sort=list(parts), scale=scale)
    # One part needs no legend.
    return colour if len(parts) > 1 else colour.legend(None)


def _themed(chart: alt.Chart) -> Spec:
    ink, quiet, line = (_STANDINS[name] for name in ("ink", "quiet", "line"))
    spec: Spec = chart.to_dict()
    spec["background"] = "transparent"
    spec["config"] = {
        "font": "system-ui, DejaVu Sans, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "labelColor": quiet,
            "titleColor": quiet,
            "titleFontWeight": 400,
            "domainColor": line,
            "tickColor": line,
            "gridColor": line,
        },
        "legend": {"labelColor": ink, "symbolType": "square"},
    }
    return spec


def inline_svg(spec: Mapping[str, Any]) -> str:
    """The picture for a page: it takes the page's colours, light or dark."""
    svg: str = vl_convert.vegalite_to_svg(dict(spec))
    for name, colour in _STANDINS.items():
        svg = svg.replace(colour, f"var(--{name})")
    return svg


def file_svg(spec: Mapping[str, Any]) -> str:
    """The picture for a file of its own, on white."""
    svg: str = vl_convert.vegalite_to_svg({**spec, "background": "#ffffff"})
    light = _light_theme()
    for name, colour in _STANDINS.items():
        svg = svg.replace(colour, light[name])
    return svg


def _light_theme() -> dict[str, str]:
    """The colours of the page's light theme: the first block of its style."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", style.partition("@media")[0]))
