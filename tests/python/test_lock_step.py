"""Two machines on one simulated time, their serial ports wired: a file goes from Kermit to Kermit."""

from pathlib import Path

import pytest
from socscope import _core
from socscope.simulation import Simulation

SYSTEM = Path("build/guests/at91x40-arm/system.elf")
FILE_CRC = "7dccd038 4000 data.bin"


def transfer(
    *, quantum_ps: int = 5_000_000, bit_error_rate: float = 0.0, options: str = ""
) -> tuple[Simulation, Simulation]:
    """Sends 4000 bytes that the first machine made itself to the second one."""
    sender, receiver = Simulation("at91x40", SYSTEM), Simulation("at91x40", SYSTEM)
    sender.machine.set_bit_errors("usart1", bit_error_rate, 5)
    _core.link(sender.machine, "usart1", receiver.machine, "usart1", quantum_ps)
    sender.send(b"make data.bin 4000 7\rcrc32 data.bin\r")
    sender.run("500ms", until_output=FILE_CRC)
    receiver.send(f"kermit -r{options}\r".encode())
    receiver.run("1s", until_output="READY TO RECEIVE")
    sender.send(f"kermit -s data.bin{options}\r".encode())
    assert sender.run("60s", until_output="kermit: exit 0").stop.kind == "output"
    receiver.run("1s", until_output="kermit: exit 0")
    receiver.send(b"crc32 data.bin\r")
    receiver.run("1s", until_output=FILE_CRC)
    return sender, receiver


def test_a_file_crosses_the_wire() -> None:
    _, receiver = transfer()
    assert FILE_CRC.encode() in receiver.output()


@pytest.mark.parametrize("quantum_ps", [1_000_000, 40_000_000])
def test_the_quantum_does_not_show(quantum_ps: int) -> None:
    """Up to half a character at 115200 baud."""
    logs = [
        [machine.machine.serial_log("usart1") for machine in transfer(quantum_ps=quantum)]
        for quantum in (5_000_000, quantum_ps)
    ]
    assert logs[0] == logs[1]


def test_bit_errors_cost_repetitions_and_no_data() -> None:
    clean = transfer(options=" -S -e 94")[0].machine
    disturbed, receiver = transfer(bit_error_rate=1e-4, options=" -S -e 94")
    assert FILE_CRC.encode() in receiver.output()
    assert disturbed.machine.bits_flipped("usart1") > 0
    assert len(disturbed.output("usart1")) > len(clean.serial_output("usart1"))
