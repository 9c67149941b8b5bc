//! The core's registers as translated code works on them.

use crate::frame;
use socscope_powerpc::{Core, CoreModel, Msr};
use std::mem::offset_of;

/// Places of the link and the count register behind the general ones.
pub(crate) const LINK: u32 = 32;
pub(crate) const COUNT: u32 = 33;
/// Registers in all.
pub(crate) const REGISTERS: usize = 34;

/// Registers and flags.
#[repr(C)]
pub(crate) struct State {
    pub registers: [u32; REGISTERS],
    pub carry: u8,
    pub overflow: u8,
    pub string_bytes: u8,
    /// Whether the last result of floating-point arithmetic is written.
    pub float_written: u8,
    /// The core, whose floating-point unit may have ways of its own. Memory of zeros holds one, too.
    pub model: CoreModel,
    /// The fields of the condition register: see [`condition_slot`].
    pub conditions: [i64; 8],
    pub machine_state: u32,
    /// Addresses of the core's floating-point registers and their status.
    pub float: u64,
    pub float_status: u64,
    /// The same of its vectors.
    pub vectors: u64,
    pub vector_status: u64,
    /// What a call computes of, and in the first place what came out; low halves first.
    pub operands: [[u64; 2]; 3],
    /// Address of its special registers that are only kept.
    pub kept: u64,
}

// SAFETY: integers, and an enumeration whose first value is 0.
unsafe impl frame::State for State {}

/// Offsets of the fields.
pub(crate) mod at {
    use super::{State, offset_of};

    pub const CARRY: i32 = offset_of!(State, carry) as i32;
    pub const OVERFLOW: i32 = offset_of!(State, overflow) as i32;
    pub const STRING_BYTES: i32 = offset_of!(State, string_bytes) as i32;
    pub const MACHINE_STATE: i32 = offset_of!(State, machine_state) as i32;
    pub const FLOAT: i32 = offset_of!(State, float) as i32;
    pub const FLOAT_STATUS: i32 = offset_of!(State, float_status) as i32;
    pub const FLOAT_WRITTEN: i32 = offset_of!(State, float_written) as i32;
    pub const VECTORS: i32 = offset_of!(State, vectors) as i32;
    pub const VECTOR_STATUS: i32 = offset_of!(State, vector_status) as i32;
    pub const OPERANDS: i32 = offset_of!(State, operands) as i32;
    pub const KEPT: i32 = offset_of!(State, kept) as i32;

    pub const fn condition(field: u32) -> i32 {
        (offset_of!(State, conditions) + 8 * field as usize) as i32
    }
}

/// A field of the condition register as a number of 64 bits, so that the difference of two numbers, in 64 bits, is what a comparison of them
/// leaves: LT is bit 62, GT says that it is greater than 0, EQ that its low half is 0, SO that bits 60 and 61 differ.
pub(crate) mod slot {
    pub const LESS: i64 = 1 << 62;
    pub const NOT_GREATER: i64 = i64::MIN;
    pub const NOT_EQUAL: i64 = 1;
    pub const SUMMARY: i64 = 1 << 60;
    /// Keeps it from being 0 where EQ and GT are both set.
    pub const SOME: i64 = 1 << 32;
    pub const SUMMARY_BIT: i64 = 60;
}

/// The number for a field's four bits, LT the highest.
const fn condition_slot(bits: u32) -> i64 {
    let mut number = slot::SOME;
    if bits & 8 != 0 {
        number |= slot::LESS;
    }
    if bits & 4 == 0 {
        number |= slot::NOT_GREATER;
    }
    if bits & 2 == 0 {
        number |= slot::NOT_EQUAL;
    }
    if bits & 1 != 0 {
        number |= slot::SUMMARY;
    }
    number
}

/// The four bits of a field's number.
fn condition_bits(number: i64) -> u32 {
    let less = number & slot::LESS != 0;
    let summary = (number >> slot::SUMMARY_BIT ^ number >> (slot::SUMMARY_BIT + 1)) & 1 != 0;
    u32::from(less) << 3
        | u32::from(number > 0) << 2
        | u32::from(number as u32 == 0) << 1
        | u32::from(summary)
}

static SLOTS: [i64; 16] = {
    let mut all = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        all[bits] = condition_slot(bits as u32);
        bits += 1;
    }
    all
};

impl State {
    /// Takes the core's registers.
    pub fn take(&mut self, core: &Core) {
        self.registers[..32].copy_from_slice(core.registers());
        self.registers[LINK as usize] = core.link;
        self.registers[COUNT as usize] = core.count;
        self.carry = u8::from(core.xer.carry);
        self.overflow = u8::from(core.xer.overflow);
        self.string_bytes = core.xer.bytes;
        self.machine_state = core.msr().0;
        let mut condition = core.condition;
        for field in &mut self.conditions {
            condition = condition.rotate_left(4);
            *field = SLOTS[(condition & 15) as usize];
        }
    }

    /// Gives the registers back to the core, which goes on at `address`.
    pub fn give(&self, core: &mut Core, address: u32) {
        core.registers_mut().copy_from_slice(&self.registers[..32]);
        core.link = self.registers[LINK as usize];
        core.count = self.registers[COUNT as usize];
        core.xer.carry = self.carry != 0;
        core.xer.overflow = self.overflow != 0;
        core.xer.bytes = self.string_bytes;
        let fields = self.conditions.iter();
        core.condition = fields.fold(0, |all, &field| all << 4 | condition_bits(field));
        if core.msr().0 != self.machine_state {
            core.set_msr(Msr(self.machine_state));
        }
        core.set_program_counter(address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_a_field_has_a_number() {
        for bits in 0..16 {
            assert_eq!(condition_bits(condition_slot(bits)), bits);
        }
    }

    #[test]
    fn a_difference_is_what_a_comparison_leaves() {
        for (a, b) in [
            (0, 0),
            (1, 2),
            (i32::MIN, i32::MAX),
            (i32::MAX, i32::MIN),
            (-1, -2),
        ] {
            let bits = condition_bits(i64::from(a) - i64::from(b));
            let wanted = u32::from(a < b) << 3 | u32::from(a > b) << 2 | u32::from(a == b) << 1;
            assert_eq!(bits, wanted);
        }
        assert_eq!(condition_bits(0xffff_ffff), 4);
        assert_eq!(condition_bits(-0xffff_ffff), 8);
    }
}
