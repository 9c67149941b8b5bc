//! Registers of the card interface (ARM DDI 0205, chapter 3).

use super::primecell;
use crate::register::{RO, RW, WO, register, repeated};
use socscope_device::{Description, Register};

pub(super) const POWER: u32 = 0x00;
pub(super) const CLOCK: u32 = 0x04;
pub(super) const ARGUMENT: u32 = 0x08;
pub(super) const COMMAND: u32 = 0x0c;
const RESPONSE_COMMAND: u32 = 0x10;
const RESPONSE: u32 = 0x14;
pub(super) const DATA_TIMER: u32 = 0x24;
pub(super) const DATA_LENGTH: u32 = 0x28;
pub(super) const DATA_CONTROL: u32 = 0x2c;
pub(super) const DATA_COUNT: u32 = 0x30;
pub(super) const STATUS: u32 = 0x34;
pub(super) const CLEAR: u32 = 0x38;
pub(super) const MASK_0: u32 = 0x3c;
pub(super) const MASK_1: u32 = 0x40;
const FIFO_COUNT: u32 = 0x48;
pub(super) const FIFO: u32 = 0x80;
pub(super) const FIFO_END: u32 = 0xc0;

pub(super) const PERIPHERAL: u32 = 0x0004_1181;

pub(super) mod clock {
    pub const DIVIDER: u32 = 0xff;
    pub const ENABLE: u32 = 1 << 8;
    pub const BYPASS: u32 = 1 << 10;
    pub const ALL: u32 = 0xfff;
}

pub(super) mod command {
    pub const RESPONSE: u32 = 1 << 6;
    pub const ENABLE: u32 = 1 << 10;
    pub const ALL: u32 = 0x7ff;
}

pub(super) mod data {
    pub const ENABLE: u32 = 1 << 0;
    pub const FROM_CARD: u32 = 1 << 1;
    pub const ALL: u32 = 0xff;
}

pub(super) mod status {
    pub const COMMAND_TIMEOUT: u32 = 1 << 2;
    pub const DATA_TIMEOUT: u32 = 1 << 3;
    pub const COMMAND_SENT: u32 = 1 << 7;
    pub const COMMAND_ACTIVE: u32 = 1 << 11;
    /// Transmitter active; its FIFO is empty, and half empty.
    pub const SENDING: u32 = 1 << 12 | 1 << 14 | 1 << 18;
    /// Receiver active; its FIFO is empty.
    pub const RECEIVING: u32 = 1 << 13 | 1 << 19;
    pub const ALL: u32 = 0x003f_ffff;
}

static REGISTERS: [Register; 24] = primecell::identified(
    [
        register(
            POWER,
            "MCIPOWER",
            RW,
            0,
            "control",
            "Power of the card, open drain.",
        ),
        register(
            CLOCK,
            "MCICLOCK",
            RW,
            0,
            "control",
            "Divider, enable and bypass of the card's clock, width of its bus.",
        ),
        register(
            ARGUMENT,
            "MCIARGUMENT",
            RW,
            0,
            "control",
            "Argument of a command.",
        ),
        register(
            COMMAND,
            "MCICOMMAND",
            RW,
            0,
            "control",
            "Command, kind of its response, enable.",
        ),
        register(
            RESPONSE_COMMAND,
            "MCIRESPCOMMAND",
            RO,
            0,
            "data",
            "Command that the latest response was to: none.",
        ),
        repeated(
            register(
                RESPONSE,
                "MCIRESPONSE",
                RO,
                0,
                "data",
                "The latest response: none.",
            ),
            4,
            4,
        ),
        register(
            DATA_TIMER,
            "MCIDATATIMER",
            RW,
            0,
            "time-out",
            "Clocks of the card after which a transfer times out.",
        ),
        register(
            DATA_LENGTH,
            "MCIDATALENGTH",
            RW,
            0,
            "control",
            "Bytes of a transfer.",
        ),
        register(
            DATA_CONTROL,
            "MCIDATACTRL",
            RW,
            0,
            "control",
            "Enable, direction, mode and block size of a transfer.",
        ),
        register(
            DATA_COUNT,
            "MCIDATACNT",
            RO,
            0,
            "data",
            "Bytes that are left of a transfer.",
        ),
        register(
            STATUS,
            "MCISTATUS",
            RO,
            0,
            "status",
            "What has happened, and what is under way.",
        ),
        register(
            CLEAR,
            "MCICLEAR",
            WO,
            0,
            "status",
            "A one clears a flag of what has happened.",
        ),
        register(
            MASK_0,
            "MCIMASK0",
            RW,
            0,
            "interrupt enable",
            "Flags that interrupt on the first line.",
        ),
        register(
            MASK_1,
            "MCIMASK1",
            RW,
            0,
            "interrupt enable",
            "Flags that interrupt on the second line.",
        ),
        register(
            FIFO_COUNT,
            "MCIFIFOCNT",
            RO,
            0,
            "data",
            "Words that are left of a transfer.",
        ),
        repeated(
            register(
                FIFO,
                "MCIFIFO",
                RW,
                0,
                "data",
                "Data: nothing is received, and what is written goes nowhere.",
            ),
            16,
            4,
        ),
    ],
    PERIPHERAL,
);

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["arm,pl180", "arm,pl181"],
    title: "PL181 card interface",
    data_sheet: "ARM DDI 0205: PrimeCell Multimedia Card Interface (PL181), chapters 2 and 3",
    limits: "The socket is empty: no response and no data ever come. A transfer that is enabled before its command waits for its timer all the same. No DMA, no test registers.",
    registers: &REGISTERS,
    inputs: &[],
    outputs: &["interrupt0", "interrupt1"],
    ports: &[],
    properties: &[],
};
