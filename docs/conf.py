"""Builds the documentation; pages under reference/generated come from the code."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

generate.write(Path(__file__).parent / "reference" / "generated")

project = "Socscope"
author = "The Socscope authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["conftest.py"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
autodoc_typehints = "description"
nitpicky = False
html_theme = "alabaster"
html_theme_options = {"description": "where embedded software's time goes", "fixed_sidebar": True}
