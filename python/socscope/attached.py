"""What a simulated machine is connected with: devices that come and go, and peers of its serial ports."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from socscope import _core, platform, reading
from socscope.clear import clear_errors
from socscope.device.device import Device
from socscope.errors import DeviceError
from socscope.platform import Value

if TYPE_CHECKING:
    from socscope.simulation import Simulation


@dataclass(frozen=True)
class Peer:
    """What is known about the other end of a serial port."""

    port: str
    address: str
    """As it was given: a port that the system chooses is 0."""
    repeatable: bool
    """Whether the same program at the other end gives the same run."""
    reason: str | None
    """The first reason why not."""
    connections: int
    refused: int
    """Connections that were closed since they began with an HTTP request, as a page in a browser sends it."""
    received_bytes: int
    sent_bytes: int
    dropped_bytes: int
    """Bytes that the guest sent when nobody was there."""


class Attached:
    """A machine with its devices and the peers of its ports; the part of a simulation that wires it."""

    devices: dict[str, Device]
    linked: "list[Simulation]"
    _machine: _core.Machine

    def attach(self, port: str, peer: str) -> str:
        """Attaches a peer such as `tcp::5001` to a serial port; gives its real address."""
        for read in re.findall(r"(?:^file:|,)in=([^,]+)", peer):
            reading.tell(read)
        with clear_errors():
            return self.machine.attach(port, peer)

    def peers(self) -> list[Peer]:
        """What is known about the peers of the serial ports until they are closed."""
        return [Peer(port, **facts) for port, facts in self.machine.peers()]

    def close(self) -> None:
        """Ends what was attached to the serial ports: files that take output get their names."""
        with clear_errors():
            self.machine.close()

    @property
    def machine(self) -> _core.Machine:
        """The machine. While a function of one of its devices runs, it is in the middle of an instruction."""
        if _core.in_device_call():
            raise DeviceError("a device's function cannot use its simulation; use what its context offers")
        return self._machine

    @machine.setter
    def machine(self, machine: _core.Machine) -> None:
        self._machine = machine

    def add(self, device: Device) -> None:
        """Puts a device that is written in Python into the machine, at any time of its run; it is reset."""
        if device.simulation is not None:
            raise DeviceError(f"device {device.name} is in a simulation already; make another one")
        with clear_errors():
            self.machine.add_device(device.model(), device, device.place, device.attributes())
        self.devices[device.name] = device
        device.joined(cast("Simulation", self))

    def add_model(
        self,
        compatible: str,
        base: int,
        *,
        name: str | None = None,
        size: int = 0x1000,
        interrupt: int | None = None,
        properties: Mapping[str, Value] | None = None,
    ) -> str:
        """Puts a device of a model written in Rust into the machine, at any time of its run; gives its name.

        `interrupt` is the number at the platform's interrupt controller; `properties` are those of its
        device-tree node.
        """
        return self.add_tree(
            platform.node_tree(
                compatible, base, name=name, size=size, interrupt=interrupt, properties=properties or {}
            )
        )

    def add_tree(self, source: str | Path | bytes) -> str:
        """Puts the device of a device tree into the machine, at any time of its run; gives its name.

        The tree is a `.dts` or `.dtb` file, or a blob, with the device's node alone: its `reg` holds the
        addresses that the cores use, its `interrupts` are those of the platform's controller.
        """
        blob = source if isinstance(source, bytes) else platform.load(str(source)).dtb
        with clear_errors():
            return self.machine.add_node(blob)

    def remove(self, device: Device | str) -> None:
        """Takes a device that was added out of the machine: its addresses are free, its lines low, its
        events gone.
        """
        name = device if isinstance(device, str) else device.name
        with clear_errors():
            self.machine.remove_device(name)
        if name in self.devices:
            self.devices.pop(name).joined(None)

    def attribute(self, device: str, name: str) -> object:
        """The value of an attribute or register of a device that was added, without side effects."""
        with clear_errors():
            return self.machine.device_attribute(device, name)

    def set_attribute(self, device: str, name: str, value: object) -> None:
        """Changes an attribute of a device that was added, at any time of a run; it is recorded as input."""
        with clear_errors():
            self.machine.set_device_attribute(device, name, value)

    def connect(self, port: str, other: "Attached", other_port: str) -> None:
        """Connects a port with one of another machine; from now on both run in lock step."""
        with clear_errors():
            _core.link(self.machine, port, other.machine, other_port)
        together = self.linked + [one for one in other.linked if one not in self.linked]
        for one in together:
            one.linked = together

    def disturb(self, port: str, bit_error_rate: float, seed: int) -> None:
        """Flips bits on a port's wire; a rate of 0 ends it."""
        with clear_errors():
            self.machine.set_bit_errors(port, bit_error_rate, seed)
