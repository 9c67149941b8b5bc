"""A guest's console by script: wait for what it says, type what it shall do. All times are simulated ones."""

import codecs
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from socscope.errors import ConsoleError, OptionError
from socscope.options import LENGTH_MAX, Duration, duration

if TYPE_CHECKING:
    from socscope.simulation import Simulation

WITHIN = "60s"
LINES_SHOWN = 10
# An expression is looked for in this much of what was said last.
SEARCHED_CHARACTERS = 4096
# With these words kernels give up: that of Linux, and the real-time kernel among the guests.
LAST_WORDS = ("Kernel panic - not syncing: ", "PANIC: ")
PANICS = tuple(re.compile(rf"^(?:\[[^\]]*\] )?{re.escape(word)}.*\n", re.MULTILINE) for word in LAST_WORDS)

Pattern = str | re.Pattern[str]


class Console:
    """The script of one port. It reads what the guest says from now on; ends of lines are `\\n` in it.

    The machine runs only while something is awaited, and what is typed goes in at the moment at which it
    stopped: the same script gives the same run, to the bit. Between what the guest says and what the script
    answers lies at most 0.1 ms of simulated time.

    `prompt` is what the guest's shell writes at the beginning of a line when it waits for a command.
    """

    def __init__(
        self,
        simulation: "Simulation",
        port: str | None = None,
        *,
        prompt: str = "$ ",
        within: str = WITHIN,
        panics: Sequence[re.Pattern[str]] = PANICS,
    ) -> None:
        ports = simulation.machine.ports()
        if port is not None and port not in ports:
            raise OptionError(
                f"{simulation.platform.name}: no serial port {port}; there are {', '.join(ports) or 'none'}"
            )
        self.port = port or simulation.console_port
        self.prompt = prompt
        self.within = within
        self._panics = panics
        self._simulation = simulation
        _, self._read = simulation.machine.serial_since(self.port, 0)
        self._decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder("utf-8")("replace"), translate=True
        )
        self._unread = ""

    @property
    def unread(self) -> str:
        """What the guest has said and no `expect` has passed yet."""
        said, self._read = self._simulation.machine.serial_since(self.port, self._read)
        self._unread += self._decoder.decode(said)
        return self._unread

    def send(self, text: str | bytes) -> None:
        """Types text as it is, without an end of line; it goes out at the line's own speed."""
        self._simulation.send(text.encode() if isinstance(text, str) else text, self.port)

    def expect(self, pattern: Pattern, within: str | None = None) -> str:
        """Runs until the guest has said a text, or what a compiled expression matches; gives all up to there.

        `within` is simulated time from now. It fails as well when the guest panics or crashes, and when the
        machine stops.
        """
        simulation, limit = self._simulation, within or self.within
        until_ps = simulation.machine.time_ps + simulation.picoseconds(duration(limit))
        while (found := _search(pattern, self.unread)) is None:
            self._check_panic(pattern)
            left = until_ps - simulation.machine.time_ps
            if left <= 0:
                raise ConsoleError(
                    f"{self._awaited(pattern)} did not come within {limit} of simulated time; "
                    f"allow more with within=, or correct the text.\n{self._last_lines()}"
                )
            outcome = simulation.run(Duration(min(left, LENGTH_MAX), "ps"), until_output=b"", port=self.port)
            if outcome.stop.kind == "interrupted":
                raise KeyboardInterrupt
            # What was said before the end counts.
            if outcome.stop.kind not in ("output", "time") and _search(pattern, self.unread) is None:
                self._check_panic(pattern)
                reason = outcome.crash or outcome.stop.detail
                raise ConsoleError(
                    f"{self._awaited(pattern)} was awaited when the machine stopped: {reason}\n"
                    f"{self._last_lines()}"
                )
        said, self._unread = self._unread[: found[1]], self._unread[found[1] :]
        return said

    def run(self, command: str, within: str | None = None) -> str:
        """Types a command, and gives what it prints up to the next prompt, without its echo.

        What was said before counts as read.
        """
        _ = self.unread
        self._unread = ""
        self.send(command + "\r")
        prompt = re.compile(f"^{re.escape(self.prompt)}", re.MULTILINE)
        said = self.expect(prompt, within)
        found = _search(prompt, said)
        said = said[: found[0]] if found else said
        echo, _, printed = said.partition("\n")
        return (printed if command in echo else said).removesuffix("\n")

    def _check_panic(self, pattern: Pattern) -> None:
        for panic in self._panics:
            if found := panic.search(self._unread, max(len(self._unread) - SEARCHED_CHARACTERS, 0)):
                raise ConsoleError(
                    f"{self._awaited(pattern)} was awaited when the guest gave up: "
                    f"{found.group().strip()}\n{self._last_lines()}"
                )

    def _awaited(self, pattern: Pattern) -> str:
        shown = repr(pattern) if isinstance(pattern, str) else f"/{pattern.pattern}/"
        return f"{self.port}: {shown}"

    def _last_lines(self) -> str:
        said = self._simulation.output(self.port).decode("utf-8", "replace").replace("\r", "")
        lines = said.strip("\n").split("\n")[-LINES_SHOWN:]
        return "\n".join(["The guest's last lines:", *(f"  {line}" for line in lines if line)])


def _search(pattern: Pattern, text: str) -> tuple[int, int] | None:
    """Start and end of the first match."""
    if isinstance(pattern, str):
        start = text.find(pattern)
        return None if start < 0 else (start, start + len(pattern))
    found = pattern.search(text, max(len(text) - SEARCHED_CHARACTERS, 0))
    return None if found is None else found.span()
