//! What translated code works on: the core's registers, lazily kept flags, and the way back.

use crate::arm::granules::tag;
use crate::profile::Fields;
use crate::translations::Translations;
use socscope_arm::{Core, Exception, InstructionSet, LINK, Mode, STACK, Status};
use socscope_memory::{AddressSpace, Endianness, RegionIndex, Width};
use std::mem::offset_of;

/// Bytes between the context and the table of granules that lies behind it, so that one base register reaches both.
pub(crate) const TABLE_OFFSET: i32 = 4096;

/// How C and V follow from the operands `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Origin {
    /// V is bit 31 of `a`; C stands in `carry`.
    Bits = 0,
    /// The flags of `a - b`.
    Subtraction = 1,
    /// The flags of `a + b`.
    Addition = 2,
}

/// C is to be computed from the operands.
pub(crate) const CARRY_FROM_OPERANDS: u8 = 2;

/// Control came from the engine.
pub(crate) const NO_REGION: u32 = u32::MAX;

/// The memory that translated code and the engine share. Registers and flags in it are right at every exit.
#[repr(C)]
pub(crate) struct Context {
    pub registers: [u32; 16],
    /// N is bit 31 of it; Z is set when it is 0.
    pub result: u32,
    pub a: u32,
    pub b: u32,
    /// An [`Origin`].
    pub origin: u8,
    /// 0, 1 or [`CARRY_FROM_OPERANDS`].
    pub carry: u8,
    /// Lines that ask for attention: 1 normal, 2 fast interrupt.
    pub lines: u8,
    pub unused: u8,
    /// Bits 7 to 0 of the status register.
    pub control: u32,
    /// The saved status register, and r13 and r14 of the user mode. Meaningless in modes that have no saved status of their own.
    pub saved: u32,
    pub user: [u32; 2],
    /// Which exit was taken.
    pub exit: u32,
    /// Where the program goes on after an exit to an address that was computed.
    pub exit_address: u32,
    /// Address of the table of entries for computed addresses.
    pub entries: u64,
    /// Address of the tracker that a profile shares.
    pub tracker: u64,
    /// Addresses of the address space and of the list of translations.
    pub space: u64,
    pub translations: u64,
    /// Fractions of cycles that the budget and those that were used up before it amount to, at the entry.
    pub granted: u64,
    /// Address of the table of functions by computed address.
    pub targets: u64,
    /// The budget when control came to where it goes on from another region, by its number, or from the engine: as long as the budget is the same, the
    /// last instruction was one from there.
    pub came_budget: i64,
    pub came_region: u32,
    /// The context that was left by a return to an address without code.
    pub left_node: u64,
    /// Address of the core, for the helpers that change its mode.
    pub core: u64,
    /// Instructions executed when code came back, since the profile's counters were last brought up to date, and the budget then.
    pub executed: u64,
    pub mark: i64,
}

/// Offsets of the fields.
pub(crate) mod at {
    use super::{Context, Fields, offset_of};

    pub const RESULT: i32 = offset_of!(Context, result) as i32;
    pub const A: i32 = offset_of!(Context, a) as i32;
    pub const B: i32 = offset_of!(Context, b) as i32;
    pub const ORIGIN: i32 = offset_of!(Context, origin) as i32;
    pub const CARRY: i32 = offset_of!(Context, carry) as i32;
    pub const LINES: i32 = offset_of!(Context, lines) as i32;
    pub const CONTROL: i32 = offset_of!(Context, control) as i32;
    pub const SAVED: i32 = offset_of!(Context, saved) as i32;
    pub const EXIT: i32 = offset_of!(Context, exit) as i32;
    pub const EXIT_ADDRESS: i32 = offset_of!(Context, exit_address) as i32;
    pub const ENTRIES: i32 = offset_of!(Context, entries) as i32;
    pub const CAME_BUDGET: i32 = offset_of!(Context, came_budget) as i32;
    pub const CAME_REGION: i32 = offset_of!(Context, came_region) as i32;
    pub const LEFT_NODE: i32 = offset_of!(Context, left_node) as i32;
    pub const EXECUTED: i32 = offset_of!(Context, executed) as i32;
    pub const MARK: i32 = offset_of!(Context, mark) as i32;

    /// Register 13 or 14 of the user mode.
    pub const fn user_register(index: u32) -> i32 {
        (offset_of!(Context, user) + 4 * (index as usize - 13)) as i32
    }

    /// What a profile looks at.
    pub const PROFILE: Fields = Fields {
        tracker: offset_of!(Context, tracker) as i32,
        targets: offset_of!(Context, targets) as i32,
        granted: offset_of!(Context, granted) as i32,
    };

    pub const fn register(index: u32) -> i32 {
        (offset_of!(Context, registers) + 4 * index as usize) as i32
    }
}

impl Context {
    /// Takes the core's registers and flags. False when N and Z are both set, which only software can bring about and
    /// translated code cannot represent.
    pub fn take(&mut self, core: &Core) -> bool {
        let status = core.status();
        if status.negative && status.zero {
            return false;
        }
        for index in 0..15 {
            self.registers[index as usize] = core.register(index);
        }
        self.take_status(core);
        true
    }

    fn take_status(&mut self, core: &Core) {
        let status = core.status();
        self.result = match (status.negative, status.zero) {
            (true, _) => 1 << 31,
            (_, zero) => u32::from(!zero),
        };
        self.origin = Origin::Bits as u8;
        self.a = u32::from(status.overflow) << 31;
        self.carry = u8::from(status.carry);
        self.control = status.bits() & 0xff;
        if let Some(saved) = core.saved_status() {
            self.saved = saved.bits();
            self.user = [STACK, LINK].map(|index| core.register_of(Mode::User, index));
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

    /// Gives registers and flags back to the core, which goes on at `address`.
    pub fn give(&self, core: &mut Core, address: u32, set: InstructionSet) {
        for index in 0..15 {
            core.set_register(index, self.registers[index as usize]);
        }
        core.set_program_counter(address);
        self.give_status(core, set);
    }

    /// The same, of the status registers and those of the user mode.
    fn give_status(&self, core: &mut Core, set: InstructionSet) {
        if let Some(saved) = core.saved_status() {
            core.set_saved_status(saved.with_bits(self.saved));
            for (index, value) in [STACK, LINK].into_iter().zip(self.user) {
                core.set_register_of(Mode::User, index, value);
            }
        }
        let (carry, overflow) = self.carry_and_overflow();
        let status = Status {
            negative: self.result >> 31 != 0,
            zero: self.result == 0,
            carry,
            overflow,
            irq_disabled: self.control >> 7 & 1 != 0,
            fiq_disabled: self.control >> 6 & 1 != 0,
            instruction_set: set,
            mode: core.status().mode,
        };
        *core.flags_mut() = status;
    }

    fn carry_and_overflow(&self) -> (bool, bool) {
        let (a, b) = (self.a, self.b);
        let (carry, overflow) = match self.origin {
            1 => (a >= b, (a ^ b) & (a ^ a.wrapping_sub(b)) & 1 << 31 != 0),
            2 => {
                let sum = a.wrapping_add(b);
                (sum < a, (a ^ sum) & (b ^ sum) & 1 << 31 != 0)
            }
            _ => (false, a >> 31 != 0),
        };
        match self.carry {
            CARRY_FROM_OPERANDS => (carry, overflow),
            concrete => (concrete != 0, overflow),
        }
    }
}

/// Called by translated code where the table does not allow a write: does it if only code nearby forbade it. `how` is the width's number, and above
/// bit 8 the tag of the region that must be reached, or 0. Gives 1 if it was done.
///
/// # Safety
/// `context` is the context that the code was entered with.
pub(crate) unsafe extern "C" fn write_beside_code(
    context: *mut Context,
    address: u32,
    value: u32,
    how: u32,
) -> u32 {
    // SAFETY: as for `settle_flags`.
    let space = unsafe { (*context).space as *mut AddressSpace };
    // SAFETY: the engine put the address of the bus's address space there, and uses it for nothing else until the code returns.
    let space = unsafe { &mut *space };
    // SAFETY: likewise.
    let translations = unsafe { &*((*context).translations as *const Translations) };
    let width = Width::ALL[(how as usize & 0xff).min(2)];
    let wanted = how >> 8;
    let region = space.map().find(address);
    if width.align(address) != address || wanted != 0 && wanted != tag(region) {
        return 0;
    }
    let written = translations.write_beside(space, address, (width, value, Endianness::Little));
    u32::from(written.is_some())
}

/// Called by translated code: the software interrupt at `address` enters its handler. The core has no registers of the fast interrupt's mode.
///
/// # Safety
/// `context` is the context that the code was entered with.
pub(crate) unsafe extern "C" fn enter_supervisor(context: *mut Context, address: u32, thumb: u32) {
    let set = match thumb {
        0 => InstructionSet::Arm,
        _ => InstructionSet::Thumb,
    };
    let change = |core: &mut Core| core.enter(Exception::SoftwareInterrupt, address);
    // SAFETY: the caller's promise.
    unsafe { change_mode(context, set, change) };
}

/// Called by translated code: the saved status comes into force. Its mode and the present one are others than the fast interrupt's, the present one has
/// a saved status, and N and Z are not both set there. Gives 1 if Thumb instructions come next.
///
/// # Safety
/// `context` is the context that the code was entered with.
pub(crate) unsafe extern "C" fn restore_status(context: *mut Context) -> u32 {
    let mut thumb = false;
    let change = |core: &mut Core| {
        if let Some(saved) = core.saved_status() {
            core.set_status(saved);
        }
        thumb = core.instruction_set() == InstructionSet::Thumb;
    };
    // SAFETY: the caller's promise.
    unsafe { change_mode(context, InstructionSet::Arm, change) };
    u32::from(thumb)
}

/// # Safety
/// As for those that call it.
unsafe fn change_mode(context: *mut Context, set: InstructionSet, change: impl FnOnce(&mut Core)) {
    // SAFETY: as for `settle_flags`.
    let context = unsafe { &mut *context };
    // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
    let core = unsafe { &mut *(context.core as *mut Core) };
    for index in [STACK, LINK] {
        core.set_register(index, context.registers[index as usize]);
    }
    context.give_status(core, set);
    change(core);
    for index in [STACK, LINK] {
        context.registers[index as usize] = core.register(index);
    }
    context.take_status(core);
}

/// Called by translated code: makes C and V plain, in `carry` and bit 31 of `a`.
///
/// # Safety
/// `context` is the context that the code was entered with.
pub(crate) unsafe extern "C" fn settle_flags(context: *mut Context) {
    // SAFETY: translated code passes the context that it was entered with, which lives as long as the code, and
    // nothing else refers to it while the code runs.
    let context = unsafe { &mut *context };
    let (carry, overflow) = context.carry_and_overflow();
    context.carry = u8::from(carry);
    context.a = u32::from(overflow) << 31;
    context.origin = Origin::Bits as u8;
}
