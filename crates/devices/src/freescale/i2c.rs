//! An I2C controller on an empty bus.
//!
//! # Summary
//! The master side of the controller: it starts, sends and receives, and nobody acknowledges.
//!
//! # Behaviour
//! A byte takes nine clocks of SCL: the block's clock divided as I2CFDR and I2CDFSRR say. Its end sets MCF and MIF; RXAK is one, since no
//! slave is there, and what is received is all ones, as the pull-ups give it.
//!
//! # Decisions
//! Registers are bytes: an access of any width reaches the one at its first byte.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! Freescale MPC8641DRM, chapter 11; AN2919 for the divider.

#[cfg(test)]
mod tests;

use crate::register::{RW, register};
use crate::{hole, state};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;
use socscope_time::EventId;

const ADR: u32 = 0x00;
const FDR: u32 = 0x04;
const CR: u32 = 0x08;
const SR: u32 = 0x0c;
const DR: u32 = 0x10;
const DFSRR: u32 = 0x14;

mod control {
    pub const ENABLE: u8 = 1 << 7;
    pub const INTERRUPT: u8 = 1 << 6;
    pub const MASTER: u8 = 1 << 5;
    pub const TRANSMIT: u8 = 1 << 4;
    pub const REPEAT_START: u8 = 1 << 2;
    pub const KEPT: u8 = ENABLE | INTERRUPT | MASTER | TRANSMIT | 1 << 3 | 1;
}

mod status {
    pub const COMPLETE: u8 = 1 << 7;
    pub const BUSY: u8 = 1 << 5;
    pub const ARBITRATION_LOST: u8 = 1 << 4;
    pub const INTERRUPT: u8 = 1 << 1;
    pub const NO_ACKNOWLEDGE: u8 = 1 << 0;
}

/// Clocks of SCL for a byte and its acknowledge.
const CLOCKS_OF_BYTE: u64 = 9;
const FILTER_RESET: u8 = 0x10;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["fsl-i2c"],
    title: "MPC8641D I2C controller",
    data_sheet: "Freescale MPC8641DRM, chapter 11: I2C Interfaces",
    limits: "Nothing is on the bus, no other master either: no acknowledge, no lost arbitration, no slave mode. Start and stop conditions take no time.",
    registers: &[
        register(
            ADR,
            "I2CADR",
            RW,
            0,
            "control",
            "Own address as a slave: kept.",
        ),
        register(FDR, "I2CFDR", RW, 0, "control", "Frequency divider of SCL."),
        register(
            CR,
            "I2CCR",
            RW,
            0,
            "control",
            "Enable, interrupt enable, master, transmit, acknowledge, repeated start.",
        ),
        register(
            SR,
            "I2CSR",
            RW,
            (status::COMPLETE | status::NO_ACKNOWLEDGE) as u32,
            "status",
            "Transfer complete, bus busy, interrupt, acknowledge; a zero that is written clears the interrupt.",
        ),
        register(
            DR,
            "I2CDR",
            RW,
            0,
            "data",
            "Data: writing it sends, reading it as a receiving master begins the next byte.",
        ),
        register(
            DFSRR,
            "I2CDFSRR",
            RW,
            FILTER_RESET as u32,
            "control",
            "Sampling rate of the input filter.",
        ),
    ],
    inputs: &[],
    outputs: &["interrupt"],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(I2c::default())),
};

#[derive(Serialize, Deserialize)]
struct I2c {
    address: u8,
    divider: u8,
    control: u8,
    status: u8,
    data: u8,
    filter: u8,
    /// The end of the byte on the bus.
    byte: Option<EventId>,
    interrupt: bool,
}

impl Default for I2c {
    fn default() -> I2c {
        I2c {
            address: 0,
            divider: 0,
            control: 0,
            status: status::COMPLETE | status::NO_ACKNOWLEDGE,
            data: 0,
            filter: FILTER_RESET,
            byte: None,
            interrupt: false,
        }
    }
}

impl I2c {
    /// Cycles of the block's clock for a clock of SCL (AN2919, "Determining the I2C Frequency Divider Ratio").
    fn divider(&self) -> u64 {
        const FACTORS: [u64; 8] = [18, 20, 24, 30, 10, 12, 14, 16];
        let factor = FACTORS[usize::from((self.divider & 3) | (self.divider >> 3 & 4))];
        let base = 16 << (self.divider >> 2 & 7);
        base * (factor + 3 * u64::from(self.filter) / base * 2)
    }

    fn is_master(&self) -> bool {
        let both = control::ENABLE | control::MASTER;
        self.control & both == both
    }

    fn begin_byte(&mut self, context: &mut Context) {
        if !self.is_master() || self.byte.is_some() {
            return;
        }
        self.status &= !status::COMPLETE;
        let end = context.cycle() + CLOCKS_OF_BYTE * self.divider();
        self.byte = Some(context.schedule_cycle(end, 0));
    }

    fn set_control(&mut self, value: u8, context: &mut Context) {
        self.control = value & control::KEPT;
        if self.is_master() {
            self.status |= status::BUSY;
            return;
        }
        self.status &= !status::BUSY;
        if let Some(event) = self.byte.take() {
            context.cancel(event);
            self.status |= status::COMPLETE;
        }
        if value & control::REPEAT_START != 0 {
            context.warn("a repeated start of a controller that is no master is ignored");
        }
    }

    fn settle(&mut self, context: &mut Context) {
        let enabled = control::ENABLE | control::INTERRUPT;
        let interrupt = self.control & enabled == enabled && self.status & status::INTERRUPT != 0;
        if interrupt != self.interrupt {
            self.interrupt = interrupt;
            context.set_line(0, interrupt);
        }
    }

    fn value(&self, offset: u32) -> Option<u8> {
        Some(match offset {
            ADR => self.address,
            FDR => self.divider,
            CR => self.control,
            SR => self.status,
            DR => self.data,
            DFSRR => self.filter,
            _ => return None,
        })
    }
}

impl Device for I2c {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        if let Some(event) = self.byte {
            context.cancel(event);
        }
        let interrupt = self.interrupt;
        *self = I2c {
            interrupt,
            ..I2c::default()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, _width: Width, context: &mut Context) -> u32 {
        let Some(value) = self.value(offset) else {
            hole::warn_of_read(context, offset);
            return 0;
        };
        if offset == DR && self.control & control::TRANSMIT == 0 {
            self.begin_byte(context);
        }
        u32::from(value)
    }

    fn write(&mut self, offset: u32, _width: Width, value: u32, context: &mut Context) {
        let byte = value as u8;
        match offset {
            ADR => self.address = byte & 0xfe,
            FDR => self.divider = byte & 0x3f,
            CR => self.set_control(byte, context),
            // Zeros clear (MPC8641DRM, "I2C Status Register").
            SR => self.status &= byte | !(status::INTERRUPT | status::ARBITRATION_LOST),
            DR => {
                self.data = byte;
                if self.control & control::TRANSMIT != 0 {
                    self.begin_byte(context);
                }
            }
            DFSRR => self.filter = byte & 0x3f,
            _ => hole::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(u32::from(self.value(offset).unwrap_or(0)))
    }

    fn event(&mut self, _payload: u64, context: &mut Context) {
        self.byte = None;
        self.status |= status::COMPLETE | status::INTERRUPT | status::NO_ACKNOWLEDGE;
        if self.control & control::TRANSMIT == 0 {
            self.data = 0xff;
        }
        self.settle(context);
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        *self = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
