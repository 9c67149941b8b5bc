//! All registers of an ARM, by their numbers in the target description.

use crate::layout::{ARM_PROGRAM_COUNTER, ARM_STATUS};
use socscope_arm::{BANKED_REGISTERS, Core};

/// Number of the first banked register.
pub(crate) const FIRST_BANKED: usize = ARM_STATUS + 1;
/// Number of all registers.
pub(crate) const REGISTERS: usize = FIRST_BANKED + BANKED_REGISTERS.len();

/// A register of a core.
pub(crate) fn read(core: &Core, number: usize) -> Option<u32> {
    match number {
        0..=ARM_PROGRAM_COUNTER => Some(core.register(number as u32)),
        ARM_STATUS => Some(core.status().bits()),
        _ => core.banked_register(number - FIRST_BANKED),
    }
}
