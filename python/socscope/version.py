"""The version, as the installed package says it."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("socscope")
except PackageNotFoundError:  # Run from the sources, not installed.
    VERSION = "0"
