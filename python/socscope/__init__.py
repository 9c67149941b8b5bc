"""Runs unmodified embedded software on a modelled system-on-chip and shows where its time goes."""

from socscope.errors import SocscopeError
from socscope.record import Manifest, Run, Totals
from socscope.record import open_run as open

__all__ = ["Manifest", "Run", "SocscopeError", "Totals", "open"]
