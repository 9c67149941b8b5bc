//! The keyboard and mouse interface PL050, with nothing plugged in.
//!
//! # Summary
//! The registers of the interface; nobody is at the other end of its two wires.
//!
//! # Behaviour
//! What is sent waits for the clock, which a keyboard would give: the transmitter stays busy until the block is switched off. Nothing is received. Both
//! wires are high, unless software pulls them low.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DDI 0143 (PL050), chapters 2 and 3.

#[cfg(test)]
mod tests;

use super::primecell;
use crate::register::{RO, RW, register};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, Register, RestoreError};
use socscope_memory::Width;

const CONTROL: u32 = 0x00;
const STATUS: u32 = 0x04;
const DATA: u32 = 0x08;
const DIVIDER: u32 = 0x0c;
const INTERRUPTS: u32 = 0x10;

mod control {
    pub const CLOCK_LOW: u32 = 1 << 0;
    pub const DATA_LOW: u32 = 1 << 1;
    pub const ENABLE: u32 = 1 << 2;
    pub const TRANSMIT_INTERRUPT: u32 = 1 << 3;
    pub const ALL: u32 = 0x3f;
}

mod status {
    pub const DATA_IN: u32 = 1 << 0;
    pub const CLOCK_IN: u32 = 1 << 1;
    pub const BUSY: u32 = 1 << 5;
    pub const EMPTY: u32 = 1 << 6;
    pub const RESET: u32 = DATA_IN | CLOCK_IN | EMPTY;
}

const TRANSMIT: u32 = 1 << 1;
const PERIPHERAL: u32 = 0x0004_1050;

static REGISTERS: [Register; 13] = primecell::identified(
    [
        register(
            CONTROL,
            "KMICR",
            RW,
            0,
            "control",
            "Forces of the wires, enable, interrupt enables, type.",
        ),
        register(
            STATUS,
            "KMISTAT",
            RO,
            status::RESET,
            "status",
            "Levels of the wires, parity, receiver and transmitter.",
        ),
        register(
            DATA,
            "KMIDATA",
            RW,
            0,
            "data",
            "Sends; reads what was received.",
        ),
        register(
            DIVIDER,
            "KMICLKDIV",
            RW,
            0,
            "control",
            "Divides the reference clock to 8 MHz.",
        ),
        register(
            INTERRUPTS,
            "KMIIR",
            RO,
            0,
            "status",
            "Transmitter is empty (bit 1), receiver is full (bit 0).",
        ),
    ],
    PERIPHERAL,
);

/// What the model says of itself.
pub static DESCRIPTION: Description = Description {
    compatible: &["arm,pl050"],
    title: "PL050 keyboard and mouse interface",
    data_sheet: "ARM DDI 0143: PrimeCell PS2 Keyboard/Mouse Interface (PL050), chapters 2 and 3",
    limits: "No keyboard or mouse is plugged in: what is sent never leaves, and nothing arrives. No test registers.",
    registers: &REGISTERS,
    inputs: &[],
    outputs: &["interrupt"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Pl050::default())),
};

#[derive(Default, Serialize, Deserialize)]
struct Pl050 {
    control: u32,
    divider: u32,
    /// A byte waits for a clock.
    sending: bool,
    interrupt: bool,
}

impl Pl050 {
    fn status(&self) -> u32 {
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        flag(self.control & control::DATA_LOW == 0, status::DATA_IN)
            | flag(self.control & control::CLOCK_LOW == 0, status::CLOCK_IN)
            | if self.sending {
                status::BUSY
            } else {
                status::EMPTY
            }
    }

    fn interrupts(&self) -> u32 {
        let wanted = control::ENABLE | control::TRANSMIT_INTERRUPT;
        let empty = self.control & wanted == wanted && !self.sending;
        u32::from(empty) * TRANSMIT
    }

    fn settle(&mut self, context: &mut Context) {
        let interrupt = self.interrupts() != 0;
        if interrupt != self.interrupt {
            self.interrupt = interrupt;
            context.set_line(0, interrupt);
        }
    }
}

impl Device for Pl050 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        *self = Pl050 {
            interrupt: self.interrupt,
            ..Pl050::default()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            CONTROL => {
                self.control = value & control::ALL;
                self.sending &= self.control & control::ENABLE != 0;
            }
            DATA => self.sending |= self.control & control::ENABLE != 0,
            DIVIDER => self.divider = value & 0xf,
            _ => apb::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        let offset = apb::register_offset(offset);
        Some(match offset {
            CONTROL => self.control,
            STATUS => self.status(),
            DIVIDER => self.divider,
            INTERRUPTS => self.interrupts(),
            _ => primecell::identification(PERIPHERAL, offset).unwrap_or(0),
        })
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        *self = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
