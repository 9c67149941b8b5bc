"""Functions called by the simulator, by the ARM's procedure call standard."""

from collections.abc import Mapping

from socscope.characterize.dynamic.call import Statement, evaluated
from socscope.clear import clear_errors
from socscope.errors import OptionError
from socscope.image import Image
from socscope.simulation import Simulation

THUMB = 1 << 5
STACK_POINTER, LINK, PROGRAM_COUNTER, STATUS = 13, 14, 15, 16
STACK_ALIGNMENT_BYTES = 8
REGISTER_ARGUMENTS = 4


class Caller:
    """Calls in the state that a simulation is in; each returns to the instruction that would have come next.

    Memory that calls are given is a variable's, from `memory` upwards, or lies below the stack pointer.
    """

    def __init__(self, simulation: Simulation, memory: int | None, values: Mapping[str, int]) -> None:
        self._simulation = simulation
        registers = simulation.machine.registers()
        self.back = registers["r15"]
        self._status = registers["cpsr"]
        self._top = registers["r13"]
        self._memory = memory
        self._used_bytes = 0
        self._known = dict(values)

    def times(self, call: Statement) -> int:
        """How often a call is made."""
        return 1 if call.repeat is None else int(call.repeat.evaluate(self._known))

    def prepare(self, call: Statement) -> None:
        """Puts arguments into registers and onto the stack, and the core at the function's entry."""
        machine, image = self._simulation.machine, self._simulation.image
        arguments = [
            evaluated(
                argument,
                self._known,
                place=self._place,
                address_of=lambda name: entry_of(image, name),
                word_at=lambda address: word_at(self._simulation, address),
            )
            for argument in call.arguments
        ]
        top = self._top if self._memory is not None else self._top - self._used_bytes
        with clear_errors():
            if stacked := b"".join(word(value, image) for value in arguments[REGISTER_ARGUMENTS:]):
                top -= _aligned(len(stacked))
                self._put(top, stacked)
            for number, value in enumerate(arguments[:REGISTER_ARGUMENTS]):
                machine.set_register(number, value)
            entry = entry_of(image, call.function)
            thumb = bool(self._status & THUMB)
            machine.set_register(STACK_POINTER, top)
            machine.set_register(LINK, self.back | thumb)
            machine.set_register(STATUS, self._status & ~THUMB | (THUMB if entry & 1 else 0))
            machine.set_register(PROGRAM_COUNTER, entry & ~1)

    def returned(self, call: Statement) -> None:
        """Keeps what a call has returned under its name."""
        if call.result is not None:
            self._known[call.result] = self._simulation.machine.registers()["r0"]

    def _place(self, data: bytes) -> int:
        """Puts bytes into memory and gives their address; they stay for the calls that follow."""
        size = _aligned(len(data))
        below = self._top - self._used_bytes - size
        address = below if self._memory is None else self._memory + self._used_bytes
        self._used_bytes += size
        self._put(address, data)
        return address

    def _put(self, address: int, data: bytes) -> None:
        machine = self._simulation.machine
        with clear_errors():
            room = address >= 0 and len(machine.peek(address, len(data), 0)) == len(data)
            if not room:
                raise OptionError(
                    f"no memory for {len(data)} bytes at {address & 0xFFFFFFFF:#010x}: the stack pointer of "
                    f"the ready state is {self._top:#010x}; let ready come after it is set, in the mode in "
                    "which calls are made, or name a variable as image.memory"
                )
            machine.poke(address, data, 0)


def entry_of(image: Image, name: str) -> int:
    """The address of a symbol; odd for a Thumb function, as pointers to it are."""
    address = image.address_of(name)
    function = image.function_at(address)
    return address | (function is not None and function.thumb)


def word(value: int, image: Image) -> bytes:
    """A number as a word in memory, in the byte order of an image's core."""
    return (value & 0xFFFFFFFF).to_bytes(4, "big" if image.big_endian else "little")


def word_at(simulation: Simulation, address: int) -> int:
    """The word at an address."""
    data = simulation.machine.peek(address, 4, 0)
    if len(data) < 4:
        raise OptionError(f"no memory at {address:#010x}, where a word was expected")
    return int.from_bytes(data, "big" if simulation.image.big_endian else "little")


def _aligned(size: int) -> int:
    return -(-size // STACK_ALIGNMENT_BYTES) * STACK_ALIGNMENT_BYTES
