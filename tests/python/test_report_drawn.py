"""Pages as a browser draws them: boxes as wide as their share, text that can be read in both themes."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from socscope.record import Run, integrity
from socscope.report import page, summary

CONTRAST_MIN = 4.5
NARROW = 300
# Text of every element with the colours that it has and stands on, as the browser worked them out.
TEXTS = """() => {
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!own || !element.getClientRects().length) continue;
    let behind = element, colour = "rgba(0, 0, 0, 0)";
    for (; behind && colour === "rgba(0, 0, 0, 0)"; behind = behind.parentElement)
      colour = getComputedStyle(behind).backgroundColor;
    found.push([element.textContent.trim().slice(0, 40), getComputedStyle(element).color, colour]);
  }
  return found;
}"""
BOXES = """() => {
  const whole = document.getElementById("flame").getBoundingClientRect();
  return [whole.width, [...document.querySelectorAll("#flame button")].map((one) => {
    const box = one.getBoundingClientRect();
    return [one.getAttribute("aria-label"), box.left - whole.left, box.width, box.top - whole.top];
  })];
}"""


def luminance(colour: str) -> float:
    """Relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def drawn(browser: Browser, text: str, path: Path, scheme: Any = "light") -> Page:  # noqa: ANN401 - playwright's.
    path.write_text(text, encoding="utf-8")
    view = browser.new_page(viewport={"width": 1180, "height": 900}, color_scheme=scheme)
    view.goto(path.as_uri())
    return view


def crowd(run: Run) -> dict[str, Any]:
    """A root that calls functions of all layers, most of them too small for a pixel."""
    layers = [f"layer {number}" for number in range(8)]
    counts = [0, 200_000, *(100_000 for _ in range(8)), *(30 * number for number in range(NARROW))]
    return {
        **summary.flame(run),
        "functions": [f"function_{number}" for number in range(len(counts))],
        "layers": layers,
        "parent": [-1, *(0 for _ in counts[1:])],
        "function": list(range(len(counts))),
        "layer": [number % 8 for number in range(len(counts))],
        "entry": ["call" for _ in counts],
        "instructions": counts,
        "cycles": counts,
    }


@pytest.fixture
def crowded(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A record whose page has all colours, and many small boxes."""
    flame = crowd(run)
    monkeypatch.setattr(summary, "flame", lambda _: flame)
    names = [f"layer {number}" for number in range(8)]
    # What is drawn here is no record.
    monkeypatch.setattr(integrity, "check", lambda _: None)
    run.manifest = run.manifest.model_copy(update={"layer_names": names})
    return run


def test_boxes_of_the_flame_graph_are_as_wide_as_their_share(
    browser: Browser, crowded: Run, tmp_path: Path
) -> None:
    view = drawn(browser, page.render(crowded), tmp_path / "page.html")
    width, boxes = view.evaluate(BOXES)
    view.close()
    whole = sum(crowd(crowded)["instructions"])
    narrow = 0
    ends: dict[float, float] = {}
    for label, left, wide, top in sorted(boxes, key=lambda box: (box[3], box[1])):
        share = int(label.split()[1].replace(",", "")) / whole
        assert wide == pytest.approx(share * width, abs=0.1), label
        assert left >= ends.get(top, 0.0) - 0.1, f"{label} lies over its neighbour"
        ends[top] = left + wide
        narrow += wide < 9
    assert narrow > 20
    assert max(ends.values()) <= width + 0.1


def test_parts_of_a_strip_are_as_wide_as_their_share(
    browser: Browser, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "check", lambda _: None)
    run.manifest = run.manifest.model_copy(
        update={"totals": run.manifest.totals.model_copy(update={"stopped_cycles": 10**6})}
    )
    view = drawn(browser, page.render(run), tmp_path / "page.html")
    strips = view.evaluate(
        "() => [...document.querySelectorAll('.strip')].map((strip) => [strip.getBoundingClientRect().width,"
        " [...strip.children].map((part) => [part.style.width, part.getBoundingClientRect().width])])"
    )
    view.close()
    assert len(strips) == 2
    for width, parts in strips:
        for share, wide in parts:
            assert wide == pytest.approx(float(share.rstrip("%")) / 100 * width, abs=0.1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(
    browser: Browser, crowded: Run, tmp_path: Path, scheme: str
) -> None:
    view = drawn(browser, page.render(crowded), tmp_path / "page.html", scheme)
    texts = view.evaluate(TEXTS)
    view.close()
    behind = {colour for text, _, colour in texts if text.startswith("function_")}
    assert len(behind) >= 8
    weak = {
        (text, round(contrast(ink, paper), 2))
        for text, ink, paper in texts
        if contrast(ink, paper) < CONTRAST_MIN
    }
    assert not weak
