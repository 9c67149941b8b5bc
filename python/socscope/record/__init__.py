"""Run records: a folder with a manifest and Parquet tables that says all that is known of a run."""
