"""`socscope device`: a device's register table in the formats of other tools."""

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from socscope.cli.output import OUT, command
from socscope.errors import DeviceError, SocscopeError

if TYPE_CHECKING:
    from socscope.device.models import Table

app = typer.Typer(
    help="Write the register table of a device for drivers and hardware tools.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Name = Annotated[
    str,
    typer.Argument(help="A `compatible`, also without its vendor; or FILE.py:CLASS of a device in Python."),
]
Out = Annotated[Path | None, typer.Option(help="The file; without it the text is printed.")]


@app.command("header")
@command
def header_command(
    name: Name,
    out: Out = None,
    prefix: Annotated[str | None, typer.Option(help="What all names begin with.")] = None,
) -> None:
    """Write a C header with offsets and bits of all registers."""
    from socscope.device.header import header  # noqa: PLC0415 - needs the compiled module.

    _give(header(_table(name), prefix), out)


@app.command("systemrdl")
@command
def systemrdl_command(name: Name, out: Out = None) -> None:
    """Write the registers as SystemRDL 2.0, the language of hardware designers."""
    from socscope.device.systemrdl_text import systemrdl  # noqa: PLC0415 - needs the compiled module.

    _give(systemrdl(_table(name)), out)


def _give(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    if out.is_dir():
        raise SocscopeError(f"{out}: a folder; name a file")
    # A file that says so already keeps its time, so that nothing is built again for it.
    if not out.exists() or out.read_text() != text:
        out.write_text(text)
    OUT.print(f"written: {out}", markup=False)


def _table(name: str) -> "Table":
    from socscope.device.models import built_in  # noqa: PLC0415 - needs the compiled module.

    file, _, wanted = name.rpartition(":")
    return _table_of_class(Path(file), wanted) if file.endswith(".py") else built_in(name)


def _table_of_class(path: Path, name: str) -> "Table":
    from socscope.device import Device  # noqa: PLC0415 - needs the compiled module.

    if not path.is_file():
        raise DeviceError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # Whatever the user's file raises.
        raise DeviceError(f"{path}: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not (isinstance(found, type) and issubclass(found, Device)):
        known = [
            one
            for one, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Device)
        ]
        raise DeviceError(f"{path}: no device is called {name}; there are: {', '.join(known) or 'none'}")
    return found.table()
