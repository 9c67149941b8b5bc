"""The device-tree compiler, which gets what others wrote: it opens no file, and its means are limited."""

import re
import resource
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from socscope.errors import PlatformError
from socscope.tree_source import whole

# The compiler takes some milliseconds and megabytes for a board.
CPU_SECONDS_MAX = 2
WALL_SECONDS_MAX = 60
MEMORY_BYTES_MAX = 1 << 30
OUTPUT_BYTES_MAX = 64_000_000
REMEDY = "look for a number of cells, or a size, that is out of proportion"


def compile_tree(path: Path, library: Path) -> bytes:
    """Compiles a device tree with dtc; its labels are kept, they are the names of devices and ports.

    It may include files of its own folder and of the folder `library`, and no others.
    """
    source = whole(path, library)
    status, blob, messages = limited(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-"], source, str(path))
    if status != 0:
        raise PlatformError(f"{path}: does not compile:\n{_readable(messages.decode(errors='replace'))}")
    return blob


def limited(command: Sequence[str], source: bytes, subject: str) -> tuple[int, bytes, bytes]:
    """Runs a tool on what `subject` is: status, output and messages."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except FileNotFoundError:
        raise PlatformError(
            f"{command[0]} is missing: install the Debian package device-tree-compiler"
        ) from None
    limits = {
        resource.RLIMIT_CPU: CPU_SECONDS_MAX,
        resource.RLIMIT_AS: MEMORY_BYTES_MAX,
        resource.RLIMIT_FSIZE: OUTPUT_BYTES_MAX,
        resource.RLIMIT_CORE: 0,
    }
    # It may have ended already.
    with suppress(ProcessLookupError):
        for limit, most in limits.items():
            resource.prlimit(process.pid, limit, (most, most))
    return _ended(process, command[0], source, subject)


def _ended(
    process: subprocess.Popen[bytes], tool: str, source: bytes, subject: str
) -> tuple[int, bytes, bytes]:
    try:
        output, messages = process.communicate(source, timeout=WALL_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise PlatformError(f"{subject}: {tool} was ended after {WALL_SECONDS_MAX} s; {REMEDY}") from None
    if process.returncode < 0:
        number = -process.returncode
        if number in {signal.SIGXCPU, signal.SIGKILL}:
            why = f"was ended after {CPU_SECONDS_MAX} s of computing"
        else:
            why = f"was ended by {signal.Signals(number).name}"
        raise PlatformError(f"{subject}: {tool} {why}; {REMEDY}")
    return process.returncode, output, messages


def _readable(messages: str) -> str:
    """The compiler's messages without its columns of byte ranges and its closing line."""
    lines = [line for line in messages.splitlines() if line and "Unable to parse input tree" not in line]
    return "\n".join(re.sub(r"^(?:Error|ERROR|FATAL ERROR): ", "  ", line) for line in lines)
