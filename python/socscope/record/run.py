"""Reads a run record."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from socscope.errors import RecordError
from socscope.record import parquet
from socscope.record.manifest import FORMAT, READABLE, Manifest
from socscope.record.query import named_in, query
from socscope.record.write import MANIFEST


class Run:
    """A run record: its manifest, its tables, and SQL over them."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._tables: dict[str, pa.Table] = {}

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    @cached_property
    def sha256(self) -> str:
        """Hash of the whole record: the manifest holds the hashes of all tables."""
        return hashlib.sha256((self.folder / MANIFEST).read_bytes()).hexdigest()

    @property
    def table_names(self) -> list[str]:
        """Names of the tables."""
        return sorted(self.manifest.tables)

    def table(self, name: str) -> pa.Table:
        """A table, checked against the manifest's hash and the columns that it must have."""
        if name not in self._tables:
            facts = self.manifest.tables.get(name)
            if facts is None:
                raise RecordError(f"{self.folder}: no table {name}; it has {', '.join(self.table_names)}")
            self._tables[name] = parquet.read(self.folder, name, facts, self.manifest.format)
        return self._tables[name]

    def rows(self, name: str) -> list[dict[str, Any]]:
        """A table as a list of rows."""
        rows: list[dict[str, Any]] = self.table(name).to_pylist()
        return rows

    def query(self, sql: str) -> pa.Table:
        """The answer to one SELECT over the tables; a second column `a` is called `a_1`."""
        return query(sql, {name: self.table(name) for name in named_in(sql, self.table_names)})

    def tables(self) -> Mapping[str, pa.Table]:
        """All tables by name."""
        return {name: self.table(name) for name in self.table_names}


def open_run(folder: str | Path) -> Run:
    """Opens a run record."""
    folder = Path(folder)
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise RecordError(f"{folder}: not a run record (no {MANIFEST} in it)") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise RecordError(f"{path}: damaged at {place}: {first['msg']}") from None
    if manifest.format not in READABLE:
        raise RecordError(
            f"{path}: format {manifest.format}; this version reads up to format {FORMAT}; run again"
        )
    return Run(folder, manifest)
