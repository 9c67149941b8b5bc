"""Cost sheets: what every service of a kernel costs, counted once and priced anywhere."""

from socscope.sheet.file import read, write
from socscope.sheet.formula import Formula
from socscope.sheet.model import Sheet

__all__ = ["Formula", "Sheet", "read", "write"]
