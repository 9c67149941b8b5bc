"""The command line: one file a command."""

import typer

from socscope.cli import (
    catalogue,
    characterize,
    checkpoint,
    compare,
    debug,
    device,
    diff,
    doctor,
    estimate,
    exits,
    records,
    replay,
    run,
    schedulability,
    study,
    timeline,
    validate,
    verify,
)
from socscope.cli.output import Exit

app = typer.Typer(
    name="socscope",
    help="Runs unmodified embedded software on a modelled system-on-chip and shows where its time goes.",
    epilog=exits.told(list(Exit)),
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
)

app.command(epilog=exits.told(exits.OF_RUNS))(run.run)
app.command()(debug.debug)
app.add_typer(checkpoint.app, name="checkpoint")
app.command()(study.study)
app.command()(replay.replay)
app.command()(verify.verify)
app.command()(diff.diff)
app.command()(records.report)
app.command()(characterize.characterize)
app.command()(validate.validate)
app.command()(estimate.estimate)
app.command()(compare.compare)
app.command()(schedulability.schedulability)
app.command()(timeline.timeline)
app.command()(records.query)
app.command()(catalogue.platforms)
app.command()(catalogue.devices)
app.add_typer(device.app, name="device")
app.command()(doctor.doctor)

__all__ = ["app"]
