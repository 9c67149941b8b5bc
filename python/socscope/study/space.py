"""The points of a study: parameters, and a key by which a finished run is found again."""

import hashlib
import json
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

    def describe(self) -> str:
        """The parameters in one line."""
        return ", ".join(f"{name} {value}" for name, value in self.parameters.items())
