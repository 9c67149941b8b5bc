//! Semaphores between cores: a read takes one, if nobody has it.
//!
//! # Summary
//! 32 locks of one bit. Whoever reads a free one has it; a write of 0 gives it back.
//!
//! # Decisions
//! A narrow read takes the lock as a word does, whichever byte it reaches. Nobody is kept from giving back what another one took: the chip
//! does not know who reads.

#[cfg(test)]
mod tests;

use super::registers;
use crate::hole::{warn_of_read, warn_of_write};
use crate::register::{RO, RW, register, repeated};
use crate::state;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;

const SYSCONFIG: u32 = 0x10;
const SYSSTATUS: u32 = 0x14;
const LOCK_REG: u32 = 0x800;
const LOCKS: u32 = 32;
const LOCKS_END: u32 = LOCK_REG + 4 * LOCKS - 1;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["ti,omap4-hwspinlock"],
    title: "Hardware spinlock",
    data_sheet: "Texas Instruments SPRUH73 (AM335x), 17.2: Spinlock",
    limits: "32 locks. The revision register is left out; idle modes are kept and change nothing.",
    registers: &[
        register(
            SYSCONFIG,
            "SYSCONFIG",
            RW,
            SYSCONFIG_RESET,
            "control",
            "Idle modes; resets the block.",
        ),
        register(
            SYSSTATUS,
            "SYSSTATUS",
            RO,
            SYSSTATUS_RESET,
            "status",
            "How many locks there are, and whether one is taken.",
        ),
        repeated(
            register(
                LOCK_REG,
                "LOCK_REG",
                RW,
                0,
                "locks",
                "Reads as 0 for whom takes the lock, as 1 for all others.",
            ),
            LOCKS,
            4,
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
    build: |_| Ok(Box::new(Spinlock(State::default()))),
};

/// SIDLEMODE 2, AUTOGATING.
const SYSCONFIG_RESET: u32 = 0x11;
const SOFT_RESET: u32 = 2;
/// SIDLEMODE, ENWAKEUP, AUTOGATING.
const KEPT: u32 = 0x1d;
/// One times 32 locks, RESETDONE.
const SYSSTATUS_RESET: u32 = 0x0100_0001;
/// IU0.
const IN_USE: u32 = 0x100;

#[derive(Serialize, Deserialize)]
struct State {
    configuration: u32,
    /// A bit for each lock.
    taken: u32,
}

impl Default for State {
    fn default() -> State {
        State {
            configuration: SYSCONFIG_RESET,
            taken: 0,
        }
    }
}

struct Spinlock(State);

/// The bit of the lock at `offset`.
fn lock(offset: u32) -> u32 {
    1 << ((offset - LOCK_REG) / 4)
}

impl Spinlock {
    fn word(&self, offset: u32) -> Option<u32> {
        match offset {
            SYSCONFIG => Some(self.0.configuration),
            SYSSTATUS if self.0.taken != 0 => Some(SYSSTATUS_RESET | IN_USE),
            SYSSTATUS => Some(SYSSTATUS_RESET),
            LOCK_REG..=LOCKS_END => Some(u32::from(self.0.taken & lock(offset) != 0)),
            _ => None,
        }
    }
}

impl Device for Spinlock {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, _context: &mut Context) {
        self.0 = State::default();
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let at = registers::offset_of(offset);
        let Some(word) = self.word(at) else {
            warn_of_read(context, offset);
            return 0;
        };
        if at >= LOCK_REG {
            self.0.taken |= lock(at);
        }
        registers::read(word, offset, width, context)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = registers::written(value, offset, width, context);
        match registers::offset_of(offset) {
            SYSCONFIG if value & SOFT_RESET != 0 => self.0 = State::default(),
            SYSCONFIG => self.0.configuration = value & KEPT,
            at @ LOCK_REG..=LOCKS_END if value & 1 == 0 => self.0.taken &= !lock(at),
            // A 1 takes nothing.
            LOCK_REG..=LOCKS_END => {}
            _ => warn_of_write(context, offset, value),
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.word(registers::offset_of(offset)).unwrap_or(0))
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
