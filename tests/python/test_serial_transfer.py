"""The study of a file over a serial line, against the real Kermit on the host."""

import re
from pathlib import Path

import pytest
from socscope.errors import StudyError
from socscope.record import Run, open_run
from socscope.report import summary
from socscope.simulation import Simulation
from socscope.study.carry_out import carry_out
from socscope.study.serial_transfer.measures import Measured
from socscope.study.serial_transfer.parameters import SIZES, Parameters, plan
from socscope.study.serial_transfer.transfer import LINK, content, image, worker
from socscope.study.space import Point


def made(folder: Path, **changes: int | float | str | bool) -> Run:
    """One run of the study."""
    parameters = Parameters().but(**changes)
    worker(Point(parameters.values(), {}), folder)
    return open_run(folder)


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """1000 bytes to the guest."""
    return Measured(made(tmp_path_factory.mktemp("usual") / "run"))


def test_transfer_is_repeatable_to_the_bit(usual: Measured, tmp_path: Path) -> None:
    again = made(tmp_path / "again")
    assert again.manifest.state_hash == usual.run.manifest.state_hash
    assert again.sha256 == usual.run.sha256


def test_line_carried_the_file_and_every_byte_has_an_origin(usual: Measured) -> None:
    transfer = usual.transfer
    assert transfer.payload == content(usual.parameters)
    assert transfer.retransmitted_packets == 0
    assert transfer.damaged_bytes == 0
    dma = {row["channel"]: row["bytes"] for row in usual.run.rows("dma") if row["device"] == "usart1"}
    origins = transfer.bytes_by_origin.values()
    assert dma["receive"] == len(transfer.payload) + sum(ways["in"] for ways in origins)
    # An end of line that the program prints as it ends leaves after the window.
    assert dma["transmit"] == sum(ways["out"] for ways in origins) - len(b"\r\r\n")


def test_parts_sum_up_to_the_whole(usual: Measured) -> None:
    totals = usual.run.manifest.totals
    assert sum(row["instructions"] for row in usual.run.rows("instructions")) == totals.instructions
    assert sum(row["instructions"] for row in usual.run.rows("functions")) == totals.instructions
    assert sum(row["instructions"] for row in usual.run.rows("layers")) == totals.instructions
    cycles = totals.executing_cycles + totals.stopped_cycles + totals.bus_held_cycles
    assert cycles == totals.cycles
    accesses = sum(row["count"] for row in usual.run.rows("accesses"))
    assert accesses == totals.reads + totals.writes
    registers = usual.query(
        "SELECT sum(count)::BIGINT AS n FROM accesses WHERE region IN (SELECT device FROM io)"
    )[0]["n"]
    assert registers == totals.register_reads + totals.register_writes


def test_every_function_that_ran_has_a_class(usual: Measured) -> None:
    assert set(usual.layers) == {"idle", "application", "character drivers", "file system", "kernel"}
    assert 0 < usual.occupation < 1


def test_long_file_arrives_byte_for_byte(tmp_path: Path) -> None:
    run = made(tmp_path / "run", size_bytes=16000)
    measured = Measured(run)
    assert measured.transfer.payload == content(measured.parameters)
    assert len(measured.transfer.payload) == 16000


def test_guest_sends_a_file(tmp_path: Path) -> None:
    measured = Measured(made(tmp_path / "run", role="send", size_bytes=500))
    assert len(measured.transfer.payload) == 500
    again = made(tmp_path / "again", role="send", size_bytes=500)
    assert again.sha256 == measured.run.sha256
    received = {row["channel"]: row["bytes"] for row in measured.run.rows("dma") if row["device"] == "usart1"}
    assert received["transmit"] > 500 > received["receive"]


def test_file_arrives_over_a_line_that_flips_bits(tmp_path: Path) -> None:
    changes = {"size_bytes": 4000, "bit_error_rate": 1e-4, "streaming": False, "packet_bytes": 94}
    noisy = Measured(made(tmp_path / "noisy", **changes))
    assert noisy.transfer.payload == content(noisy.parameters)
    flipped = noisy.run.manifest.parameters["bits_flipped"]
    assert isinstance(flipped, int)
    assert flipped > 0
    assert noisy.transfer.retransmitted_packets > 0
    again = made(tmp_path / "again", **changes)
    assert again.sha256 == noisy.run.sha256


def test_two_machines_send_each_other_a_file() -> None:
    sender, receiver = (Simulation("at91x40", image(Parameters())) for _ in range(2))
    sender.connect(LINK, receiver, LINK)
    sender.run("1s")
    assert sender.output().endswith(b"$ ")
    assert receiver.output().endswith(b"$ ")
    sender.send(b"make data.bin 3000 1\r")
    assert sender.run("10s", until_output="$ ").stop.kind == "output"
    receiver.send(b"kermit -r\r")
    assert receiver.run("1s", until_mark=1).stop.kind == "mark"
    sender.send(b"kermit -s data.bin\r")
    assert receiver.run("60s", until_output="kermit: exit 0").stop.kind == "output"
    for machine in (sender, receiver):
        machine.run("1s")
        machine.send(b"crc32 data.bin\r")
    sender.run("2s")
    found = [re.findall(rb"([0-9a-f]{8}) 3000 ", machine.output()) for machine in (sender, receiver)]
    assert found[0] == found[1]
    assert len(found[0]) == 1


def test_slower_clock_is_busier(usual: Measured, tmp_path: Path) -> None:
    slow = Measured(made(tmp_path / "run", clock_hz=18_432_000))
    assert slow.occupation > usual.occupation
    assert slow.run.manifest.totals.cpi < usual.run.manifest.totals.cpi


def test_occupation_is_the_busy_part_of_the_time(usual: Measured) -> None:
    totals = usual.run.manifest.totals
    idle = usual.layers[summary.IDLE]["cycles"]
    assert usual.busy_cycles == totals.cycles - totals.stopped_cycles - idle


def test_whole_study_gives_its_outputs_and_keeps_its_runs(tmp_path: Path) -> None:
    told: list[int] = []
    settings = ["size_bytes=100", "clock_hz=40000000"]
    for _ in range(2):
        results = carry_out(
            "serial-transfer",
            tmp_path,
            quick=True,
            jobs=2,
            settings=settings,
            on_progress=lambda progress: told.append(progress.done),
        )
    # All runs in the first round, none in the second.
    assert told == [0, 1, 2, 3, 4, 4]
    assert {path.stem for path in (tmp_path / "tables").glob("*.csv")} == {
        sheet.name for sheet in results.sheets
    }
    assert {"overhead", "classes", "modules", "functions", "accesses", "registers", "dma"} <= {
        sheet.name for sheet in results.sheets
    }
    page = results.page.read_text()
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page)
    for sheet in results.sheets:
        assert f'id="{sheet.name}"' in page
        assert sheet.rows


def test_plan_covers_the_sizes_roles_and_errors_of_the_question() -> None:
    whole = plan(quick=False)
    assert [one.size_bytes for one in whole.sizes] == list(SIZES)
    assert {one.role for one in whole.points()} == {"receive", "send"}
    assert {one.bit_error_rate for one in whole.noisy} == {0.0, 1e-4}
    assert len(whole.points()) == len(set(whole.points()))
    assert len(plan(quick=True).points()) < len(whole.points()) / 2


def test_settings_hold_for_all_points() -> None:
    whole = plan(quick=False, settings=["size_bytes=300", "isa=thumb"])
    assert {one.size_bytes for one in whole.points()} == {300}
    assert {one.isa for one in whole.points()} == {"thumb"}
    assert len(whole.sizes) == 1
    assert whole.detail not in whole.variants


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("size=1", "--set size=1: no such parameter; the study has size_bytes, role, clock_hz, "),
        ("size_bytes=many", "--set size_bytes=many: Input should be a valid integer"),
        ("size_bytes=0", "--set size_bytes=0: Input should be greater than or equal to 1"),
        ("role=both", "--set role=both: Input should be 'receive' or 'send'"),
        ("streaming", "--set streaming: no such parameter; the study has "),
    ],
)
def test_parameters_that_do_not_fit(setting: str, message: str) -> None:
    with pytest.raises(StudyError, match=f"^{re.escape(message)}"):
        Parameters().changed([setting])


def test_parameters_become_settings_of_the_guest_and_the_platform() -> None:
    changed = Parameters().changed(["clock_hz=18432000", "receive_dma_bytes=16", "isa=thumb", "streaming=no"])
    assert changed.guest() == {
        "BOARD": "at91x40",
        "ISA": "thumb",
        "MCK_HZ": "18432000",
        "DEFINES": "-DAT91_USART_RECEIVE_LENGTH=16",
    }
    assert changed.overrides() == ["/clock:clock-frequency=18432000"]
    assert not changed.streaming
    assert Parameters().overrides() == []
