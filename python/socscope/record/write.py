"""Writes a run record: whole, or not at all."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from socscope.errors import RecordError
from socscope.record.manifest import Manifest, TableFacts
from socscope.record.partial import partial_file, partial_folder

MANIFEST = "manifest.json"
NO_FILES: Mapping[str, bytes] = {}


def check_free(folder: Path) -> None:
    """Fails when a record cannot go to `folder`, before a long run rather than after it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RecordError(f"{folder}: already there; name another folder or remove it")
    above = folder.absolute().parent
    while not above.exists():
        above = above.parent
    if not above.is_dir():
        raise RecordError(f"{folder}: {above} is not a folder")
    if not os.access(above, os.W_OK):
        raise RecordError(f"{folder}: {above} cannot be written to")


def write(
    folder: Path, manifest: Manifest, tables: Mapping[str, pa.Table], files: Mapping[str, bytes] = NO_FILES
) -> Manifest:
    """Writes a record, `files` beside its tables; gives its manifest with the tables' hashes."""
    check_free(folder)
    with whole_folder(folder) as partial:
        facts = {}
        for name, table in sorted(tables.items()):
            path = partial / f"{name}.parquet"
            # Nothing that changes from one writing to the next goes into the file.
            pq.write_table(table, path, compression="zstd", **_encodings(table))
            facts[name] = TableFacts(
                rows=table.num_rows, sha256=hashlib.sha256(path.read_bytes()).hexdigest()
            )
        for name, content in files.items():
            (partial / name).write_bytes(content)
        complete = manifest.model_copy(update={"tables": facts})
        (partial / MANIFEST).write_text(complete.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return complete


def _encodings(table: pa.Table) -> dict[str, Any]:
    """Times do not repeat, but their distances do: a tenth of the bytes, and of the time to write them."""
    times = [
        field.name
        for field in table.schema
        if pa.types.is_int64(field.type) and field.name.endswith(("cycle", "_ps"))
    ]
    if not times:
        return {}
    return {
        "use_dictionary": [name for name in table.column_names if name not in times],
        "column_encoding": dict.fromkeys(times, "DELTA_BINARY_PACKED"),
    }


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which appears under its name only when it was filled without an error."""
    try:
        with partial_folder(folder.parent) as partial:
            # It was made private; a record is as readable as any other folder.
            partial.chmod(0o777 & ~_umask())
            yield partial
            for path in (*partial.iterdir(), partial):
                _sync(path)
            partial.rename(folder)
            _sync(folder.parent)
    except OSError as error:
        raise RecordError(f"{folder}: not written: {error.strerror or error}") from error


def whole_file(path: Path, content: str | bytes) -> None:
    """Writes a file whole, or leaves what was there."""
    with filled_file(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def filled_file(path: Path) -> Iterator[Path]:
    """A file to fill, which takes the place of `path` only when it was filled without an error."""
    try:
        with partial_file(path.parent) as partial:
            yield partial
            _sync(partial)
            partial.chmod(0o666 & ~_umask())
            partial.replace(path)
    except OSError as error:
        raise RecordError(f"{path}: not written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
