//! Registers of the PL011 (ARM DDI 0183, chapter 3).

use crate::arm::primecell;
use crate::register::{RO, RW, WO, register};
use socscope_device::{Description, Register};

pub(super) const DR: u32 = 0x00;
/// RSR when read, ECR when written.
pub(super) const RSR_ECR: u32 = 0x04;
pub(super) const FR: u32 = 0x18;
pub(super) const ILPR: u32 = 0x20;
pub(super) const IBRD: u32 = 0x24;
pub(super) const FBRD: u32 = 0x28;
pub(super) const LCR_H: u32 = 0x2c;
pub(super) const CR: u32 = 0x30;
pub(super) const IFLS: u32 = 0x34;
pub(super) const IMSC: u32 = 0x38;
pub(super) const RIS: u32 = 0x3c;
pub(super) const MIS: u32 = 0x40;
pub(super) const ICR: u32 = 0x44;
pub(super) const DMACR: u32 = 0x48;

/// Part 0x011 by ARM, revision 1: FIFOs of 16 characters.
pub(super) const PERIPHERAL: u32 = 0x0014_1011;

/// Errors of a character, as RSR has them; DR has them eight bits higher.
pub(super) mod rsr {
    pub const FRAMING: u8 = 1 << 0;
    pub const PARITY: u8 = 1 << 1;
    pub const BREAK: u8 = 1 << 2;
    pub const OVERRUN: u8 = 1 << 3;
}

pub(super) mod fr {
    pub const BUSY: u32 = 1 << 3;
    pub const RECEIVER_EMPTY: u32 = 1 << 4;
    pub const TRANSMITTER_FULL: u32 = 1 << 5;
    pub const RECEIVER_FULL: u32 = 1 << 6;
    pub const TRANSMITTER_EMPTY: u32 = 1 << 7;
    pub const RESET: u32 = RECEIVER_EMPTY | TRANSMITTER_EMPTY;
}

pub(super) mod lcr {
    pub const BREAK: u32 = 1 << 0;
    pub const PARITY: u32 = 1 << 1;
    pub const EVEN: u32 = 1 << 2;
    pub const STOP: u32 = 1 << 3;
    pub const FIFO: u32 = 1 << 4;
    pub const LENGTH_SHIFT: u32 = 5;
    pub const STICK: u32 = 1 << 7;
}

pub(super) mod cr {
    pub const ENABLE: u32 = 1 << 0;
    pub const LOOPBACK: u32 = 1 << 7;
    pub const TRANSMIT: u32 = 1 << 8;
    pub const RECEIVE: u32 = 1 << 9;
    pub const DTR: u32 = 1 << 10;
    pub const RTS: u32 = 1 << 11;
    pub const OUT1: u32 = 1 << 12;
    pub const OUT2: u32 = 1 << 13;
    pub const RTS_FLOW: u32 = 1 << 14;
    pub const CTS_FLOW: u32 = 1 << 15;
    pub const ALL: u32 = 0xff87;
    pub const RESET: u32 = TRANSMIT | RECEIVE;
}

/// Interrupts, by their bits in IMSC, RIS, MIS and ICR; the first four are those of the modem lines, in the order of `MODEM_BITS`.
pub(super) mod interrupt {
    pub const RECEIVED: u32 = 1 << 4;
    pub const SENT: u32 = 1 << 5;
    pub const TIMEOUT: u32 = 1 << 6;
    pub const FRAMING: u32 = 1 << 7;
    pub const PARITY: u32 = 1 << 8;
    pub const BREAK: u32 = 1 << 9;
    pub const OVERRUN: u32 = 1 << 10;
    pub const ALL: u32 = 0x7ff;
}

pub(super) const DMACR_BITS: u32 = 7;
pub(super) const IFLS_BITS: u32 = 0x3f;
pub(super) const IFLS_RESET: u32 = 0x12;

/// Input lines, by index, in the order of the bits of their interrupts.
pub(super) const INPUTS: &[&str] = &["ri", "cts", "dcd", "dsr"];
/// The same lines' bits in FR.
pub(super) const MODEM_BITS: [u32; 4] = [1 << 8, 1 << 0, 1 << 2, 1 << 1];
/// What they are connected to in loopback: OUT2, RTS, OUT1, DTR (DDI 0183, 2.4.6).
pub(super) const LOOPED: [u32; 4] = [cr::OUT2, cr::RTS, cr::OUT1, cr::DTR];
pub(super) const CTS: usize = 1;

/// Output lines behind the interrupt, and their bits in CR.
pub(super) const OUTPUTS: [(u32, u32); 4] =
    [(1, cr::RTS), (2, cr::DTR), (3, cr::OUT1), (4, cr::OUT2)];

static REGISTERS: [Register; 22] = primecell::identified(
    [
        register(
            DR,
            "UARTDR",
            RW,
            0,
            "data",
            "Sends; reads the next character that was received, with its errors.",
        ),
        register(
            RSR_ECR,
            "UARTRSR",
            RW,
            0,
            "status",
            "Errors of the character that was read last, overrun; any write clears them.",
        ),
        register(
            FR,
            "UARTFR",
            RO,
            fr::RESET,
            "status",
            "Modem lines, busy, FIFOs full and empty.",
        ),
        register(
            ILPR,
            "UARTILPR",
            RW,
            0,
            "control",
            "Divisor for infrared at low power: kept.",
        ),
        register(
            IBRD,
            "UARTIBRD",
            RW,
            0,
            "control",
            "Integer part of the divisor; counts once UARTLCR_H is written.",
        ),
        register(
            FBRD,
            "UARTFBRD",
            RW,
            0,
            "control",
            "Its fraction in 64ths; counts once UARTLCR_H is written.",
        ),
        register(
            LCR_H,
            "UARTLCR_H",
            RW,
            0,
            "control",
            "Length, FIFOs, stop bits, parity, break.",
        ),
        register(
            CR,
            "UARTCR",
            RW,
            cr::RESET,
            "control",
            "Enables, loopback, modem outputs, flow control.",
        ),
        register(
            IFLS,
            "UARTIFLS",
            RW,
            IFLS_RESET,
            "control",
            "Levels of the FIFOs that interrupt.",
        ),
        register(
            IMSC,
            "UARTIMSC",
            RW,
            0,
            "interrupt enable",
            "Interrupts that are enabled.",
        ),
        register(RIS, "UARTRIS", RO, 0, "status", "Interrupts that wait."),
        register(
            MIS,
            "UARTMIS",
            RO,
            0,
            "status",
            "Interrupts that wait and are enabled.",
        ),
        register(
            ICR,
            "UARTICR",
            WO,
            0,
            "status",
            "A one takes an interrupt back.",
        ),
        register(DMACR, "UARTDMACR", RW, 0, "DMA", "DMA enables: kept."),
    ],
    PERIPHERAL,
);

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["arm,pl011"],
    title: "PL011 serial port",
    data_sheet: "ARM DDI 0183: PrimeCell UART (PL011), chapters 2 and 3",
    limits: "No infrared: SIREN and UARTILPR are kept. No DMA requests, no test registers; the separate interrupt lines of the block are one.",
    registers: &REGISTERS,
    inputs: INPUTS,
    outputs: &["interrupt", "rts", "dtr", "out1", "out2"],
    ports: &["serial"],
    properties: &[],
};
