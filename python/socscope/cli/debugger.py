"""What a user is told while a debugger is served."""

from pathlib import Path

from socscope.cli.output import OUT, STATUS, print_json


class Teller:
    """Tells the user what happens at the debugger's port."""

    def __init__(self, image: Path, *, as_json: bool) -> None:
        self._image = image
        self._as_json = as_json

    def __call__(self, kind: str, detail: str) -> None:
        """Prints one event."""
        if self._as_json:
            print_json({"event": kind, "detail": detail})
        elif kind == "listening":
            OUT.print(f"gdb: {detail}", markup=False)
            STATUS.print(f"gdb-multiarch {self._image} -ex 'target remote {detail}'", markup=False)
        else:
            STATUS.print(f"gdb: {kind}: {detail}", markup=False)
