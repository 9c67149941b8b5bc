"""The answers of `socscope estimate`: worked out, and shown as tables."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from socscope.cli import pricing, progress
from socscope.cli.output import OUT, print_json
from socscope.report.words import cell, fixed

if TYPE_CHECKING:
    from socscope.estimate import Target
    from socscope.estimate.choose import Values
    from socscope.estimate.ranking import Ranking, Row
    from socscope.estimate.result import Json, PathPrice
    from socscope.sheet.model import Service, Sheet


def _shown(ns: Fraction) -> str:
    from socscope.estimate.result import shown  # noqa: PLC0415 - numpy takes a moment.

    return shown(ns)


def _percent(part: Fraction, whole: Fraction) -> str:
    return fixed(float(100 * part / whole) if whole else 0.0, 1)


def _named(price: "PathPrice") -> list[str]:
    parameters = ", ".join(f"{name}={value}" for name, value in price.cost.parameters.items())
    return [price.cost.service.name, price.cost.path.name, parameters]


def print_prices(priced: Sequence["PathPrice"]) -> None:
    """Shows one price in all its pieces, or several in a table."""
    if len(priced) == 1:
        _print_one(priced[0])
        return
    rows = []
    for one in priced:
        memory, ns = max(one.memories_ns.items(), key=lambda item: item[1], default=("-", Fraction(0)))
        blocking = _shown(one.longest_blocking_ns) if one.blocking_ns else "-"
        most = f"{memory} {_percent(ns, one.total_ns)} %"
        rows.append([*_named(one), most, _shown(one.total_ns), blocking])
    headings = ["Service", "Path", "With", "Most in", "ns", "Blocking ns"]
    pricing.show_table(headings, rows, text_columns=4)


def _print_one(one: "PathPrice") -> None:
    service, path, parameters = _named(one)
    title = f"{service}, path {path}" + (f", {parameters}" if parameters else "")
    OUT.print(f"{title}: {_shown(one.total_ns)} ns", markup=False)
    rows = [
        [
            part.part.name,
            part.part.blocking,
            str(part.repetition),
            _shown(one.parts_ns[part.part.name]),
            _percent(one.parts_ns[part.part.name], one.total_ns),
        ]
        for part in one.cost.parts
    ]
    pricing.show_table(["Part", "Blocking", "Repetition", "ns", "%"], rows, text_columns=2)
    for heading, by in (("Section", one.sections_ns), ("Memory", one.memories_ns)):
        largest = sorted(by.items(), key=lambda item: -item[1])
        shares = [[name, _shown(ns), _percent(ns, one.total_ns)] for name, ns in largest]
        pricing.show_table([heading, "ns", "%"], shares)
    for kind, ns in one.blocking_ns.items():
        OUT.print(f"longest blocking of {kind}: {_shown(ns)} ns", markup=False)


def sensitivity(target: "Target", priced: Sequence["PathPrice"], *, quiet: bool) -> list["Json"]:
    """Which memory matters how much for which path."""
    from socscope.estimate import questions  # noqa: PLC0415 - numpy takes a moment.

    found = [weight for one in priced for weight in questions.weights(target, one)]
    if not quiet:
        rows = [
            [
                weight.price.cost.service.name,
                weight.price.cost.path.name,
                weight.memory,
                _shown(weight.ns),
                _percent(weight.share, Fraction(1)),
                f"{weight.accesses:,}",
            ]
            for weight in found
        ]
        headings = ["Service", "Path", "Memory", "ns", "%", "ns more for each ns"]
        pricing.show_table(headings, rows, text_columns=3)
    return [weight.as_json() for weight in found]


def slowest(
    target: "Target",
    priced: Sequence["PathPrice"],
    what: str,
    deadline_ns: Fraction,
    *,
    blocking: bool,
    quiet: bool,
) -> "Json":
    """How slow a memory may be for a deadline."""
    from socscope.estimate import questions  # noqa: PLC0415 - numpy takes a moment.
    from socscope.estimate.knob import Knob  # noqa: PLC0415

    knob = Knob.parse(what, target.platform)
    answer = questions.how_slow(target, [one.cost for one in priced], knob, deadline_ns, blocking=blocking)
    if not quiet:
        held = f"{'longest blocking' if blocking else 'deadline'} of {_shown(deadline_ns)} ns"
        if answer.allowed is None or answer.limiting is None:
            OUT.print(f"{held}: holds whatever {knob.text} is", markup=False)
        else:
            bound = "at least" if knob.unit == "MHz" else "at most"
            OUT.print(
                f"{held}: {knob.text} may be {bound} {float(answer.allowed):,.6g} {knob.unit} "
                f"(now {float(answer.now):,.6g}); {answer.limiting.service.name}, path "
                f"{answer.limiting.path.name}, reaches it first",
                markup=False,
            )
            if knob.unit == "times":
                for name, ns in answer.times.items():
                    OUT.print(f"  {name} {float(ns):,.6g} ns", markup=False)
    return answer.as_json()


def draw(target: "Target", priced: Sequence["PathPrice"], against: str, picture: Path) -> None:
    """Draws the prices over an access time."""
    from socscope.estimate import knob, questions  # noqa: PLC0415 - numpy takes a moment.
    from socscope.record.write import whole_file  # noqa: PLC0415
    from socscope.report import charts  # noqa: PLC0415

    turned, values = knob.span(against, target.platform)
    spec = questions.picture(target, [one.cost for one in priced], turned, values)
    whole_file(picture, charts.file_svg(spec))


def write_page(sheet: "Sheet", target: "Target", values: "Values", path: Path) -> None:
    """Writes the page of the whole sheet, priced on the target."""
    from socscope.record.write import whole_file  # noqa: PLC0415 - numpy takes a moment.
    from socscope.sheet import page  # noqa: PLC0415

    whole_file(path, page.render(sheet, target, values))


def catalogue(
    target: "Target",
    chosen: Sequence["Service"],
    values: "Values",
    path: str | None,
    *,
    catalogue: Path,
    out: Path | None,
    pareto: str | None,
    deadline_ns: Fraction | None,
) -> "Ranking":
    """Prices all variants of a catalogue."""
    from socscope.estimate import Target, choose, ranking, result, variants  # noqa: PLC0415 - numpy takes a moment.
    from socscope.estimate import catalogue as catalogues  # noqa: PLC0415

    known = variants.understood(catalogues.read(catalogue), target.platform)
    varied = Target(known.platform, target.placement)
    costs = [varied.cost(each, one, values.of(each)) for each in chosen for one in choose.paths(each, path)]
    matrix = variants.Matrix(known, varied, costs)
    with progress.share(f"{known.table.num_rows:,} variants", quiet=False) as update:
        found = ranking.rank(matrix, out=out, deadline_ns=deadline_ns, against=pareto, on_progress=update)
    found.notes = result.doubts(costs)
    return found


def print_ranking(answer: "Ranking", *, as_json: bool) -> None:
    """Shows the best, the worst and the front of a catalogue."""
    if as_json:
        print_json(vars(answer))
        return
    OUT.print(f"{answer.variants:,} variants", markup=False)
    if answer.within is not None:
        OUT.print(f"{answer.within:,} of them hold the deadline with every path", markup=False)
    for title, rows in (("Best", answer.best), ("Worst", answer.worst), ("Front", answer.front)):
        if rows:
            _print_variants(title, rows)
    pricing.show_notes(answer.notes)


def _print_variants(title: str, rows: Sequence["Row"]) -> None:
    OUT.print(title, markup=False)
    columns = list(rows[0])
    lines = [[_cell(row, name) for name in columns] for row in rows]
    pricing.show_table(columns, lines, text_columns=0)


def _cell(row: Mapping[str, object], name: str) -> str:
    value = row[name]
    return f"{value:,.10g}" if isinstance(value, float) else cell(value)
