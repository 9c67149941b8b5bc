"""Reports: one self-contained HTML page from run records."""
