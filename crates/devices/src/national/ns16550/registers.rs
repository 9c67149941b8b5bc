//! Registers of the serial port (PC16550D data sheet, "Registers"), as numbers; the node says how far apart they lie.

use crate::register::{RO, RW, register};
use socscope_device::{Description, Register};

/// RBR when read, THR when written; the divisor's low byte while DLAB is set.
pub(super) const RBR_THR_DLL: u32 = 0;
/// The divisor's high byte while DLAB is set.
pub(super) const IER_DLM: u32 = 1;
/// IIR when read, FCR when written.
pub(super) const IIR_FCR: u32 = 2;
pub(super) const LCR: u32 = 3;
pub(super) const MCR: u32 = 4;
pub(super) const LSR: u32 = 5;
pub(super) const MSR: u32 = 6;
pub(super) const SCR: u32 = 7;
/// The DMA status register of Freescale's DUARTs.
pub(super) const UDSR: u32 = 0x10;

/// Interrupts that are enabled.
pub(super) mod ier {
    pub const RECEIVED: u8 = 1 << 0;
    pub const EMPTY: u8 = 1 << 1;
    pub const LINE_STATUS: u8 = 1 << 2;
    pub const MODEM_STATUS: u8 = 1 << 3;
    pub const ALL: u8 = 0xf;
}

/// The most urgent interrupt.
pub(super) mod iir {
    pub const NONE: u8 = 0x1;
    pub const MODEM_STATUS: u8 = 0x0;
    pub const EMPTY: u8 = 0x2;
    pub const RECEIVED: u8 = 0x4;
    pub const LINE_STATUS: u8 = 0x6;
    pub const TIMEOUT: u8 = 0xc;
    pub const FIFO_ENABLED: u8 = 0xc0;
}

pub(super) mod fcr {
    pub const ENABLE: u8 = 1 << 0;
    pub const RESET_RECEIVER: u8 = 1 << 1;
    pub const RESET_TRANSMITTER: u8 = 1 << 2;
    pub const DMA_MODE: u8 = 1 << 3;
    pub const TRIGGER_SHIFT: u8 = 6;
}

pub(super) mod lcr {
    pub const LENGTH: u8 = 3;
    pub const STOP: u8 = 1 << 2;
    pub const PARITY: u8 = 1 << 3;
    pub const EVEN: u8 = 1 << 4;
    pub const STICK: u8 = 1 << 5;
    pub const BREAK: u8 = 1 << 6;
    pub const DLAB: u8 = 1 << 7;
}

pub(super) mod mcr {
    pub const DTR: u8 = 1 << 0;
    pub const RTS: u8 = 1 << 1;
    pub const OUT1: u8 = 1 << 2;
    pub const OUT2: u8 = 1 << 3;
    pub const LOOPBACK: u8 = 1 << 4;
    pub const ALL: u8 = 0x1f;
}

pub(super) mod lsr {
    pub const DATA_READY: u8 = 1 << 0;
    pub const OVERRUN: u8 = 1 << 1;
    pub const PARITY: u8 = 1 << 2;
    pub const FRAMING: u8 = 1 << 3;
    pub const BREAK: u8 = 1 << 4;
    pub const HOLDING_EMPTY: u8 = 1 << 5;
    pub const TRANSMITTER_EMPTY: u8 = 1 << 6;
    pub const FIFO_ERROR: u8 = 1 << 7;
}

pub(super) mod udsr {
    /// Zero while there is something to read.
    pub const NOTHING_RECEIVED: u8 = 1 << 0;
    /// Zero while there is room to write.
    pub const NO_ROOM: u8 = 1 << 1;
}

/// Input lines, by index, in the order of their bits in MSR.
pub(super) const INPUTS: &[&str] = &["cts", "dsr", "ri", "dcd"];

/// Output lines.
pub(super) mod output {
    pub const INTERRUPT: u32 = 0;
    pub const RTS: u32 = 1;
    pub const DTR: u32 = 2;
}

pub(super) const SHIFT_PROPERTY: &str = "reg-shift";

const REGISTERS: &[Register] = &[
    register(
        RBR_THR_DLL,
        "RBR_THR_DLL",
        RW,
        0,
        "data",
        "Receiver buffer when read, transmitter holding when written; low byte of the divisor while LCR has DLAB set.",
    ),
    register(
        IER_DLM,
        "IER_DLM",
        RW,
        0,
        "interrupt enable",
        "Interrupt enable; high byte of the divisor while LCR has DLAB set.",
    ),
    register(
        IIR_FCR,
        "IIR_FCR",
        RW,
        iir::NONE as u32,
        "status",
        "Interrupt identification when read, FIFO control when written.",
    ),
    register(
        LCR,
        "LCR",
        RW,
        0,
        "control",
        "Line control: length, stop bits, parity, break, DLAB.",
    ),
    register(
        MCR,
        "MCR",
        RW,
        0,
        "control",
        "Modem control: DTR, RTS, OUT1, OUT2, loopback.",
    ),
    register(
        LSR,
        "LSR",
        RO,
        (lsr::HOLDING_EMPTY | lsr::TRANSMITTER_EMPTY) as u32,
        "status",
        "Line status: data ready, errors, transmitter empty; reading clears the errors.",
    ),
    register(
        MSR,
        "MSR",
        RO,
        0,
        "status",
        "Modem status: the four input lines and whether they changed; reading clears the changes.",
    ),
    register(SCR, "SCR", RW, 0, "data", "Scratch: kept for software."),
    register(
        UDSR,
        "UDSR",
        RO,
        udsr::NOTHING_RECEIVED as u32,
        "status",
        "DMA status: nothing to read (bit 0), no room to write (bit 1).",
    ),
];

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["fsl,ns16550", "ns16550", "ns16550a"],
    title: "NS16550 serial port",
    data_sheet: "National Semiconductor PC16550D data sheet; Freescale MPC8641DRM, chapter 13: DUART (UDSR)",
    limits: "DUART's alternate function register is not there. RXRDY and TXRDY of DMA mode 1 follow the levels without their hysteresis. \
             OUT1 and OUT2 have no pins; OUT2 does not gate the interrupt.",
    registers: REGISTERS,
    inputs: INPUTS,
    outputs: &["interrupt", "rts", "dtr"],
    ports: &["serial"],
    properties: &[
        (
            "clock-frequency",
            "Frequency that the divisor divides, in hertz; that of the block's clock when absent or 0.",
        ),
        (
            SHIFT_PROPERTY,
            "Registers lie 1 << reg-shift bytes apart; 0 when absent.",
        ),
    ],
};
