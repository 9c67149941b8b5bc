"""Folders and files that are being written. Writers lock them; what a dead writer left is removed."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SUFFIX = ".socscope.partial"


@contextmanager
def partial_folder(above: Path) -> Iterator[Path]:
    """A new folder in `above`, which is made, too; it is removed at the end, if it is still there."""
    with _held(above, is_folder=True) as path:
        yield path


@contextmanager
def partial_file(above: Path) -> Iterator[Path]:
    """A new file in `above`, which is made, too; it is removed at the end, if it is still there."""
    with _held(above, is_folder=False) as path:
        yield path


def remove_left(folder: Path) -> None:
    """Removes what writers left in the folder that were killed; what a live one writes stays."""
    for path in folder.glob(f".*{SUFFIX}"):
        with suppress(OSError):
            # A link is none of ours, and a pipe would wait for a writer.
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(path)
            finally:
                os.close(handle)


@contextmanager
def _held(above: Path, *, is_folder: bool) -> Iterator[Path]:
    above.mkdir(parents=True, exist_ok=True)
    remove_left(above)
    path, handle = _made(above, is_folder)
    try:
        yield path
    finally:
        _remove(path)
        os.close(handle)


def _made(above: Path, is_folder: bool) -> tuple[Path, int]:
    while True:
        if is_folder:
            path = tempfile.mkdtemp(prefix=".", suffix=SUFFIX, dir=above)
        else:
            made, path = tempfile.mkstemp(prefix=".", suffix=SUFFIX, dir=above)
            os.close(made)
        with suppress(FileNotFoundError):
            handle = os.open(path, os.O_RDONLY)
            # Some network file systems lock no folders; then nobody can lock it to remove it, either.
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            # Who removes what others left may have been faster than the lock.
            if Path(path).exists():
                return Path(path), handle
            os.close(handle)


def _remove(path: Path) -> None:
    with suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
