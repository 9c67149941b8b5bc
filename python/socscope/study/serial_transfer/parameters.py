"""What is varied in the study, and the points that are run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from socscope.study.parameters import Parameters as StudyParameters

Role = Literal["receive", "send"]

SIZES = (100, 200, 500, 1000, 2000, 4000, 8000, 16000)
QUICK_SIZES = (100, 1000, 16000)
DETAIL_SIZE = 1000
# Crystals whose baud rate divisor gives 115.2 kbit/s exactly, up to the study's 40 MHz (1.4 % off).
USUAL_CLOCK_HZ = 40_000_000
CLOCKS_HZ = (11_059_200, 18_432_000, 29_491_200, USUAL_CLOCK_HZ)
BIT_ERROR_RATE = 1e-4
# With errors on the line: short packets, each acknowledged, since an error costs a packet.
NOISY_PACKET = 94
DMA_LENGTHS = (16, 32, 128, 256)
NOISY_SIZES = (4000, 16000)
NOISY_QUICK_SIZES = (4000,)


class Parameters(StudyParameters):
    """One run. The defaults are the study's board; 0 stands for what the guest uses by itself."""

    size_bytes: Annotated[int, Field(ge=1)] = DETAIL_SIZE
    role: Role = "receive"
    clock_hz: int = USUAL_CLOCK_HZ
    isa: Literal["arm", "thumb"] = "arm"
    bit_error_rate: Annotated[float, Field(ge=0, lt=1)] = 0.0
    streaming: bool = True
    packet_bytes: Annotated[int, Field(ge=0, le=9000)] = 0
    receive_dma_bytes: Annotated[int, Field(ge=0)] = 0
    transmit_dma_bytes: Annotated[int, Field(ge=0)] = 0
    seed: int = 1

    def guest(self) -> dict[str, str]:
        """The settings that the guest is built with."""
        defines = []
        if self.receive_dma_bytes:
            defines.append(f"-DAT91_USART_RECEIVE_LENGTH={self.receive_dma_bytes}")
        if self.transmit_dma_bytes:
            defines.append(f"-DAT91_USART_TRANSMIT_LENGTH={self.transmit_dma_bytes}")
        return {
            "BOARD": "at91x40",
            "ISA": self.isa,
            "MCK_HZ": "" if self.clock_hz == USUAL_CLOCK_HZ else str(self.clock_hz),
            "DEFINES": " ".join(defines),
        }

    def overrides(self) -> list[str]:
        """What is changed in the platform."""
        return [] if self.clock_hz == USUAL_CLOCK_HZ else [f"/clock:clock-frequency={self.clock_hz}"]


@dataclass(frozen=True)
class Plan:
    """The points of the study by the output that they serve; a point may serve several."""

    detail: Parameters
    sizes: list[Parameters]
    send: list[Parameters]
    noisy: list[Parameters]
    clocks: list[Parameters]
    variants: list[Parameters]

    def parts(self) -> dict[str, list[Parameters]]:
        """The points by output."""
        return {
            "detail": [self.detail],
            "sizes": self.sizes,
            "send": self.send,
            "noisy": self.noisy,
            "clocks": self.clocks,
            "variants": self.variants,
        }

    def points(self) -> list[Parameters]:
        """All points, each once."""
        return list(dict.fromkeys(point for part in self.parts().values() for point in part))


def plan(*, quick: bool, settings: Sequence[str] = ()) -> Plan:
    """The whole study, or its quick form; `settings` hold for all points."""

    def fixed(points: Iterable[Parameters]) -> list[Parameters]:
        return list(dict.fromkeys(point.changed(settings) for point in points))

    base = Parameters()
    sizes = QUICK_SIZES if quick else SIZES
    clocks = (CLOCKS_HZ[0], CLOCKS_HZ[-1]) if quick else CLOCKS_HZ
    careful = base.but(streaming=False, packet_bytes=NOISY_PACKET)
    variants = [
        *(base.but(receive_dma_bytes=length) for length in DMA_LENGTHS),
        base.but(isa="thumb"),
        careful,
        base.but(streaming=False, packet_bytes=1000),
    ]
    detail = base.changed(settings)
    return Plan(
        detail=detail,
        sizes=fixed(base.but(size_bytes=size) for size in sizes),
        send=fixed(base.but(size_bytes=size, role="send") for size in ((DETAIL_SIZE,) if quick else sizes)),
        noisy=fixed(
            careful.but(size_bytes=size, bit_error_rate=rate)
            for size in (NOISY_QUICK_SIZES if quick else NOISY_SIZES)
            for rate in (0.0, BIT_ERROR_RATE)
        ),
        clocks=fixed(base.but(clock_hz=clock) for clock in clocks),
        variants=[] if quick else [one for one in fixed(variants) if one != detail],
    )
