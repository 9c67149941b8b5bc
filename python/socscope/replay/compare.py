"""A record and a run that should be the same."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from socscope.record import Run
from socscope.simulation import Simulation

# What does not depend on whether a profile was counted.
UNCOUNTED = ("console", "input")


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was recorded."""

    what: str
    recorded: str
    again: str

    @property
    def of_counts(self) -> bool:
        """Whether it is one of what was counted, not of state, time, console or input."""
        table = self.what.removeprefix("table ").partition(",")[0]
        return table != self.what and table not in UNCOUNTED

    def __str__(self) -> str:
        return f"{self.what}: recorded {self.recorded}, now {self.again}"


def state_differences(simulation: Simulation, cycle: int, state_hash: str) -> list[Difference]:
    """What differs of place and state."""
    machine = simulation.machine
    pairs = [
        ("cycle", str(cycle), str(machine.cycle)),
        ("state hash", state_hash, machine.state_hash()),
    ]
    return [Difference(*pair) for pair in pairs if pair[1] != pair[2]]


def differences(run: Run, simulation: Simulation) -> list[Difference]:
    """All that differs between a record and a simulation that stands where the record ends."""
    machine, facts = simulation.machine, run.manifest
    found = state_differences(simulation, facts.stop.cycle, facts.state_hash)
    if facts.stop.time_ps != machine.time_ps:
        found.append(Difference("simulated time in ps", str(facts.stop.time_ps), str(machine.time_ps)))
    if list(facts.warnings) != (warnings := machine.warnings()):
        found.append(Difference("warnings", _shown(facts.warnings), _shown(warnings)))
    folded = machine.not_told_apart()
    if simulation.profiled == facts.profiled and facts.not_told_apart != folded:
        found.append(Difference("what is not told apart", _shown(facts.not_told_apart), _shown(folded)))
    counts = simulation.counts()
    names = run.table_names if simulation.profiled == facts.profiled else UNCOUNTED
    return found + tables(run, counts.tables, names)


def tables(run: Run, others: Mapping[str, pa.Table], names: tuple[str, ...] | list[str]) -> list[Difference]:
    """The tables that differ, each with its first row that does."""
    found = []
    for name in names:
        recorded, again = run.table(name), others.get(name)
        # Records of earlier formats lack columns.
        if again is not None and set(recorded.column_names) <= set(again.column_names):
            again = again.select(recorded.column_names)
            # Words for people: earlier versions named cores otherwise, and `encoded` says it all.
            if name == "input":
                recorded, again = recorded.drop_columns(["target"]), again.drop_columns(["target"])
        if again is None:
            found.append(Difference(f"table {name}", f"{recorded.num_rows} rows", "not there"))
        elif not recorded.equals(again):
            found.append(_first_row(name, recorded, again))
    return found


def _first_row(name: str, recorded: pa.Table, again: pa.Table) -> Difference:
    for number, (one, other) in enumerate(
        zip(recorded.to_pylist(), again.to_pylist(), strict=False), start=1
    ):
        if one != other:
            changed = [column for column in one if one[column] != other.get(column)]
            return Difference(
                f"table {name}, row {number}",
                ", ".join(f"{column} {one[column]!r}" for column in changed),
                ", ".join(f"{column} {other.get(column)!r}" for column in changed),
            )
    return Difference(f"table {name}", f"{recorded.num_rows} rows", f"{again.num_rows} rows")


def _shown(texts: list[str]) -> str:
    return "; ".join(texts) or "none"
