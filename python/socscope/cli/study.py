"""`socscope study`: a space of parameters as many runs."""

import typer

from socscope.cli.output import command


@command
def study(name: str = typer.Argument(help="Name of the study.")) -> None:
    """Carry out a study."""
    raise NotImplementedError(name)
