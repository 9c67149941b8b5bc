"""The points of a study: parameters, and a key by which a finished run is found again."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

Value = int | float | str | bool


@dataclass(frozen=True)
class Point:
    """One run to be made. `inputs` are hashes of what goes into it besides the parameters."""

    parameters: dict[str, Value]
    inputs: dict[str, str]

    @cached_property
    def key(self) -> str:
        """Equal for equal parameters and inputs, different for all others."""
        content = json.dumps([self.parameters, self.inputs], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def describe(self, names: Collection[str] | None = None) -> str:
        """The parameters in one line: all of them, or those named."""
        shown = [name for name in self.parameters if names is None or name in names]
        return ", ".join(f"{name} {self.parameters[name]}" for name in shown)


def varied(points: Sequence[Point]) -> set[str]:
    """The parameters that are not the same in all points."""
    values: dict[str, set[Value | None]] = {}
    for name in {name for point in points for name in point.parameters}:
        values[name] = {point.parameters.get(name) for point in points}
    return {name for name, found in values.items() if len(found) > 1}
