"""What is wrong with a file's content, for people."""

from typing import Any

from pydantic import ValidationError


def first_error(error: ValidationError, content: Any) -> str:  # noqa: ANN401 - any content.
    """The first thing that is wrong; its place in names where the file has them."""
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
    return f"{' / '.join(words)}: {message}" if words else message
