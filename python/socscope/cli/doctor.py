"""`socscope doctor`: is all there that Socscope works with?"""

import platform as host
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from socscope import platform
from socscope.cli.output import OUT, Exit, Json, command, print_json
from socscope.errors import SocscopeError


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `remedy` says what to do when it is not well.

    What is `optional` is missing only to those who want what the remedy names.
    """

    what: str
    well: bool
    found: str
    remedy: str = ""
    optional: bool = False

    @property
    def mark(self) -> Text:
        """How it stands, in a word."""
        if self.well:
            return Text("ok", "green")
        return Text("optional", "yellow") if self.optional else Text("missing", "red")


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("Python", sys.version_info >= (3, 11), version, "Python 3.11 or newer is needed")


def _core() -> Finding:
    try:
        from socscope import _core as core  # noqa: PLC0415 - its absence is a finding.
    except ImportError as error:
        return Finding("compiled core", False, str(error), "run make extension")
    return Finding("compiled core", True, core.__version__)


def _tool(name: str, package: str, option: str = "--version") -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, False, "not found", f"install the Debian package {package}")
    try:
        said = subprocess.run(
            [path, option], capture_output=True, text=True, check=False, timeout=10, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, False, str(error), f"reinstall the Debian package {package}")
    lines = (said.stdout or said.stderr).strip().splitlines()
    return Finding(name, True, lines[0].strip() if lines else path)


def _platforms() -> Finding:
    try:
        compiled = [platform.load(name).name for name in platform.names()]
    except SocscopeError as error:
        return Finding("platforms", False, str(error), "restore the folder platforms")
    remedy = f"no platform in {platform.FOLDER}: set SOCSCOPE_ROOT to the project's folder"
    return Finding("platforms", bool(compiled), ", ".join(compiled) or "none", remedy)


def _compiler(name: str, builds: str) -> Finding:
    found = _tool(name, "")
    return replace(
        found, optional=True, remedy=f"scripts/guests {builds} installs it and builds these guests"
    )


def _guests() -> Finding:
    built = sorted(path.name for path in (platform.ROOT / "build" / "guests").glob("*") if path.is_dir())
    remedy = "scripts/guests NAME builds one, scripts/guests --list names them"
    return Finding("guests", bool(built), ", ".join(built) or "not built", remedy, optional=True)


def _loopback() -> Finding:
    try:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            with socket.create_connection(listener.getsockname(), timeout=2):
                return Finding("loopback ports", True, "can be opened and reached")
    except OSError as error:
        return Finding("loopback ports", False, str(error), "allow TCP on 127.0.0.1")


CHECKS: list[Callable[[], Finding]] = [
    _python,
    _core,
    lambda: _tool("dtc", "device-tree-compiler"),
    lambda: _tool("fdtget", "device-tree-compiler"),
    lambda: _compiler("arm-none-eabi-gcc", "at91x40-arm"),
    lambda: _compiler("powerpc-linux-gnu-gcc", "linux"),
    lambda: _tool("make", "make"),
    lambda: _tool("kermit", "ckermit", "-h"),
    _platforms,
    _guests,
    _loopback,
]


@command
def doctor(as_json: Json = False) -> None:
    """Check that all tools, platforms and guests are there."""
    findings = [check() for check in CHECKS]
    if as_json:
        print_json({"host": host.platform(), "findings": [asdict(finding) for finding in findings]})
    else:
        table = Table("", "What", "Found", "Remedy", box=box.SIMPLE)
        for finding in findings:
            table.add_row(finding.mark, finding.what, finding.found, "" if finding.well else finding.remedy)
        OUT.print(table)
    if not all(finding.well or finding.optional for finding in findings):
        raise typer.Exit(Exit.ERROR)
