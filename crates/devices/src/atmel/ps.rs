//! Power saving (PS): stops the core's clock and the clocks of peripherals.

#[cfg(test)]
mod tests;

use crate::apb;
use crate::register::{RO, WO, register};
use crate::state;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-ps"],
    title: "AT91X40 power saving",
    data_sheet: "Atmel doc1354 (AT91X40 series), PS: Power-saving",
    limits: "PS_PCSR keeps what software writes, but a peripheral whose clock is off goes on working; a warning tells of it.",
    registers: &[
        register(
            0x00,
            "PS_CR",
            WO,
            0,
            "control",
            "Stops the core's clock until an interrupt.",
        ),
        register(
            0x04,
            "PS_PCER",
            WO,
            0,
            "control",
            "Switches clocks of peripherals on.",
        ),
        register(
            0x08,
            "PS_PCDR",
            WO,
            0,
            "control",
            "Switches clocks of peripherals off.",
        ),
        register(
            0x0c,
            "PS_PCSR",
            RO,
            CLOCKED,
            "status",
            "Shows which clocks of peripherals are on.",
        ),
    ],
    inputs: &[],
    outputs: &[],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(PowerSaving(State { clocks: CLOCKED }))),
};

/// US0, US1, TC0, TC1, TC2 and PIO, by their interrupt source numbers.
const CLOCKED: u32 = 0x0000_017c;
const STOP_CORE: u32 = 1;

#[derive(Serialize, Deserialize)]
struct State {
    clocks: u32,
}

struct PowerSaving(State);

impl Device for PowerSaving {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, _context: &mut Context) {
        self.0.clocks = CLOCKED;
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            0x00 if value & STOP_CORE != 0 => context.stop_core(),
            0x00 => {}
            0x04 => self.0.clocks |= value & CLOCKED,
            0x08 => {
                if self.0.clocks & value & CLOCKED != 0 {
                    context.warn(
                        "the clock of a peripheral is switched off; its model goes on working",
                    );
                }
                self.0.clocks &= !value;
            }
            _ => apb::warn_of_write(context, offset, value),
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match apb::register_offset(offset) {
            0x0c => self.0.clocks,
            _ => 0,
        })
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
