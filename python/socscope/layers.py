"""Software layers: rules that map functions, and the contexts they are called in, to layers."""

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from socscope.errors import LayersError
from socscope.image import Function

LIBRARY = "library"
OTHER = "other"


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Rule(BaseModel):
    """One rule: all of its conditions must hold. The layer `library` counts to whoever called it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    layer: str
    symbol: list[str] = []
    """Regular expressions over the whole symbol."""
    source: list[str] = []
    """Patterns over the source path; `*` also matches `/`, the empty pattern a function without source."""
    section: list[str] = []
    """Patterns over the linker section."""
    called_from: list[str] = []
    """Regular expressions over the symbol of any caller in the context."""

    _lists = field_validator("symbol", "source", "section", "called_from", mode="before")(_listed)

    @field_validator("symbol", "called_from")
    @classmethod
    def _compiles(cls, patterns: list[str]) -> list[str]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        return patterns

    def fits(self, function: Function) -> bool:
        """Whether the conditions on the function itself hold."""
        return (
            (not self.symbol or any(re.fullmatch(pattern, function.name) for pattern in self.symbol))
            and (not self.source or any(_glob(function.origin.source, pattern) for pattern in self.source))
            and (not self.section or any(_glob(function.section, pattern) for pattern in self.section))
        )

    def fits_callers(self, names: Iterable[str]) -> bool:
        """Whether the condition on the callers holds."""
        return not self.called_from or any(
            re.fullmatch(pattern, name) for name in names for pattern in self.called_from
        )


def _glob(text: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rule: list[Rule]


@dataclass(frozen=True)
class Layers:
    """Layer rules in order: the first that fits decides."""

    rules: Sequence[Rule] = field(default_factory=tuple, repr=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads rules from a TOML file of `[[rule]]` tables."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise LayersError(f"{path}: cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LayersError(f"{path}: not TOML: {error}") from None
        try:
            return cls(tuple(_File.model_validate(content).rule))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
            raise LayersError(f"{path}: {place}: {first['msg']}") from None

    def names(self) -> list[str]:
        """The layers in the order of their first rule, then `other`."""
        named = dict.fromkeys(rule.layer for rule in self.rules if rule.layer != LIBRARY)
        return list(dict.fromkeys([*named, OTHER]))

    def of_function(self, function: Function) -> str:
        """The function's own layer, callers not considered; `library` for library functions."""
        return next(
            (rule.layer for rule in self.rules if not rule.called_from and rule.fits(function)), OTHER
        )

    def of_nodes(
        self, parents: Sequence[int], functions: Sequence[int], known: Sequence[Function]
    ) -> list[str]:
        """The effective layer of each context; contexts come after their parents, which are given by number.

        A library function counts to the layer of its nearest caller outside the libraries.
        """
        fitting = [[rule for rule in self.rules if rule.fits(function)] for function in known]
        found: list[str] = []
        for node, (parent, function) in enumerate(zip(parents, functions, strict=True)):
            if not -1 <= parent < node:
                raise LayersError(f"context {node} has the parent {parent}, which does not come before it")
            layer = OTHER
            for rule in fitting[function] if function >= 0 else []:
                if not rule.called_from or rule.fits_callers(_callers(parent, parents, functions, known)):
                    layer = rule.layer
                    break
            if layer == LIBRARY:
                layer = found[parent] if parent >= 0 else OTHER
            found.append(layer)
        return found


def _callers(
    node: int, parents: Sequence[int], functions: Sequence[int], known: Sequence[Function]
) -> Iterable[str]:
    while node >= 0:
        if functions[node] >= 0:
            yield known[functions[node]].name
        node = parents[node]
