"""Properties of device trees: a name that nobody reads does not pass without a word."""

import re
from pathlib import Path

import pytest
from socscope.cli import app
from socscope.errors import SocscopeError
from socscope.simulation import Simulation
from typer.testing import CliRunner

BOARD = """/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	chosen { socscope,unmapped = "stub"; };
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;
		cpu@0 { device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <0>; clocks = <&clock>; };
	};
	clock: clock { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <50000000>; };
	rom@0 { compatible = "socscope,rom"; reg = <0 0x100000>; socscope,wait-states = <3 1>; };
	ram@20000000 { compatible = "socscope,ram"; device_type = "memory"; reg = <0x20000000 0x400000>; };
	usart@30000000 { compatible = "atmel,at91x40-usart"; reg = <0x30000000 0x4000>; status = "okay"; };
};
"""
PAGES = "; `socscope devices` has all properties by node"


def refused(folder: Path, image: Path, before: str, after: str, *overrides: str) -> str:
    assert before in BOARD
    (folder / "own.dts").write_text(BOARD.replace(before, after))
    with pytest.raises(SocscopeError) as raised:
        Simulation(str(folder / "own.dts"), image, overrides=overrides)
    return str(raised.value)


def test_board_is_right(tmp_path: Path, elf: Path) -> None:
    (tmp_path / "own.dts").write_text(BOARD)
    Simulation(str(tmp_path / "own.dts"), elf)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "socscope,wait-states",
            "socscope,waitstates",
            "/rom@0: property socscope,waitstates: memory: nobody reads this property here; the nearest is "
            "socscope,wait-states",
        ),
        (
            "clocks = <&clock>",
            'clocks = <&clock>; socscope,timng = "fixed-cpi"',
            "/cpus/cpu@0: property socscope,timng: core: nobody reads this property here; the nearest is "
            "socscope,timing",
        ),
        (
            "clocks = <&clock>",
            "clocks = <&clock>; i-cache-szie = <1024>",
            "/cpus/cpu@0: property i-cache-szie: core: nobody reads this property here; the nearest is "
            "i-cache-size",
        ),
        (
            "socscope,unmapped",
            "socscope,unmaped",
            "/chosen: property socscope,unmaped: chosen: nobody reads this property here; the nearest is "
            "socscope,unmapped",
        ),
        (
            "clock-frequency",
            "clock-frequancy",
            "/clock: property clock-frequancy: clock: nobody reads this property here; the nearest is "
            "clock-frequency",
        ),
        (
            "chosen {",
            "socscope,wait-states = <1 1>; chosen {",
            "/: property socscope,wait-states: other node: nobody reads this property here; it is a property "
            "of: memory",
        ),
        (
            'status = "okay"',
            "atmel,sck-freqency = <1>",
            "/usart@30000000: property atmel,sck-freqency: AT91X40 serial port with DMA: nobody reads this "
            "property here; the nearest is atmel,sck-frequency",
        ),
    ],
)
def test_mistyped_properties_are_refused(
    before: str, after: str, message: str, tmp_path: Path, elf: Path
) -> None:
    assert refused(tmp_path, elf, before, after) == message + PAGES


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            '"socscope,ram"',
            '"socscope,rma"',
            "/ram@20000000: property compatible: no memory is called socscope,rma; the nearest is "
            "socscope,ram; without compatible it is a RAM",
        ),
        (
            '"okay"',
            '"disabeld"',
            '/usart@30000000: property status: "disabeld" is none of okay, ok, disabled, reserved, fail; '
            "the nearest is disabled",
        ),
    ],
)
def test_mistyped_values_are_refused(
    before: str, after: str, message: str, tmp_path: Path, elf: Path
) -> None:
    assert refused(tmp_path, elf, before, after) == message


def test_overrides_know_what_nodes_may_have(tmp_path: Path, elf: Path) -> None:
    text = "/rom@0:socscope,bus-bit=16"
    message = (
        f"--set {text}: /rom@0 has no property socscope,bus-bit; the nearest is socscope,bus-bits" + PAGES
    )
    assert refused(tmp_path, elf, "chosen", "chosen", text) == message
    Simulation(str(tmp_path / "own.dts"), elf, overrides=["/rom@0:socscope,bus-bits=16"])


def test_properties_of_added_devices_are_checked(elf: Path) -> None:
    simulation = Simulation("at91x40", elf)
    with pytest.raises(
        SocscopeError, match=r"property socscope,latency-nss: .*; the nearest is socscope,latency-ns;"
    ):
        simulation.add_model("socscope,rule30", 0x60000000, properties={"socscope,latency-nss": 100})


def test_pages_list_what_nodes_may_have() -> None:
    page = CliRunner().invoke(app, ["devices", "memory"]).output
    assert re.search(r"^Property socscope,wait-states: .*<nonsequential sequential>", page, re.MULTILINE)
    for name in ("core", "chosen", "clock", "cache", "every node"):
        assert CliRunner().invoke(app, ["devices", name]).exit_code == 0
    assert "Cores" in CliRunner().invoke(app, ["devices", "socscope,quantum-cycles"]).output


@pytest.mark.parametrize(
    ("name", "value"),
    [("wait-states", "3 1"), ("bus-bits", "16"), ("burst-after-internal", "continues")],
)
def test_costs_behind_a_bus_interface_are_refused(elf: Path, name: str, value: str) -> None:
    message = (
        f"/soc/ebi@ffe00000/rom@0: property socscope,{name}: the memory is on a chip select, and "
        "/soc/ebi@ffe00000 sets what its accesses cost; leave it out: software programs the chip select's "
        "register, and what a boot loader programs there is a property of the interface (atmel,nominal-csr)"
    )
    with pytest.raises(SocscopeError, match=re.escape(message)):
        Simulation("at91x40", elf, overrides=[f"/soc/ebi@ffe00000/rom@0:socscope,{name}={value}"])


def test_memory_that_is_switched_off_is_left_out(elf: Path) -> None:
    simulation = Simulation("at91x40", elf, overrides=["/soc/ebi@ffe00000/rom@0:status=disabled"])
    assert "rom" not in {region["name"] for region in simulation.machine.regions()}
