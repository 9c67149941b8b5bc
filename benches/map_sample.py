"""The accelerator study's map by a sample: one length and two numbers of packets for each design and latency.

A run takes a time of its own and one for each packet; both follow from two runs. The length is the mean of
those of the map.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from socscope.study.rule30 import Rule30, Rule30Parameters
from socscope.study.rule30.parameters import MAP_LENGTHS, PACKETS, space
from socscope.study.store import host_facts
from socscope.study.study import Result

LENGTH = sum(MAP_LENGTHS) // len(MAP_LENGTHS)
FEW, MORE = 5, 25
# The first runs of each process, which take the time in which it starts.
FIRST = [Rule30Parameters(length_bits=8, packets=1, lines=lines) for lines in range(1, 9)]


class MapSample(Rule30):
    """A sample of the map."""

    name = "map-sample"

    def sources(self) -> Sequence[Path]:
        """This file besides those of the study."""
        return [*super().sources(), Path(__file__)]

    def space(self, *, quick: bool) -> Mapping[str, Sequence[Rule30Parameters]]:
        """Runs that nobody looks at, and the sample."""
        designs = [one for one in space(quick=False)["map"] if one.length_bits == MAP_LENGTHS[0]]
        return {
            "first": FIRST,
            "sample": [
                one.but(length_bits=LENGTH, packets=packets) for one in designs for packets in (FEW, MORE)
            ],
        }

    def weight(self, parameters: Rule30Parameters) -> float:
        """Those that nobody looks at come first."""
        return 1e15 if parameters in FIRST else super().weight(parameters)


@dataclass(frozen=True)
class Estimate:
    """What the whole map takes: seconds of all processes together, and cycles that cores execute."""

    runs: int
    seconds: float
    executed_cycles: float


def estimate(results: Sequence[Result[Rule30Parameters]]) -> Estimate:
    """The whole map, from the runs of the part `sample`."""
    pairs: dict[Rule30Parameters, dict[int, tuple[float, float]]] = {}
    for one in results:
        found = (
            float(host_facts(one.run)["host_seconds"]),
            float(one.run.manifest.parameters["executed_cycles"]),
        )
        pairs.setdefault(one.parameters.but(packets=1), {})[one.parameters.packets] = found
    wholes = [_at(PACKETS, pair[FEW], pair[MORE]) for pair in pairs.values()]
    lengths = len(MAP_LENGTHS)
    return Estimate(
        runs=lengths * len(wholes),
        seconds=lengths * sum(seconds for seconds, _ in wholes),
        executed_cycles=lengths * sum(cycles for _, cycles in wholes),
    )


def _at(packets: int, few: tuple[float, float], more: tuple[float, float]) -> tuple[float, float]:
    """The straight line through both, at another number of packets."""
    share = (packets - FEW) / (MORE - FEW)
    return few[0] + share * (more[0] - few[0]), few[1] + share * (more[1] - few[1])
