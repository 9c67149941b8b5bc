"""What can be said about a run in words."""

import re

import pytest
from socscope import _core, options, platform
from socscope.errors import OptionError
from socscope.image import Image
from socscope.images import Images
from socscope.options import Duration, Window, override


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2s", Duration(2 * 10**12, "ps")),
        ("10ms", Duration(10**10, "ps")),
        ("1.5us", Duration(1_500_000, "ps")),
        ("3 ns", Duration(3000, "ps")),
        ("1e6cycles", Duration(1_000_000, "cycles")),
        ("1_000 cycles", Duration(1000, "cycles")),
        ("1cycle", Duration(1, "cycles")),
    ],
)
def test_durations(text: str, expected: Duration) -> None:
    assert options.duration(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2", "'2': not a duration; write a number with its unit: 2s, 10ms, 1e6cycles"),
        ("-1s", "'-1s': not a duration; write a number with its unit: 2s, 10ms, 1e6cycles"),
        ("1.2.3s", "'1.2.3s': 1.2.3 is not a number"),
        ("0.5cycles", "'0.5cycles': not a whole number of cycles"),
        ("0.1ps", "'0.1ps': not a whole number of ps"),
        ("1e9s", "'1e9s': longer than a simulation can be; the most is 4611686 s"),
        ("1e999s", "'1e999s': not a duration; write a number with its unit: 2s, 10ms, 1e6cycles"),
    ],
)
def test_durations_that_are_none(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        options.duration(text)


def test_serial_ports_and_peers() -> None:
    assert options.serial("usart1=tcp::5001") == ("usart1", "tcp::5001")
    assert options.serial("usart0=file:out=a=b") == ("usart0", "file:out=a=b")
    message = "'usart1': not a serial port and its peer; write for instance usart1=tcp::5001"
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        options.serial("usart1")


def test_overrides() -> None:
    assert options.override("/clock:clock-frequency=10") == ("/clock:clock-frequency", "10")
    assert options.override("/a:b=") == ("/a:b", "")
    message = "'clock=1': not a property of the platform; write /path:property=value"
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        options.override("clock=1")


def test_windows(image: Image) -> None:
    names = Images(image, {}, 1)
    main, idle = image.address_of("main"), image.address_of("rtos_idle")
    assert options.window("all", names) == Window()
    assert options.window("marks", names) == Window("marks", 1, 2, "marks 1..2")
    assert options.window("marks 3..14", names) == Window("marks", 3, 14, "marks 3..14")
    named = Window("addresses", main, idle, "symbols main..rtos_idle")
    assert options.window("symbols main..rtos_idle", names) == named
    assert options.window("main..rtos_idle", names) == named


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("marks 1..15", "'marks 1..15': marks have the numbers 0 to 14"),
        ("some", "'some': not a window; write all, marks, 'marks 3..4' or 'symbols A..B'"),
    ],
)
def test_windows_that_are_none(image: Image, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        options.window(text, Images(image, {}, 1))


def test_bit_errors_name_a_port_a_rate_and_a_seed() -> None:
    assert options.bit_errors("usart1=1e-4") == ("usart1", 1e-4, 1)
    assert options.bit_errors("usart1=0.5,7") == ("usart1", 0.5, 7)


@pytest.mark.parametrize("text", ["usart1", "=1", "usart1=2", "usart1=-1", "usart1=1e-4,x", "usart1=1.2.3"])
def test_bad_bit_errors_are_refused(text: str) -> None:
    with pytest.raises(OptionError) as error:
        options.bit_errors(text)
    wanted = f"{text!r}: not a port and a bit-error rate from 0 to 1; write for instance usart1=1e-4,7"
    assert str(error.value) == wanted


@pytest.mark.parametrize(("cells", "model"), [("", "fixed CPI 1/1"), ("=2 1", "fixed CPI 2/1")])
def test_a_core_without_a_model_of_its_own_takes_a_ratio_by_itself(cells: str, model: str) -> None:
    board = platform.load("mpc8641d")
    ratios = [f"/cpus/PowerPC,8641@{core}:socscope,cpi{cells}" for core in (0, 1)] if cells else []
    machine = _core.Machine(board.dtb, board.name, [override(text) for text in ratios])
    assert machine.timing()["model"] == model
