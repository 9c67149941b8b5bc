"""What the reference pages take from comments in the sources."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def module_comment(path: str) -> str:
    """Returns the comment at the head of a Rust file."""
    lines = (ROOT / path).read_text().splitlines()
    return "\n".join(line.removeprefix("//!").removeprefix(" ") for line in lines if line.startswith("//!"))


def block(path: str, head: str) -> str:
    """Returns the lines behind a head up to the brace that closes it."""
    text = (ROOT / path).read_text()
    begin = text.index(head) + len(head)
    indentation = re.search(r"^ *", head)
    close = "\n" + (indentation[0] if indentation else "") + "}"
    return text[begin : text.index(close, begin)]


def commented(text: str, pattern: str) -> list[tuple[str, str]]:
    """Returns what a pattern's group finds behind a comment, with the comment as one line."""
    found = re.finditer(rf"((?:^ *///.*\n)+)(?:^ *#\[serde.*\n)?^ *{pattern}", text, re.MULTILINE)
    return [(one[2], " ".join(re.findall(r"/// ?(.*)", one[1]))) for one in found]
