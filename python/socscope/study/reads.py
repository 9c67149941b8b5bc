"""What a run has read of the host: while all of it is as it was, the run needs not be made again.

As a compiler notes the headers that it has read, so does a study's process, by Python's audit events. What is
read by no Python is told by whoever has it read: `socscope.reading`.
"""

import json
import os
import shutil
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from socscope import reading
from socscope.errors import StudyError
from socscope.record.write import whole_file
from socscope.study.fingerprint import fingerprint

FORMAT = 1
EVENTS = frozenset({"open", "subprocess.Popen", "tempfile.mkdtemp", "tempfile.mkstemp", reading.EVENT})
SHOWN = 3
WRITING = os.O_WRONLY | os.O_RDWR
# The system and its Python are no part of a study; a booted state is noted by what it was made from.
PYTHON = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
SYSTEM = tuple(
    f"{path}{os.sep}"
    for path in {*PYTHON, *map(os.path.realpath, PYTHON), "/proc", "/sys", "/dev", "/etc", "/usr/lib"}
)
LEFT_OUT = (".pyc", ".checkpoint")


def place_of(path: str | Path) -> str:
    """The absolute path; links are not followed, as what they lead to may change."""
    return os.path.abspath(path)  # noqa: PTH100 - pathlib keeps `..` or follows links.


@dataclass
class _Tracker:
    """What this process has read so far, by its hash then; not what it has made itself."""

    files: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    watching: bool = False
    thread: threading.local = field(default_factory=threading.local)

    def start(self) -> None:
        """Hooks cannot be removed: one stays to the end of the process."""
        if not self.watching:
            self.watching = True
            sys.addaudithook(self._hear)

    @contextmanager
    def deaf(self) -> Iterator[None]:
        """What is read here is no input of the study."""
        before = getattr(self.thread, "deaf", False)
        self.thread.deaf = True
        try:
            yield
        finally:
            self.thread.deaf = before

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in EVENTS and not getattr(self.thread, "deaf", False):
            # A hook that fails would make the work fail that it listens to.
            with self.deaf(), suppress(OSError, ValueError):
                self._note(event, arguments)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        path = arguments[0]
        if event == "subprocess.Popen":
            path = shutil.which(path) if isinstance(path, str | Path) else None
        if not isinstance(path, str | Path):
            return
        place = place_of(path)
        if event.startswith("tempfile.") or (event == "open" and _writes(*arguments[1:3])):
            self.made.add(place)
            self.files.pop(place, None)
        elif self._belongs(place) and (event == reading.EVENT or Path(place).is_file()):
            # Who opens a folder does not read what is in it.
            self.files[place] = fingerprint(Path(place))

    def _belongs(self, place: str) -> bool:
        if place.endswith(LEFT_OUT) or place.startswith(SYSTEM):
            return False
        above = (str(parent) for parent in Path(place).parents)
        return place not in self.made and not any(parent in self.made for parent in above)


def _writes(mode: object = None, flags: object = 0) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & WRITING)


_TRACKER = _Tracker()
_INHERITED: list[dict[str, str]] = []


def watch() -> None:
    """Begins to note what this process reads; once begun it goes on to its end."""
    _TRACKER.start()


@contextmanager
def noted(notes: Path, inside: Path) -> Iterator[None]:
    """Writes to the file `notes` all that this process has read for what is made in the folder `inside`.

    What it has read before counts too: it may still know it.
    """
    watch()
    _INHERITED.append({})
    try:
        yield
        own = place_of(inside) + os.sep
        with _TRACKER.deaf():
            files = {path: known for path, known in _TRACKER.files.items() if not path.startswith(own)}
            files |= {place: fingerprint(Path(place)) for place in _modules()} | _INHERITED[-1]
            files = {path: known for path, known in files.items() if Path(path).exists()}
            whole_file(notes, json.dumps({"format": FORMAT, "files": dict(sorted(files.items()))}) + "\n")
    finally:
        _INHERITED.pop()


def inherit(notes: Path) -> None:
    """What is made now depends on all that these notes name."""
    if _INHERITED:
        with _TRACKER.deaf():
            _INHERITED[-1].update(_read(notes))


def changed(notes: Path) -> str | None:
    """What has changed since the notes were written; None when all that was read is as it was."""
    try:
        files = _read(notes)
    except StudyError:
        return "what it has read is not known"
    differ = sorted(path for path, known in files.items() if fingerprint(Path(path)) != known)
    if not differ:
        return None
    more = f" and {len(differ) - SHOWN} more" if len(differ) > SHOWN else ""
    return f"changed: {', '.join(differ[:SHOWN])}{more}"


def _read(notes: Path) -> dict[str, str]:
    try:
        found = json.loads(notes.read_text(encoding="utf-8"))
        files = found["files"] if found["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        files = None
    if not isinstance(files, dict) or not all(isinstance(known, str) for known in files.values()):
        raise StudyError(f"{notes}: no notes of what was read")
    return files


def _modules() -> Iterator[str]:
    """The Python files that the process has imported, those of the system apart."""
    for module in list(sys.modules.values()):
        origin = getattr(module, "__file__", None)
        if isinstance(origin, str) and origin.endswith(".py"):
            place = place_of(origin)
            if not place.startswith(SYSTEM):
                yield place
