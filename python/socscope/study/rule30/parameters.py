"""What is varied in the study, and the points that are run."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from socscope.study.parameters import Parameters

Mode = Literal["char", "bit", "hw", "hwo", "hw-mmap", "hw-poll", "hw-batch", "hw-dma", "hwo-mmap"]
SOFTWARE: tuple[Mode, ...] = ("char", "bit")
# The designs of the question, and those that nobody asked for.
DESIGNS: tuple[Mode, ...] = ("hw", "hwo", "hw-mmap")
FURTHER_DESIGNS: tuple[Mode, ...] = ("hw-poll", "hw-batch", "hw-dma", "hwo-mmap")

LATENCIES_NS = (1, 10, 100, 1000, 10000)
USUAL_LATENCY_NS = 100
MAP_LENGTHS = tuple(range(8, 257, 8))
# Steps of 30 from 10 on end at 1000; the longest line that was asked for is 1020.
COARSE_LENGTHS = (*range(10, 1001, 30), 1020)
DESIGN_LENGTHS = (64, 256, 1000)
DETAIL_LENGTH = 128
PACKETS, LINES = 1000, 99
FEW_PACKETS = 10
QUICK_LENGTHS = (16, 256, 1000)
QUICK_LATENCIES_NS = (10, 1000)

# Size of each first-level cache, and cycles of an access to memory.
Caches = Literal["none", "16k-50", "16k-100", "128k-100"]
CACHES: tuple[Caches, ...] = ("16k-50", "16k-100", "128k-100")


class Rule30Parameters(Parameters):
    """One run: a mode, a length of lines, and how fast the accelerator is.

    Software knows no latency; for it `latency_ns` is 0.
    """

    mode: Mode = "bit"
    length_bits: Annotated[int, Field(ge=1, le=1024)] = DETAIL_LENGTH
    latency_ns: Annotated[int, Field(ge=0)] = 0
    packets: Annotated[int, Field(ge=1)] = PACKETS
    lines: Annotated[int, Field(ge=1)] = LINES
    caches: Caches = "none"
    tasks: bool = False
    """Whether the record says which task ran when, in user and in kernel mode."""

    @property
    def hardware(self) -> bool:
        """Whether the accelerator does the work."""
        return self.mode not in SOFTWARE


def space(*, quick: bool) -> Mapping[str, Sequence[Rule30Parameters]]:
    """The points by the part of the study that they belong to."""
    lengths = QUICK_LENGTHS if quick else MAP_LENGTHS
    latencies = QUICK_LATENCIES_NS if quick else LATENCIES_NS
    base = Rule30Parameters(packets=2, lines=9) if quick else Rule30Parameters()
    few = base if quick else base.but(packets=FEW_PACKETS)
    parts = {
        "map": [
            point
            for length in lengths
            for point in _modes(base.but(length_bits=length), ["bit", "hw", "hw-mmap"], latencies)
        ],
        "detail": [
            point.but(tasks=True)
            for point in _modes(few, ["bit", *(("hw", "hw-mmap") if quick else DESIGNS)], [USUAL_LATENCY_NS])
        ],
    }
    if quick:
        return parts
    parts["coarse"] = [
        point
        for length in COARSE_LENGTHS
        for point in _modes(base.but(length_bits=length), [*SOFTWARE, *DESIGNS], [USUAL_LATENCY_NS])
    ]
    parts["designs"] = [
        point
        for length in DESIGN_LENGTHS
        for point in _modes(base.but(length_bits=length), ["bit", *DESIGNS, *FURTHER_DESIGNS], latencies)
    ]
    parts["caches"] = [
        point.but(caches=caches)
        for caches in ("none", *CACHES)
        for point in _modes(few, ["char", "bit", "hw", "hw-mmap"], [USUAL_LATENCY_NS])
    ]
    return parts


def _modes(
    base: Rule30Parameters, modes: Sequence[Mode], latencies_ns: Sequence[int]
) -> list[Rule30Parameters]:
    """Each mode once for each latency that it knows."""
    return [
        base.but(mode=mode, latency_ns=latency)
        for mode in modes
        for latency in ((0,) if mode in SOFTWARE else latencies_ns)
    ]
