"""What is wrong with a file's content, for people."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

SHOWN_MAX = 12


def nearest(name: str, known: Iterable[str]) -> str:
    """What was meant, perhaps, or what there is."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(names[:SHOWN_MAX])}{', ...' if len(names) > SHOWN_MAX else ''}"


def ended(sentence: str) -> str:
    """With its full stop, unless it ends by itself."""
    return sentence if sentence.endswith("?") else f"{sentence}."


def first_error(error: ValidationError, content: Any, model: type[BaseModel] | None = None) -> str:  # noqa: ANN401 - any content.
    """The first thing that is wrong; its place in names where the file has them.

    With the content's model, a key that nobody would read is met with the nearest one.
    """
    first = error.errors()[0]
    words: list[str] = []
    at = content
    for step in first["loc"]:
        try:
            at = at[step]
        except (LookupError, TypeError):
            at = None
        name = at.get("name") if isinstance(at, dict) else None
        words.append(str(name) if isinstance(step, int) and name else str(step))
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden" and model is not None:
        message = f"is not known here; {nearest(str(first['loc'][-1]), _keys(model, first['loc'][:-1]))}"
    return f"{' / '.join(words)}: {message}" if words else message


def _keys(model: type[BaseModel], place: Iterable[int | str]) -> set[str]:
    """The keys of what stands at a place of a model."""
    here = {model}
    for step in place:
        if isinstance(step, str):
            fields = (
                field
                for one in here
                for name, field in one.model_fields.items()
                if step in (name, field.alias)
            )
            here = {one for field in fields for one in _models(field.annotation)}
    return {field.alias or name for one in here for name, field in one.model_fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - whatever fields are.
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for one in get_args(annotation):
        yield from _models(one)
