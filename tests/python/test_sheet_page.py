"""The page of a cost sheet: complete, self-contained, and in a real browser as exact as the command."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sheets as made
from html_checker import Checker
from playwright.sync_api import Page
from socscope import sheet as files
from socscope.errors import SheetError
from socscope.estimate import Placement, Platform, Target, result
from socscope.estimate.choose import Values
from socscope.sheet import Formula, Sheet, page, picture

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
STATIC = {
    "reference": "board", "bound_cycles": "10 + N", "observed_max_cycles": 12, "over": 1.25, "infeasible": 2,
    "unbounded": [{"address": 64, "source": "a.c:3", "reason": "no bound", "remedy": "Add loop_bound"}],
    "uncovered": [{"address": 68, "source": "a.c:4", "what": "the branch to a.c:9"}],
    "picture": SVG.format("<path d='M0 0'/><text>a()</text>"), "call_graph": SVG.format("<circle r='3'/>"),
}  # fmt: skip


def several() -> Sheet:
    """All operators, detailed and simple counts, blocking of all kinds, a count that turns negative."""
    tricky = (
        "max(N - 3, 0) + (7 if N > 4 and not N == 6 or L <= 2 else 5) + (-N + 9) // 4 + min(L, 3, N) "
        "- -2 + (N != L)"
    )
    find = made.service(
        "find <b>",
        made.part("1", made.count("text", "access", tricky), blocking="scheduler", taken_branches=2),
        made.part("2", made.count("stack", "read", "L", 16), repetition="N", blocking="interrupts"),
        names="NL",
        static=STATIC,
    )
    find["paths"].append(
        {"name": "other", "parts": [made.part("1", made.count("heap", "write", "8 - 2*N", 32))]}
    )
    follows = {
        "section": "heap", "operation": "read", "next_section": "stack", "next_operation": "write",
        "direct": False, "count": 11,
    }  # fmt: skip
    heap = made.count("heap", "access", 3)
    copy = made.service("copy", made.part("1", heap, internal_cycles=4, successions=[follows]))
    return made.sheet(find, copy, *[json.loads(made.detailed().services[0].model_dump_json())], name="<k>")


def target(folder: Path) -> Target:
    (folder / "p.toml").write_text("branch_ns = 7\n" + made.DETAILED_PLATFORM + "access_ns = 50\n")
    (folder / "m.toml").write_text(made.DETAILED_MAPPING)
    return Target(Platform.read(folder / "p.toml"), Placement.read(folder / "m.toml"))


@pytest.mark.parametrize("priced", [True, False])
def test_page_is_well_formed_and_loads_nothing(priced: bool, tmp_path: Path) -> None:
    text = page.render(several(), target(tmp_path) if priced else None)
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.loads == []
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", text)
    assert {link.replace("%20", " ") for link in re.findall(r'href="#([^"]+)"', text)}
    assert "<b>" not in text.replace("&lt;b&gt;", "")
    for shown in (
        "10 + N",
        "1.250",
        "0x00000040",
        "Add loop_bound",
        "the branch to a.c:9",
        "<circle r=",
        "8 - 2*N",
    ):
        assert shown in text, shown
    assert page.render(several(), target(tmp_path) if priced else None) == text


def test_pictures_keep_shapes_only() -> None:
    evil = SVG.format(
        "<script>x()</script><style>*{}</style><image href='http://e/'/>"
        "<a href='javascript:x()'><text>kept</text></a><foreignObject><p/></foreignObject>"
        "<rect width='3' onclick='x()' fill='url(#a)' style='x' id='i' stroke='red'/>"
    )
    head = "<?xml version='1.0'?><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x.dtd'>"
    clean = SVG.format('<text>kept</text><rect width="3" stroke="red" />')
    assert picture.sanitised(head + evil, "p") == clean


@pytest.mark.parametrize(
    ("svg", "said"),
    [
        ("<svg", "p: the picture is no SVG: unclosed token"),
        ("<html/>", "p: the picture is no SVG: it begins with html"),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "p: the picture declares entities"),
        (" " * (picture.SIZE_MAX + 1), "p: the picture is larger than"),
    ],
)  # fmt: skip
def test_what_is_no_picture_is_named(svg: str, said: str) -> None:
    with pytest.raises(SheetError) as caught:
        picture.sanitised(svg, "p")
    assert said in str(caught.value)


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Page]:  # noqa: ANN401 - playwright's browser.
    (tmp_path / "page.html").write_text(page.render(several(), target(tmp_path)))
    errors: list[str] = []
    tab = browser.new_page()
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"file://{tmp_path}/page.html")
    yield tab
    tab.close()
    assert errors == []


def line(tab: Page, service: str, path: str = "worst") -> dict[str, str]:
    row = tab.locator(f'#services tr[data-service="{service}"][data-path="{path}"]')
    return {name: row.locator(f".{name}").inner_text() for name in ("total", "blocking", "most", "with")}


def expected(on: Target, service: str, path: str, given: dict[str, int]) -> tuple[str, str]:
    found = next(one for one in several().services if one.name == service)
    (one,) = result.prices(on, found, Values(given), path)
    return result.shown(one.total_ns), result.shown(one.longest_blocking_ns)


def test_the_browser_has_the_same_numbers_for_every_parameter(opened: Page, tmp_path: Path) -> None:
    on = target(tmp_path)
    section = opened.locator('section[data-service="find <b>"]')
    for n, length in ((1, 1), (4, 2), (5, 8), (6, 3), (8, 4), (13, 7)):
        section.locator('input[data-parameter="N"]').fill(str(n))
        section.locator('input[data-parameter="L"]').fill(str(length))
        shown = line(opened, "find <b>")
        assert (shown["total"], shown["blocking"]) == expected(on, "find <b>", "worst", {"N": n, "L": length})
        # What was not verified says so, in words.
        doubt = " (verified for 1 to 8)" if n > 8 else ""
        assert shown["with"] == f"N={n}{doubt}, L={length}"
        warning = section.locator('table.path[data-path="worst"] .doubt').inner_text()
        assert warning == ("Not verified for these values: the price may not hold." if doubt else "")
        other = line(opened, "find <b>", "other")["total"]
        assert other == ("-" if n > 4 else expected(on, "find <b>", "other", {"N": n})[0])


def expression(source: random.Random, depth: int) -> str:
    """A random formula of all operators; only constants divide, so that it always has a value."""
    if depth == 0:
        return source.choice(["N", "L", str(source.randint(0, 40))])
    one, other, third = (expression(source, depth - 1) for _ in range(3))
    compared = f"{one} {source.choice(['<', '<=', '>', '>=', '==', '!='])} {other}"
    return source.choice(
        [
            f"({one} {source.choice('+-*')} {other})",
            f"({one} // {source.choice(['3', '-4', '7'])})",
            f"({one} % {source.choice(['3', '-4', '16'])})",
            f"{source.choice(['max', 'min'])}({one}, {other}, {third})",
            f"({one} if {compared} else {third})",
            f"({one} if {compared} {source.choice(['and', 'or'])} not {third} == 3 else {other})",
            f"(-{one})",
            f"({compared})",
        ]
    )


def test_the_browser_evaluates_formulas_as_python_does(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    source = random.Random(4)
    formulas = [f"max({expression(source, 3)}, 0)" for _ in range(200)]
    parts = [made.part(str(n), made.count("text", "access", one)) for n, one in enumerate(formulas)]
    (tmp_path / "page.html").write_text(page.render(made.sheet(made.service("s", *parts, names="NL"))))
    tab = browser.new_page()
    tab.goto(f"file://{tmp_path}/page.html")
    for n, length in ((0, 0), (3, 5), (8, 1), (77, 1000)):
        tab.locator('input[data-parameter="N"]').fill(str(n))
        tab.locator('input[data-parameter="L"]').fill(str(length))
        shown = tab.locator("td.part").all_inner_texts()
        values = [Formula.parse(one).evaluate({"N": n, "L": length}) for one in formulas]
        # Without a platform each access takes 10 ns.
        assert [int(cell.replace(",", "")) for cell in shown] == [10 * int(value) for value in values]
    tab.close()


def test_moving_a_slider_prices_anew(opened: Page, tmp_path: Path) -> None:
    on = target(tmp_path)
    given = {"N": 1, "L": 1}
    before = line(opened, "send")
    assert (before["total"], before["blocking"]) == expected(on, "send", "worst", given)
    slider = opened.get_by_label("ext fetch nonsequential 16 bit", exact=True)
    slider.focus()
    slider.press("End")
    moved = float(opened.get_by_label("ext fetch nonsequential 16 bit, exact").input_value())
    assert moved == 4 * 45.5
    (tmp_path / "q.toml").write_text(
        (tmp_path / "p.toml").read_text().replace("n16 = 45.5", f"n16 = {moved}")
    )
    slower = Target(Platform.read(tmp_path / "q.toml"), on.placement)
    after = line(opened, "send")
    assert (after["total"], after["blocking"]) == expected(slower, "send", "worst", given)
    assert after["total"] != before["total"]
    # Times in cycles follow the clock, and an exact value may be typed.
    opened.get_by_label("core a cycle of the core, exact").fill("33.3")
    (tmp_path / "r.toml").write_text(
        (tmp_path / "q.toml").read_text().replace("core_mhz = 50", "cycle_ns = 33.3")
    )
    slowest = Target(Platform.read(tmp_path / "r.toml"), on.placement)
    assert line(opened, "send")["total"] == expected(slowest, "send", "worst", given)[0]
    opened.locator("#reset").click()
    assert line(opened, "send") == before


def names(tab: Page) -> list[str]:
    return [one.inner_text() for one in tab.locator("#services tbody tr:visible td:first-child").all()]


def test_the_table_sorts_and_finds(opened: Page) -> None:
    def totals() -> list[float]:
        cells = opened.locator("#services td.total").all_inner_texts()
        return [float("-inf") if cell == "-" else float(cell.replace(",", "")) for cell in cells]

    heading = opened.locator("#services th", has_text="Total ns")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert totals() == sorted(totals(), reverse=True)
    heading.locator("button").click()
    assert totals() == sorted(totals())
    # A price that changes finds its new place.
    opened.get_by_label("sram access, exact").fill("5000")
    assert totals() == sorted(totals())
    opened.locator("#services th button", has_text="Service").click()
    assert names(opened) == sorted(names(opened))
    opened.locator("#find").fill("cop")
    assert names(opened) == ["copy"]


def test_waits_of_a_shared_bus_stay(opened: Page) -> None:
    assert opened.get_by_label("ext data float", exact=True).is_disabled()
    assert opened.get_by_label("ext data float, exact").is_disabled()
    assert opened.get_by_label("ext read, exact").is_enabled()


def test_all_parameters_at_their_ends(opened: Page) -> None:
    opened.locator("#all-parameters").select_option("max")
    assert line(opened, "send")["with"] == "N=8, L=8"
    opened.locator("#all-parameters").select_option("value")
    assert line(opened, "send")["with"] == "N=1, L=1"


def test_what_is_folded_is_printed(opened: Page) -> None:
    assert not opened.locator(".picture svg").first.is_visible()
    printed = opened.evaluate("""() => {
        dispatchEvent(new Event("beforeprint"));
        const open = document.querySelectorAll("details:not([open])").length;
        dispatchEvent(new Event("afterprint"));
        return [open, document.querySelectorAll("details:not([open])").length];
    }""")
    assert printed == [0, 4]
    assert len(opened.pdf()) > 1000


def test_prices_stand_in_the_page_without_scripts(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    (tmp_path / "page.html").write_text(page.render(several(), target(tmp_path)))
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(f"file://{tmp_path}/page.html")
    assert line(tab, "send")["total"] == expected(target(tmp_path), "send", "worst", {"N": 1, "L": 1})[0]
    tab.close()


def test_the_commands_write_the_page(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    files.write(tmp_path / "a.sheet.json", files.read(made.SHEET))
    said, _ = made.typed("report", tmp_path / "a.sheet.json")
    assert said == f"{tmp_path / 'a.sheet.html'}\n"
    priced = tmp_path / "priced.html"
    said, _ = made.typed(
        "estimate", made.SHEET, "--platform", made.SDRAM, "--mapping", made.SECTIONS, "--with", "N=13",
        "--html", priced,
    )  # fmt: skip
    assert f"page: {priced}" in said
    tab = browser.new_page()
    tab.goto(f"file://{priced}")
    assert line(tab, "CreateThread") == {
        "total": "56,728", "blocking": "54,044", "most": "heap 42 %", "with": "N=13",
    }  # fmt: skip
    assert tab.locator("td.part").all_inner_texts() == ["2,684", "39,068", "14,976"]
    tab.goto(f"file://{tmp_path / 'a.sheet.html'}")
    assert line(tab, "CreateThread")["with"] == "N=0"
    tab.close()
