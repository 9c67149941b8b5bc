"""Which memory each linker section lies in, from `sections.toml`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from socscope.errors import EstimateError
from socscope.estimate import toml
from socscope.validation import ended, nearest

REST = "*"


@dataclass(frozen=True)
class Placement:
    """Section to memory; the section `*` stands for all that are not named."""

    memories: Mapping[str, str]
    place: str = "mapping"
    """What errors call it."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads the table `[map]`."""
        content = toml.read(path)
        toml.only(content, ("map", "name"), str(path))
        given = toml.table(content.get("map", {}), f"{path}: map")
        for section, memory in given.items():
            if not isinstance(memory, str) or not memory:
                raise EstimateError(
                    f"{path}: map.{section}: {memory!r} is no memory's name; write it in quotes"
                )
        return cls(given, str(path))

    def memory(self, section: str) -> str:
        """The memory of a section; fails when the mapping forgets it."""
        self.check([section])
        return self.memories.get(section, self.memories.get(REST, ""))

    def check(self, sections: Iterable[str]) -> None:
        """Fails with all the sections that the mapping forgets."""
        if REST not in self.memories:
            forgotten = [section for section in sections if section not in self.memories]
            if forgotten:
                raise EstimateError(
                    f"{self.place}: does not say where {', '.join(forgotten)} lies; "
                    f'add "{forgotten[0]}" = "MEMORY" below [map], or "*" = "MEMORY" for all others'
                )

    def check_known(self, sections: Iterable[str]) -> None:
        """Fails on a section that no sheet has, which would be left out in silence."""
        known = {*sections}
        for name in self.memories:
            if name != REST and name not in known:
                raise EstimateError(
                    f"{self.place}: map: no sheet has a section {name}; {ended(nearest(name, known))} "
                    "Correct or remove it"
                )

    def by_rest(self, sections: Iterable[str]) -> list[str]:
        """The sections that only `*` places."""
        return [section for section in sections if section not in self.memories]
