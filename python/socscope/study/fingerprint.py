"""Hashes of what lies on the host, by which a change is noticed."""

import os
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

NOTHING = "-"
DIGEST_BYTES = 16
PIECE_BYTES = 1 << 20


def fingerprint(path: Path) -> str:
    """Hash of a file's content, or of the names and contents below a folder; `-` where there is neither."""
    try:
        if path.is_dir():
            whole = blake2b(digest_size=DIGEST_BYTES)
            for line in _below(path):
                whole.update(f"{line}\n".encode(errors="surrogateescape"))
            return whole.hexdigest()
        status = path.stat()
        return _of_file(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return NOTHING


def _below(folder: Path) -> Iterator[str]:
    """A line for each entry: name, kind, what is executable, content."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            yield f"{name}\0link\0{path.readlink()}"
        elif path.is_dir():
            yield f"{name}\0folder"
        else:
            yield f"{name}\0{os.access(path, os.X_OK)}\0{fingerprint(path)}"


@lru_cache(maxsize=4096)
def _of_file(path: Path, _changed_ns: int, _size: int) -> str:
    whole = blake2b(digest_size=DIGEST_BYTES)
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            whole.update(piece)
    return whole.hexdigest()
