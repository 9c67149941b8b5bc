"""Pictures of sheets on a page: only shapes and text of an SVG come through, whatever the file holds."""

import re
from xml.etree import ElementTree

from markupsafe import Markup

from socscope.errors import SheetError

_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {
    "svg", "g", "title", "desc", "path", "polygon", "polyline", "line", "rect", "circle", "ellipse",
    "text", "tspan",
}  # fmt: skip
# What shapes and text need; nothing that refers to anything.
_ATTRIBUTES = {
    "viewBox", "width", "height", "transform", "d", "points", "x", "y", "x1", "y1", "x2", "y2",
    "cx", "cy", "r", "rx", "ry", "dx", "dy", "fill", "fill-opacity", "stroke", "stroke-width",
    "stroke-dasharray", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "opacity",
    "text-anchor", "font-family", "font-size", "font-weight", "font-style", "dominant-baseline",
    "textLength", "lengthAdjust",
}  # fmt: skip
SIZE_MAX = 8_000_000
# As part of a page its elements need no prefix.
ElementTree.register_namespace("", _SVG[1:-1])


def sanitised(svg: str, place: str) -> Markup:
    """The picture with nothing in it that runs, loads or links; fails with its place when it is no SVG."""
    if len(svg) > SIZE_MAX:
        raise SheetError(f"{place}: the picture is larger than {SIZE_MAX:,} characters; leave it away")
    # Graphviz names a document type; one with entities of its own could swell without bound.
    plain = re.sub(r"<!DOCTYPE[^>\[]*>", "", svg, count=1)
    if "<!DOCTYPE" in plain or "<!ENTITY" in plain:
        raise SheetError(f"{place}: the picture declares entities; draw it without")
    try:
        root = ElementTree.fromstring(plain)
    except ElementTree.ParseError as error:
        raise SheetError(f"{place}: the picture is no SVG: {error}") from None
    if root.tag != f"{_SVG}svg":
        raise SheetError(f"{place}: the picture is no SVG: it begins with {root.tag[:40]}")
    _clean(root)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _clean(element: ElementTree.Element) -> None:
    element.attrib = {
        name: value
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and not re.search(r"url|:|\\|&", value)
    }
    kept = []
    for child in element:
        # Links lose themselves, not what they hold.
        found = list(child) if child.tag == f"{_SVG}a" else [child]
        kept += [one for one in found if one.tag in {_SVG + name for name in _ELEMENTS}]
    for child in list(element):
        element.remove(child)
    for child in kept:
        _clean(child)
        element.append(child)
