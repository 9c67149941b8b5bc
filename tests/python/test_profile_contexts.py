"""The profile of a transfer between two machines: counts against single steps, contexts against DWARF."""

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from socscope import _core
from socscope.image.unwind import call_stack
from socscope.simulation import Simulation

SYSTEM = Path("build/guests/at91x40-arm/system.elf")
INTERRUPT_VECTOR = 0x18
WINDOWS = 10
STEPS = 20_000
QUANTUM_STEPS = 1_000
SAMPLED_STEP = 97

# Where a stack ends; DWARF knows nothing of what is above: entries in assembly, and where tasks begin.
OUTERMOST = {
    "program_start",
    "rtos_arch_begin_user",
    "rtos_arch_irq",
    "rtos_arch_start",
    "rtos_arch_swi",
    "rtos_arch_switch",
    "rtos_arch_vectors",
    "rtos_idle",
}


def linked() -> tuple[Simulation, Simulation]:
    """A sender and a receiver in the middle of a file; the receiver has a profile that does not count yet."""
    sender = Simulation("at91x40", SYSTEM)
    receiver = Simulation("at91x40", SYSTEM, profile=True, window="commands")
    _core.link(sender.machine, "usart1", receiver.machine, "usart1")
    sender.send(b"make data.bin 4000 7\r")
    sender.run("300ms")
    receiver.send(b"kermit -r\r")
    receiver.run("1s", until_output="READY TO RECEIVE")
    sender.send(b"kermit -s data.bin\r")
    sender.run("1500ms")
    return sender, receiver


def steps(sender: Simulation, receiver: Simulation) -> Iterator[int]:
    """Windows of the receiver's instructions, which the caller steps; the sender follows in time."""
    for window in range(WINDOWS):
        receiver.machine.count(True)
        for number in range(STEPS):
            yield window * STEPS + number
            if number % QUANTUM_STEPS == QUANTUM_STEPS - 1:
                sender.machine.run(until_ps=receiver.machine.time_ps)
        receiver.machine.count(False)
        sender.run("23ms")


def behind_conditional_pop(simulation: Simulation, address: int) -> bool:
    """Whether the instruction before restores registers on a condition: DWARF then takes that for granted."""
    [word] = struct.unpack("<I", simulation.machine.peek(address - 4, 4))
    return bool(word & 0x0FFF0000 == 0x08BD0000 and word >> 28 != 0xE)


class Chains:
    """The profile's contexts as chains of function names, innermost first."""

    def __init__(self, simulation: Simulation) -> None:
        self.machine = simulation.machine
        self.names = {one.id: one.name for one in simulation.image.functions}
        self.before: Counter[int] = Counter()

    def counts(self) -> Counter[int]:
        table = self.machine.profile()["instructions"]
        counts: Counter[int] = Counter()
        for node, count in zip(table["node"], table["instructions"], strict=True):
            counts[node] += count
        return counts

    def chain(self, node: int) -> list[str]:
        nodes = self.machine.profile()["nodes"]
        chain: list[str] = []
        jumped = False
        while node >= 0:
            if not jumped:
                chain.append(self.names.get(nodes["function"][node], "?"))
            # Who jumps to another function has left the stack.
            jumped = nodes["entry"][node] == "jump"
            node = nodes["parent"][node]
        return chain


@pytest.fixture(scope="module")
def transfer() -> tuple[Simulation, Simulation]:
    return linked()


def test_counts_and_contexts_of_a_transfer(transfer: tuple[Simulation, Simulation]) -> None:
    sender, receiver = transfer
    machine, image = receiver.machine, receiver.image
    chains = Chains(receiver)
    counts: Counter[str] = Counter()
    interrupts = compared = 0
    frames = 0
    roots: set[str] = set()
    wrong: Counter[str] = Counter()
    for number in steps(sender, receiver):
        registers = machine.registers()
        sampled = number % SAMPLED_STEP == 0
        if sampled:
            before = chains.counts()
            stack = call_stack(image, registers, machine.peek)
        machine.step()
        if machine.registers()["r15"] == INTERRUPT_VECTOR:
            interrupts += 1
            continue
        found = image.function_at(registers["r15"])
        counts[found.name if found else "?"] += 1
        if not sampled or behind_conditional_pop(receiver, registers["r15"]):
            continue
        [node] = chains.counts() - before
        ours = chains.chain(node)
        theirs = []
        for depth, address in enumerate(stack):
            function = image.function_at(address - (2 if depth else 0))
            theirs.append(function.name if function else "?")
            if theirs[-1] in OUTERMOST:
                break
        compared += 1
        frames += len(theirs)
        roots.add(ours[-1])
        if ours[: len(theirs)] != theirs:
            wrong[f"{registers['r15']:#x}: {ours} instead of {theirs}"] += 1
    table = machine.profile()["instructions"]
    nodes = machine.profile()["nodes"]
    profiled: Counter[str] = Counter()
    for node, count in zip(table["node"], table["instructions"], strict=True):
        profiled[chains.names.get(nodes["function"][node], "?")] += count
    print(f"{compared} contexts with {frames} frames, {interrupts} interrupts, {len(profiled)} functions")
    assert profiled == counts
    assert not wrong
    assert interrupts > 100
    assert compared > 1_900
    assert {"rtos_idle", "program_start", "rtos_arch_irq"} <= roots
