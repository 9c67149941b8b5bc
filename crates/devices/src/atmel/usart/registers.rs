//! Registers of the serial port (doc1354, "USART User Interface").

use crate::register::{RO, RW, WO, register};
use socscope_device::{Description, Register};

pub(super) const CR: u32 = 0x00;
pub(super) const MR: u32 = 0x04;
pub(super) const IER: u32 = 0x08;
pub(super) const IDR: u32 = 0x0c;
pub(super) const IMR: u32 = 0x10;
pub(super) const CSR: u32 = 0x14;
pub(super) const RHR: u32 = 0x18;
pub(super) const THR: u32 = 0x1c;
pub(super) const BRGR: u32 = 0x20;
pub(super) const RTOR: u32 = 0x24;
pub(super) const TTGR: u32 = 0x28;
pub(super) const RPR: u32 = 0x30;
pub(super) const RCR: u32 = 0x34;
pub(super) const TPR: u32 = 0x38;
pub(super) const TCR: u32 = 0x3c;

/// Commands of CR.
pub(super) mod command {
    pub const RSTRX: u32 = 1 << 2;
    pub const RSTTX: u32 = 1 << 3;
    pub const RXEN: u32 = 1 << 4;
    pub const RXDIS: u32 = 1 << 5;
    pub const TXEN: u32 = 1 << 6;
    pub const TXDIS: u32 = 1 << 7;
    pub const RSTSTA: u32 = 1 << 8;
    pub const STTBRK: u32 = 1 << 9;
    pub const STPBRK: u32 = 1 << 10;
    pub const STTTO: u32 = 1 << 11;
    pub const SENDA: u32 = 1 << 12;
}

/// Bits of CSR, IER, IDR and IMR.
pub(super) mod status {
    pub const RXRDY: u32 = 1 << 0;
    pub const TXRDY: u32 = 1 << 1;
    pub const RXBRK: u32 = 1 << 2;
    pub const ENDRX: u32 = 1 << 3;
    pub const ENDTX: u32 = 1 << 4;
    pub const OVRE: u32 = 1 << 5;
    pub const FRAME: u32 = 1 << 6;
    pub const PARE: u32 = 1 << 7;
    pub const TIMEOUT: u32 = 1 << 8;
    pub const TXEMPTY: u32 = 1 << 9;
    pub const ALL: u32 = 0x3ff;
}

/// Fields of MR.
pub(super) mod mode {
    pub const USCLKS_SHIFT: u32 = 4;
    pub const CHRL_SHIFT: u32 = 6;
    pub const SYNC: u32 = 1 << 8;
    pub const PAR_SHIFT: u32 = 9;
    pub const NBSTOP_SHIFT: u32 = 12;
    pub const CHMODE_SHIFT: u32 = 14;
    pub const MODE9: u32 = 1 << 17;
    pub const ALL: u32 = 0x6_fff0;
}

const REGISTERS: &[Register] = &[
    register(
        CR,
        "US_CR",
        WO,
        0,
        "control",
        "Control: resets, enables and disables, and commands for status, break, time-out and address.",
    ),
    register(
        MR,
        "US_MR",
        RW,
        0,
        "control",
        "Mode: clock, character format, synchronous or not, and channel mode.",
    ),
    register(
        IER,
        "US_IER",
        WO,
        0,
        "interrupt enable",
        "Interrupt enable: enables the status bits written as one.",
    ),
    register(
        IDR,
        "US_IDR",
        WO,
        0,
        "interrupt enable",
        "Interrupt disable: disables the status bits written as one.",
    ),
    register(
        IMR,
        "US_IMR",
        RO,
        0,
        "interrupt enable",
        "Interrupt mask: status bits that interrupt.",
    ),
    register(
        CSR,
        "US_CSR",
        RO,
        status::ENDRX | status::ENDTX,
        "status",
        "Channel status: receiver, transmitter, DMA, errors, break and time-out.",
    ),
    register(
        RHR,
        "US_RHR",
        RO,
        0,
        "data",
        "Receiver holding: the last character received.",
    ),
    register(
        THR,
        "US_THR",
        WO,
        0,
        "data",
        "Transmitter holding: the next character to send.",
    ),
    register(
        BRGR,
        "US_BRGR",
        RW,
        0,
        "baud rate",
        "Baud rate generator: clock divisor, 0 for off.",
    ),
    register(
        RTOR,
        "US_RTOR",
        RW,
        0,
        "time-out",
        "Receiver time-out in units of four bit periods, 0 for none.",
    ),
    register(
        TTGR,
        "US_TTGR",
        RW,
        0,
        "time-out",
        "Transmitter time-guard: idle bit periods after each character.",
    ),
    register(
        RPR,
        "US_RPR",
        RW,
        0,
        "DMA",
        "Receive pointer: where the next byte received goes in memory.",
    ),
    register(
        RCR,
        "US_RCR",
        RW,
        0,
        "DMA",
        "Receive counter: bytes still to be received.",
    ),
    register(
        TPR,
        "US_TPR",
        RW,
        0,
        "DMA",
        "Transmit pointer: where the next byte to send is in memory.",
    ),
    register(
        TCR,
        "US_TCR",
        RW,
        0,
        "DMA",
        "Transmit counter: bytes still to be sent.",
    ),
];

/// Property that gives the frequency at the pin SCK.
pub(super) const SCK_PROPERTY: &str = "atmel,sck-frequency";

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-usart"],
    title: "AT91X40 serial port with DMA",
    data_sheet: "Atmel doc1354 (AT91X40 series), USART: Universal Synchronous/Asynchronous Receiver/Transmitter",
    limits: "The phase of the baud rate generator is not kept: a character starts with the next clock cycle, and the receiver \
             samples relative to the start edge itself. Registers that are changed during a character take effect with the next \
             one. What the chip does when DMA meets a bus fault is not documented: here the \
             byte is lost and the transfer goes on. PIO's choice of pin functions and the output of SCK are not modelled.",
    registers: REGISTERS,
    inputs: &[],
    outputs: &["interrupt"],
    ports: &["serial"],
    properties: &[(
        SCK_PROPERTY,
        "Frequency of an external clock at the pin SCK in hertz; the pin is at rest when absent.",
    )],
};
