"""Text that a guest or a foreign file chose, as a person may see it: nothing in it acts on the terminal."""

import re

# Control characters but for line ends and tabs, marks that reorder text, bytes that are not UTF-8 (PEP 383).
_ACTIVE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_IN_TEXT = re.compile(f"[{_ACTIVE}]")
_IN_NAME = re.compile(f"[\\t\\n\\\\{_ACTIVE}]")


def text(said: str) -> str:
    """Text of several lines with all that could act on a terminal as escapes."""
    return _IN_TEXT.sub(_escape, said)


def name(given: str) -> str:
    """A name on one line; two names never look the same."""
    return _IN_NAME.sub(_escape, given)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return found.group().encode("unicode_escape", "surrogatepass").decode()
