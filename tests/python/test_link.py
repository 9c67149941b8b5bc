"""Linking machines: chains, second wires, and what is refused leaves both machines as they were."""

import pytest
from socscope import _core
from socscope.simulation import Simulation

SYSTEM = "build/guests/at91x40-arm/system.elf"


def machines(count: int) -> list[_core.Machine]:
    return [Simulation("at91x40", SYSTEM).machine for _ in range(count)]


def test_a_port_that_does_not_exist_changes_nothing() -> None:
    one, two = machines(2)
    with pytest.raises(_core.PlatformError, match="no port is called usart9"):
        _core.link(one, "usart1", two, "usart9")
    assert (one.cycle, two.cycle) == (0, 0)
    _core.link(one, "usart1", two, "usart1")


def test_two_machines_may_have_two_wires() -> None:
    one, two = machines(2)
    _core.link(one, "usart1", two, "usart1")
    _core.link(one, "usart0", two, "usart0")
    with pytest.raises(_core.PlatformError, match="at one end of a wire already"):
        _core.link(one, "usart0", two, "usart0")
    two.run(until_ps=1_000_000_000)
    assert one.time_ps >= 1_000_000_000


@pytest.mark.parametrize("order", [(0, 1, 1, 2), (1, 2, 0, 1)])
def test_machines_form_a_chain(order: tuple[int, int, int, int]) -> None:
    chain = machines(3)
    first, second, third, fourth = order
    _core.link(chain[first], "usart1", chain[second], "usart0")
    _core.link(chain[third], "usart1", chain[fourth], "usart0")
    chain[0].serial_input("usart0", b"help\r")
    chain[0].run(until_ps=300_000_000_000)
    assert b"help" in chain[0].serial_output("usart0")
    assert all(abs(machine.time_ps - chain[0].time_ps) < 1_000_000 for machine in chain)


def test_marks_have_small_numbers() -> None:
    [machine] = machines(1)
    with pytest.raises(ValueError, match="mark 258"):
        machine.enable_profile([], ("marks", 258, 2))
