"""Run records: a folder with a manifest and Parquet tables that says all that is known of a run."""

from socscope.record.manifest import Manifest, Totals
from socscope.record.run import Run, open_run

__all__ = ["Manifest", "Run", "Totals", "open_run"]
