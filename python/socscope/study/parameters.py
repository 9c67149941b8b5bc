"""What is varied in a study: named values with their ranges."""

from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from socscope.errors import StudyError
from socscope.study.space import Value


class Parameters(BaseModel):
    """The parameters of one run: fields with types, ranges and defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def values(self) -> dict[str, Value]:
        """The parameters by name."""
        return self.model_dump()

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Self:
        """The parameters that a run record names."""
        return cls.model_validate({name: value for name, value in values.items() if name in cls.model_fields})

    def but(self, **changes: Value) -> Self:
        """The same with some parameters changed."""
        return self.model_validate({**self.values(), **changes})

    def changed(self, settings: Iterable[str]) -> Self:
        """The same with `name=value` settings applied."""
        result = self
        for setting in settings:
            name, equals, text = setting.partition("=")
            known = type(self).model_fields
            if not equals or name not in known:
                raise StudyError(f"--set {setting}: no such parameter; the study has {', '.join(known)}")
            try:
                result = result.but(**{name: text})
            except ValidationError as error:
                raise StudyError(f"--set {setting}: {error.errors()[0]['msg']}") from None
        return result
