"""Makes the golden checkpoint of the present format: `python tests/checkpoints/golden.py`.

Every format that was ever written has its file here, for as long as there is Socscope: it is read, or refused
with its number. A file that is there is never written again.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from socscope.checkpoint import Checkpoint
from socscope.device import Context, Device, Register, Word, attribute, event, on_write, state
from socscope.simulation import Simulation

FOLDER = Path(__file__).parent
DEVICE_AT = 0x4000_0000
WRITES_TO = 0x0203_FF00
# How long the machines go on after they were restored.
GOES_ON = "5ms"


class Ticker(Device):
    """Counts by itself."""

    limits = "It is nothing real."

    DATA = Register(0x0, summary="What is written, tripled.")
    count = state(0)
    step = attribute(1)

    def reset(self, context: Context) -> None:
        """Begins to count."""
        context.schedule(self.tick, cycles=1000)

    @on_write("DATA")
    def written(self, value: Word, _context: Context) -> None:
        """Triples."""
        self.DATA = (3 * value + self.count) & 0xFFFF

    @event
    def tick(self, _argument: object, context: Context) -> None:
        """Counts, and comes again."""
        self.count += self.step
        context.write(WRITES_TO, self.count.to_bytes(4, "little"))
        context.schedule(self.tick, cycles=1000 + self.count % 7)


def image(folder: Path) -> Path:
    """The guest: no debug information, so no paths of a host."""
    built = folder / "guest.elf"
    options = ["-mcpu=arm7tdmi", "-nostdlib", "-Ttext=0", "-Wl,--build-id=none"]
    subprocess.run(["arm-none-eabi-gcc", *options, FOLDER / "guest.S", "-o", built], check=True)
    return built


def machines(folder: Path) -> Simulation:
    """Two connected machines in mid-activity; the first one is counted and has a device in Python."""
    guest = image(folder)
    stub = ["/chosen:socscope,unmapped=stub"]
    one, other = (Simulation("at91x40", guest, overrides=stub, profile=first) for first in (True, False))
    one.connect("usart1", other, "usart1")
    one.disturb("usart1", 1e-3, 11)
    one.run("700us")
    one.add(Ticker(at=DEVICE_AT))
    one.run("1ms")
    one.set_attribute("ticker", "step", 3)
    one.send(b"typed")
    one.run("1234567ns")
    return one


def expected(one: Simulation) -> dict[str, object]:
    """What must come out after going on."""
    before = [linked.machine.state_hash() for linked in one.linked]
    one.run(GOES_ON)
    totals = one.counts().totals
    return {
        "saved": before,
        "states": [linked.machine.state_hash() for linked in one.linked],
        "instructions": totals.instructions,
        "cycles": totals.cycles,
        "reads": totals.reads,
        "writes": totals.writes,
        "said": one.output().decode(),
        "ticks": one.attribute("ticker", "count"),
    }


def main() -> None:
    """Writes the file and what is expected of it."""
    with tempfile.TemporaryDirectory() as folder:
        one = machines(Path(folder))
        made = Path(folder) / "made.ckpt"
        one.checkpoint(made)
        number = Checkpoint.read(made).facts["format"]
        file = FOLDER / f"format-{number}.ckpt"
        if file.exists():
            raise SystemExit(
                f"{file.name} is there: it stays as it is; another layout needs another format number"
            )
        file.write_bytes(made.read_bytes())
    said = json.dumps(expected(one), indent=4)
    file.with_suffix(".json").write_text(said + "\n")


if __name__ == "__main__":
    main()
