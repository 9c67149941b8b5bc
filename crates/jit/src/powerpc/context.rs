//! What translated code works on: the core's registers, and the way back.

use crate::profile::Fields;
use socscope_memory::RegionIndex;
use socscope_powerpc::{Core, CoreModel, Msr};
use std::mem::offset_of;

/// Places of the link and the count register behind the general ones.
pub(crate) const LINK: u32 = 32;
pub(crate) const COUNT: u32 = 33;
/// Registers in all.
pub(crate) const REGISTERS: usize = 34;

/// The memory that translated code and the engine share. Registers in it are right at every exit.
#[repr(C)]
pub(crate) struct Context {
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
    /// Whether an interrupt waits until it is enabled.
    pub waiting: u32,
    /// Which exit was taken.
    pub exit: u32,
    /// Where the program goes on after an exit to an address that was computed.
    pub exit_address: u32,
    /// Address of the table of entries for computed addresses.
    pub entries: u64,
    /// Addresses of the core's floating-point registers and their status.
    pub float: u64,
    pub float_status: u64,
    /// Address of its special registers that are only kept.
    pub kept: u64,
    /// Addresses of the core, its translation, the bus and the engine's part of the seat, for the helpers.
    pub core: u64,
    pub mmu: u64,
    pub bus: u64,
    pub seat: u64,
    /// Addresses of the helpers, which depend on the type of the bus.
    pub read_helper: u64,
    pub write_helper: u64,
    pub store_helper: u64,
    pub fetch_helper: u64,
    pub prepare_helper: u64,
    pub time_helper: u64,
    pub load_device_helper: u64,
    pub store_device_helper: u64,
    pub resume_helper: u64,
    /// The cycle at the entry, fractions in a cycle, and how many there would be left at its beginning.
    pub cycle: u64,
    pub fractions: u64,
    pub granted: i64,
    /// Fractions of cycles left, for the helper that reads the time.
    pub left: i64,
    /// By how much the access to a device has brought the deadline nearer, in fractions of cycles.
    pub cut: i64,
    /// What the last helper gave back.
    pub helped: u64,
    /// Address of the tracker that a profile shares.
    pub tracker: u64,
    /// Addresses of the tables of functions by computed address: of code whose addresses are those on the bus, of code whose are translated.
    pub targets: [u64; 2],
    /// The budget when control came to where it goes on from other code, in the region of this number, or from the engine: as long as the budget is
    /// the same, the last instruction was one from there.
    pub came_budget: i64,
    pub came_region: u32,
    /// What tables know of the region that a helper has reached.
    pub reached_tag: u32,
    /// The instruction that accesses a device.
    pub accessing: u32,
    /// Address of the observer, for the helpers that tell it something.
    pub observer: u64,
}

/// Control came from the engine.
pub(crate) const NO_REGION: u32 = u32::MAX;

/// Offsets of the fields.
pub(crate) mod at {
    use super::{Context, Fields, offset_of};

    pub const CARRY: i32 = offset_of!(Context, carry) as i32;
    pub const OVERFLOW: i32 = offset_of!(Context, overflow) as i32;
    pub const STRING_BYTES: i32 = offset_of!(Context, string_bytes) as i32;
    pub const MACHINE_STATE: i32 = offset_of!(Context, machine_state) as i32;
    pub const EXIT: i32 = offset_of!(Context, exit) as i32;
    pub const EXIT_ADDRESS: i32 = offset_of!(Context, exit_address) as i32;
    pub const ENTRIES: i32 = offset_of!(Context, entries) as i32;
    pub const FLOAT: i32 = offset_of!(Context, float) as i32;
    pub const FLOAT_STATUS: i32 = offset_of!(Context, float_status) as i32;
    pub const FLOAT_WRITTEN: i32 = offset_of!(Context, float_written) as i32;
    pub const READ_HELPER: i32 = offset_of!(Context, read_helper) as i32;
    pub const WRITE_HELPER: i32 = offset_of!(Context, write_helper) as i32;
    pub const STORE_HELPER: i32 = offset_of!(Context, store_helper) as i32;
    pub const PREPARE_HELPER: i32 = offset_of!(Context, prepare_helper) as i32;
    pub const TIME_HELPER: i32 = offset_of!(Context, time_helper) as i32;
    pub const LOAD_DEVICE_HELPER: i32 = offset_of!(Context, load_device_helper) as i32;
    pub const STORE_DEVICE_HELPER: i32 = offset_of!(Context, store_device_helper) as i32;
    pub const RESUME_HELPER: i32 = offset_of!(Context, resume_helper) as i32;
    pub const CUT: i32 = offset_of!(Context, cut) as i32;
    pub const LEFT: i32 = offset_of!(Context, left) as i32;
    pub const WAITING: i32 = offset_of!(Context, waiting) as i32;
    pub const KEPT: i32 = offset_of!(Context, kept) as i32;
    pub const FETCH_HELPER: i32 = offset_of!(Context, fetch_helper) as i32;

    pub const HELPED: i32 = offset_of!(Context, helped) as i32;

    pub const CAME_BUDGET: i32 = offset_of!(Context, came_budget) as i32;
    pub const CAME_REGION: i32 = offset_of!(Context, came_region) as i32;
    pub const ACCESSING: i32 = offset_of!(Context, accessing) as i32;
    pub const REACHED_TAG: i32 = offset_of!(Context, reached_tag) as i32;

    /// What a profile looks at, in code whose addresses are translated or not.
    pub const fn profile(translated: bool) -> Fields {
        Fields {
            tracker: offset_of!(Context, tracker) as i32,
            targets: offset_of!(Context, targets) as i32 + 8 * translated as i32,
            granted: offset_of!(Context, granted) as i32,
        }
    }

    pub const fn register(index: u32) -> i32 {
        (offset_of!(Context, registers) + 4 * index as usize) as i32
    }

    pub const fn condition(field: u32) -> i32 {
        (offset_of!(Context, conditions) + 8 * field as usize) as i32
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

impl Context {
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

    /// The region of the last instruction that translated code executed before it came back with this budget; `None` if it executed none. Its own code
    /// lies in `own`.
    pub fn last_region(&self, budget: i64, own: RegionIndex) -> Option<RegionIndex> {
        match self.came_region {
            _ if budget != self.came_budget => Some(own),
            NO_REGION => None,
            region => Some(RegionIndex(region as u16)),
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
