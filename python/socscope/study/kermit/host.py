"""The Kermit program on the host, as the other end of a simulated serial line."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from socscope.errors import StudyError

# Date and protection of every file that is sent: they go over the line and must be equal in equal runs.
FILE_TIME = 1_767_225_600  # 2026-01-01 00:00 UTC
FILE_MODE = 0o644
PATIENCE_SECONDS = 20


class HostKermit:
    """C-Kermit, connected to a TCP port of the simulation, for one transfer."""

    def __init__(self, folder: Path, port: int, steps: Sequence[str], *, streaming: bool = True) -> None:
        program = shutil.which("kermit")
        if program is None:
            raise StudyError("kermit is missing: install the Debian package ckermit")
        commands = [
            f"set host 127.0.0.1 {port} /raw-socket",
            "set file names literal",
            "set file type binary",
            "set file display none",
            "set transfer bell off",
            # Without this the path of our folder goes over the line.
            "set f-ack-path off",
            # The guest repeats what was lost, by simulated time; the host would do it by real time.
            "set send timeout 900 fixed",
            f"set streaming {'on' if streaming else 'off'}",
            *steps,
            "if fail exit 1",
            "close",
            "exit 0",
        ]
        self._folder = folder
        # Its messages tell what went wrong; the environment is the same on every host.
        self._log = folder / "kermit.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [program, "-Y", "-q", "-C", ", ".join(commands)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TZ": "UTC", "LC_ALL": "C"},
            )

    @classmethod
    def sending(cls, folder: Path, port: int, file: Path, *, streaming: bool = True) -> Self:
        """Sends a file to the machine."""
        file.chmod(FILE_MODE)
        os.utime(file, (FILE_TIME, FILE_TIME))
        return cls(folder, port, [f"send {file.name}"], streaming=streaming)

    @classmethod
    def receiving(cls, folder: Path, port: int, name: str, *, streaming: bool = True) -> Self:
        """Receives a file from the machine into `folder` under a name of our choice."""
        return cls(folder, port, ["set file collision overwrite", f"receive {name}"], streaming=streaming)

    def finish(self) -> None:
        """Waits for its end, and fails when it says that the transfer did."""
        try:
            status = self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise StudyError("the Kermit on the host did not end after the transfer") from None
        if status != 0:
            said = self._log.read_text(errors="replace").strip() or "it gave no reason"
            raise StudyError(f"the Kermit on the host failed: {said}")

    def kill(self) -> None:
        """Ends it at once, when it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
