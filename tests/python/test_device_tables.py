"""Register tables from SystemRDL and CMSIS-SVD."""

from pathlib import Path

import pytest
from socscope.device import Context, Device, RegisterArray, Word, from_svd, from_systemrdl, on_write
from socscope.errors import DeviceError

RDL = """
addrmap uart {
    reg {
        name = "Control";
        desc = "Switches the
                parts on.";
        field { sw = rw; hw = r; } ENABLE[0:0] = 1;
        field { sw = rw; hw = r; } SPEED[7:4] = 0x5;
    } CTRL @ 0x0;
    reg {
        field { sw = r; hw = w; } BUSY[0:0];
        field { sw = rw; hw = w; onwrite = woclr; } ERROR[1:1];
        field { sw = r; hw = w; onread = rclr; } COUNT[15:8];
    } STAT @ 0x4;
    regfile {
        reg { field { sw = rw; hw = r; } VALUE[31:0]; } LOW @ 0x0;
        reg { field { sw = w; hw = r; } VALUE[31:0]; } HIGH @ 0x4;
    } PAIR[2] @ 0x10 += 0x10;
    reg { field { sw = rw; hw = r; } BYTE[7:0]; } FIFO[4] @ 0x40 += 4;
};
"""

SVD = """<?xml version="1.0" encoding="utf-8"?>
<device schemaVersion="1.3">
  <name>CHIP</name><version>1</version><description>A chip</description>
  <addressUnitBits>8</addressUnitBits><width>32</width><size>32</size><access>read-write</access>
  <resetValue>0</resetValue><resetMask>0xFFFFFFFF</resetMask>
  <peripherals>
    <peripheral>
      <name>UART1</name><description>Serial</description><baseAddress>0x40000000</baseAddress>
      <addressBlock><offset>0</offset><size>0x100</size><usage>registers</usage></addressBlock>
      <registers>
        <register>
          <name>CR</name><description>Control
             register</description><addressOffset>0</addressOffset><resetValue>0x51</resetValue>
          <fields>
            <field><name>EN</name><bitRange>[0:0]</bitRange></field>
            <field><name>SPEED</name><bitOffset>4</bitOffset><bitWidth>4</bitWidth></field>
          </fields>
        </register>
        <register>
          <name>SR</name><addressOffset>4</addressOffset>
          <fields>
            <field><name>BUSY</name><lsb>0</lsb><msb>0</msb><access>read-only</access></field>
            <field>
              <name>ERR</name><lsb>1</lsb><msb>1</msb><modifiedWriteValues>oneToClear</modifiedWriteValues>
            </field>
          </fields>
        </register>
        <register>
          <dim>4</dim><dimIncrement>4</dimIncrement><name>FIFO[%s]</name><addressOffset>0x40</addressOffset>
          <size>8</size>
        </register>
        <cluster>
          <name>DMA</name><addressOffset>0x80</addressOffset>
          <register><name>PTR</name><addressOffset>4</addressOffset><access>write-only</access></register>
          <register>
            <dim>2</dim><dimIncrement>8</dimIncrement><dimIndex>A,B</dimIndex><name>LEN_%s</name>
            <addressOffset>8</addressOffset>
          </register>
        </cluster>
      </registers>
    </peripheral>
    <peripheral derivedFrom="UART1"><name>UART2</name><baseAddress>0x40001000</baseAddress></peripheral>
  </peripherals>
</device>
"""


@pytest.fixture
def rdl(tmp_path: Path) -> Path:
    path = tmp_path / "uart.rdl"
    path.write_text(RDL)
    return path


@pytest.fixture
def svd(tmp_path: Path) -> Path:
    path = tmp_path / "chip.svd"
    path.write_text(SVD)
    return path


def test_systemrdl_gives_registers_with_their_fields(rdl: Path) -> None:
    registers = from_systemrdl(rdl)
    places = {name: (register.offset, register.access) for name, register in registers.items()}
    assert places == {
        "CTRL": (0x00, "read-write"),
        "STAT": (0x04, "read-write"),
        "PAIR0_LOW": (0x10, "read-write"),
        "PAIR0_HIGH": (0x14, "write-only"),
        "PAIR1_LOW": (0x20, "read-write"),
        "PAIR1_HIGH": (0x24, "write-only"),
        "FIFO": (0x40, "read-write"),
    }
    control, status, fifo = registers["CTRL"], registers["STAT"], registers["FIFO"]
    assert (control.reset, control.summary) == (0x51, "Switches the parts on.")
    assert control.bits("writable") == 0xF1
    assert (status.bits("one_clears"), status.bits("read_clears"), status.bits("writable")) == (2, 0xFF00, 0)
    assert status.bits("readable") == 0xFF03
    assert isinstance(fifo, RegisterArray)
    assert (fifo.count, fifo.stride, fifo.bits("writable")) == (4, 4, 0xFF)


def test_svd_gives_registers_with_their_fields(svd: Path) -> None:
    for peripheral in ("UART1", "UART2"):
        registers = from_svd(svd, peripheral)
        places = {name: (register.offset, register.access) for name, register in registers.items()}
        assert places == {
            "CR": (0x00, "read-write"),
            "SR": (0x04, "read-write"),
            "FIFO": (0x40, "read-write"),
            "DMA_PTR": (0x84, "write-only"),
            "DMA_LEN_A": (0x88, "read-write"),
            "DMA_LEN_B": (0x90, "read-write"),
        }
        control, status, fifo = registers["CR"], registers["SR"], registers["FIFO"]
        assert (control.reset, control.summary) == (0x51, "Control register")
        assert control.bits("writable") == 0xF1
        assert (status.bits("one_clears"), status.bits("writable"), status.bits("readable")) == (2, 0, 3)
        assert isinstance(fifo, RegisterArray)
        assert (fifo.count, fifo.bits("writable")) == (4, 0xFF)


def test_a_class_takes_a_table_and_adds_effects(svd: Path) -> None:
    class Uart(Device):
        """Serial."""

        registers = from_svd(svd, "UART1")

        @on_write("CR")
        def control(self, value: Word, context: Context) -> None:
            self["SR"] = value.SPEED

    uart = Uart(at=0x4000_0000)
    assert (uart.place.size, Uart.model().span) == (0x100, 0x94)
    with pytest.raises(
        DeviceError,
        match=r"^uart has no register DR; there are: CR, SR, FIFO, DMA_PTR, DMA_LEN_A, DMA_LEN_B$",
    ):
        _ = uart["DR"]


def test_bits_with_a_life_of_their_own_need_an_effect(svd: Path) -> None:
    svd.write_text(SVD.replace("oneToClear", "oneToToggle"))
    message = (
        r'^Uart: SR\.ERR changes in a way that is left to the class; add a function marked @on_write\("SR"\)$'
    )
    with pytest.raises(DeviceError, match=message):
        type("Uart", (Device,), {"registers": from_svd(svd, "UART1")})


def test_errors_name_the_file(rdl: Path, svd: Path, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"nothing\.svd: no such file$"):
        from_svd(tmp_path / "nothing.svd", "UART1")
    with pytest.raises(
        DeviceError, match=r"chip\.svd: no peripheral is called UART3; there are: UART1, UART2$"
    ):
        from_svd(svd, "UART3")
    svd.write_text("<device>")
    with pytest.raises(DeviceError, match=r"chip\.svd: not a CMSIS-SVD file: "):
        from_svd(svd, "UART1")
    with pytest.raises(DeviceError, match=r"nothing\.rdl: no such file$"):
        from_systemrdl(tmp_path / "nothing.rdl")
    rdl.write_text("addrmap broken {\n  reg { field {} A[0:0]; } R @ 0;\n  regfile };\n")
    with pytest.raises(DeviceError, match=r"uart\.rdl:3: "):
        from_systemrdl(rdl)
    rdl.write_text("addrmap wide { reg { regwidth = 64; field {} A[63:0]; } R @ 0; };")
    with pytest.raises(DeviceError, match=r"uart\.rdl: R has 64 bits; registers have at most 32$"):
        from_systemrdl(rdl)
