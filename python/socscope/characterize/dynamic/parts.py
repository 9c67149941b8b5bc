"""Parts of the sheet from fitted counts: what repeats with a parameter stands apart from what does not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from socscope.characterize.dynamic.fit import Fitted
from socscope.characterize.dynamic.rows import Key
from socscope.sheet.formula import Formula
from socscope.sheet.model import Count, Part, Succession

ONCE = "1"


@dataclass
class _Draft:
    counts: list[Count] = field(default_factory=list)
    taken_branches: Formula = field(default_factory=lambda: Formula.parse(0))
    internal_cycles: Formula = field(default_factory=lambda: Formula.parse(0))
    successions: list[Succession] = field(default_factory=list)
    instructions: dict[str, Formula] = field(default_factory=dict)

    def add(self, key: Key, count: Formula) -> None:
        match key:
            case ("count", section, operation, width, sequence, *before):
                facts: dict[str, Any] = {"operation": operation, "width": int(width), "sequence": sequence}
                facts["crosses_from"] = before[0] if before else None
                self.counts.append(Count(section=section, count=count, **facts))
            case ("taken",):
                self.taken_branches = count
            case ("internal",):
                self.internal_cycles = count
            case ("after", section, operation, next_section, next_operation, direct):
                directions: dict[str, Any] = {"operation": operation, "next_operation": next_operation}
                self.successions.append(
                    Succession(
                        section=section,
                        next_section=next_section,
                        direct=direct == "direct",
                        count=count,
                        **directions,
                    )
                )
            case ("instructions", section):
                self.instructions[section] = count


def parts(pieces: Iterable[tuple[str, Sequence[Key], Sequence[Fitted]]]) -> list[Part]:
    """The parts of a path from its pieces: blocking, keys, and a fitted count for each key.

    A count of `7 + 3*N` is 7 in a part that happens once and 3 in one that is repeated N times. Where this
    would leave a negative count, the whole formula stays with the part that happens once.
    """
    found: list[Part] = []
    for blocking, keys, fitted in pieces:
        drafts = {ONCE: _Draft()}
        for key, one in zip(keys, fitted, strict=True):
            if one.constant < 0 or any(factor < 0 for factor, _ in one.terms):
                drafts[ONCE].add(key, one.formula)
                continue
            if one.constant:
                drafts[ONCE].add(key, Formula.parse(one.constant))
            for factor, term in one.terms:
                drafts.setdefault(term.text, _Draft()).add(key, Formula.parse(factor))
        for repetition, draft in drafts.items():
            if draft == _Draft():
                continue
            facts: dict[str, Any] = {"blocking": blocking, **vars(draft)}
            found.append(Part(name=str(len(found) + 1), repetition=Formula.parse(repetition), **facts))
    return found
