"""Runs unmodified embedded software on a modelled system-on-chip and shows where its time goes."""

from typing import TYPE_CHECKING

from socscope.errors import SocscopeError
from socscope.record import Manifest, Run, Totals
from socscope.record import open_run as open

__all__ = ["Manifest", "Outcome", "Run", "Simulation", "SocscopeError", "Totals", "open"]

if TYPE_CHECKING:
    from socscope.simulation import Outcome, Simulation
else:

    def __getattr__(name: str) -> object:
        """Loads the compiled module only when a machine is asked for: records can be read without it."""
        if name in ("Outcome", "Simulation"):
            from socscope import simulation  # noqa: PLC0415

            return getattr(simulation, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """What there is, that which is loaded later included."""
        return sorted({*globals(), *__all__})
