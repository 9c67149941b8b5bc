"""One run of the study: the system boots, a file goes over the line, what arrived is compared with it."""

import random
import re
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from socscope.errors import StudyError
from socscope.record.sources import IMAGES
from socscope.simulation import Simulation
from socscope.study import guest
from socscope.study.kermit.host import HostKermit
from socscope.study.serial_transfer.parameters import Parameters
from socscope.study.space import Point, Value

LINK = "usart1"
FILE = "data.bin"
PROMPT = "$ "
MARK_START = 1


def worker(point: Point, folder: Path) -> None:
    """Makes one run and writes its record."""
    parameters = Parameters.of(point.parameters)
    with tempfile.TemporaryDirectory(prefix="socscope-") as work:
        _run(parameters, point, Path(work), folder)


def content(parameters: Parameters) -> bytes:
    """The synthetic file: bytes with no pattern, from the seed."""
    return random.Random(parameters.seed).randbytes(parameters.size_bytes)


def image(parameters: Parameters) -> Path:
    """The guest's image for these parameters."""
    return guest.build("system", **parameters.guest()) / "system.elf"


def _run(parameters: Parameters, point: Point, work: Path, folder: Path) -> None:
    simulation = Simulation(
        "at91x40",
        image(parameters),
        overrides=parameters.overrides(),
        profile=True,
        window="marks",
    )
    if parameters.bit_error_rate:
        simulation.disturb(LINK, parameters.bit_error_rate, parameters.seed)
    if parameters.role == "receive":
        _to_guest(simulation, parameters, work)
    else:
        _from_guest(simulation, parameters, work)
    original, arrived = (work / side / FILE for side in ("original", "arrived"))
    if original.read_bytes() != arrived.read_bytes():
        raise StudyError("the file arrived damaged: it differs from the original")
    facts: dict[str, Value] = {
        "file_sha256": sha256(arrived.read_bytes()).hexdigest(),
        "bits_flipped": simulation.machine.bits_flipped(LINK),
    }
    simulation.record(
        folder,
        command=["study", "serial-transfer"],
        parameters={**point.parameters, **facts},
        images=folder.parent / IMAGES,
    )


def _to_guest(simulation: Simulation, parameters: Parameters, work: Path) -> None:
    file = _folder(work, "original") / FILE
    file.write_bytes(content(parameters))
    _command(simulation, "")

    def host(port: int) -> HostKermit:
        return HostKermit.sending(file.parent, port, file, streaming=parameters.streaming)

    _transfer(simulation, f"kermit -r{_options(parameters)}", host)
    (_folder(work, "arrived") / FILE).write_bytes(read_file(simulation))


def _from_guest(simulation: Simulation, parameters: Parameters, work: Path) -> None:
    target = _folder(work, "arrived")
    _command(simulation, "")
    _command(simulation, f"make {FILE} {parameters.size_bytes} {parameters.seed}")

    def host(port: int) -> HostKermit:
        return HostKermit.receiving(target, port, FILE, streaming=parameters.streaming)

    _transfer(simulation, f"kermit -s {FILE}{_options(parameters)}", host)
    if not (target / FILE).exists():
        raise StudyError(f"the Kermit on the host says all is well, but {FILE} is not there")
    (_folder(work, "original") / FILE).write_bytes(read_file(simulation))


def _options(parameters: Parameters) -> str:
    options = " -i"
    if not parameters.streaming:
        options += " -S"
    if parameters.packet_bytes:
        options += f" -e {parameters.packet_bytes}"
    return options


def _transfer(simulation: Simulation, line: str, start: Callable[[int], HostKermit]) -> None:
    """Starts the guest's program, then, when its protocol begins, the host's."""
    simulation.send(line.encode() + b"\r")
    outcome = simulation.run("60s", until_mark=MARK_START)
    if outcome.stop.kind != "mark":
        raise StudyError(f"the guest's Kermit does not begin: {outcome.crash or outcome.stop.detail}")
    # The machine stands still until the host's program is connected: each run begins alike.
    host = start(_port(simulation.attach(LINK, "tcp:127.0.0.1:0,wait")))
    try:
        said = _command(simulation, "", limit="3600s")
        if "kermit: exit 0" not in said:
            raise StudyError(f"the transfer failed on the guest: {said.strip()}")
        host.finish()
    finally:
        host.kill()


def _command(simulation: Simulation, line: str, limit: str = "60s") -> str:
    """Types a line at the prompt, and gives what the console says until the next one."""
    before = len(simulation.output())
    if line:
        simulation.send(line.encode() + b"\r")
    outcome = simulation.run(limit, until_output=PROMPT)
    said = simulation.output()[before:].decode(errors="replace")
    if outcome.crash:
        raise StudyError(outcome.crash)
    if outcome.stop.kind != "output":
        raise StudyError(f"no prompt after {line!r}: {outcome.stop.detail}; the console said: {said.strip()}")
    return said


def read_file(simulation: Simulation) -> bytes:
    """The file as it lies in the guest's file system, by the shell's dump of it."""
    said = _command(simulation, f"hexdump {FILE}", limit="600s")
    found = bytearray()
    for line in said.splitlines():
        if row := re.match(r"([0-9a-f]{6,8})  ?((?:[0-9a-f]{2} +)+)", line):
            if int(row.group(1), 16) != len(found):
                raise StudyError(f"the dump of the file has a gap at {len(found):#x}: {line}")
            found += bytes.fromhex(row.group(2))
    return bytes(found)


def _folder(work: Path, name: str) -> Path:
    made = work / name
    made.mkdir(exist_ok=True)
    return made


def _port(address: str) -> int:
    found = re.search(r"127\.0\.0\.1:(\d+)", address)
    if found is None:
        raise StudyError(f"the link's address {address!r} has no port")
    return int(found.group(1))
