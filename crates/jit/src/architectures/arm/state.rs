//! The core's registers and lazily kept flags as translated code works on them.

use crate::frame;
use socscope_arm::{Core, InstructionSet, LINK, Mode, STACK, Status};
use socscope_core::ExecutionState;
use std::mem::offset_of;

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

/// Bits of [`State::system`].
const SYSTEM_CONTROL: u32 = 1;
const TRANSLATED: u32 = 2;

/// Registers and flags.
#[repr(C)]
pub(crate) struct State {
    pub registers: [u32; 15],
    /// N is bit 31 of it; Z is set when it is 0.
    pub result: u32,
    pub a: u32,
    pub b: u32,
    /// An [`Origin`].
    pub origin: u8,
    /// 0, 1 or [`CARRY_FROM_OPERANDS`].
    pub carry: u8,
    pub unused: u16,
    /// The status register without N, Z, C and V.
    pub control: u32,
    /// The saved status register, and r13 and r14 of the user mode. Meaningless in modes that have no saved status of their own.
    pub saved: u32,
    pub user: [u32; 2],
    /// Of a core with system control, 1, and 2 more if addresses are translated; else 0.
    pub system: u32,
}

// SAFETY: integers, the registers first.
unsafe impl frame::State for State {}

/// Offsets of the fields.
pub(crate) mod at {
    use super::{State, offset_of};

    pub const RESULT: i32 = offset_of!(State, result) as i32;
    pub const A: i32 = offset_of!(State, a) as i32;
    pub const B: i32 = offset_of!(State, b) as i32;
    pub const ORIGIN: i32 = offset_of!(State, origin) as i32;
    pub const CARRY: i32 = offset_of!(State, carry) as i32;
    pub const CONTROL: i32 = offset_of!(State, control) as i32;
    pub const SAVED: i32 = offset_of!(State, saved) as i32;

    /// Register 13 or 14 of the user mode.
    pub const fn user_register(index: u32) -> i32 {
        (offset_of!(State, user) + 4 * (index as usize - 13)) as i32
    }
}

impl State {
    /// Takes the core's registers and flags, of which N and Z are not both set.
    pub fn take(&mut self, core: &Core) {
        for index in 0..15 {
            self.registers[index as usize] = core.register(index);
        }
        self.system = match core.model().has_system_control() {
            true if core.control.translates() => SYSTEM_CONTROL | TRANSLATED,
            true => SYSTEM_CONTROL,
            false => 0,
        };
        self.take_status(core);
    }

    pub(super) fn take_status(&mut self, core: &Core) {
        let status = core.status();
        self.result = match (status.negative, status.zero) {
            (true, _) => 1 << 31,
            (_, zero) => u32::from(!zero),
        };
        self.origin = Origin::Bits as u8;
        self.a = u32::from(status.overflow) << 31;
        self.carry = u8::from(status.carry);
        self.control = status.bits() & 0x0fff_ffff;
        if let Some(saved) = core.saved_status() {
            self.saved = saved.bits();
            self.user = [STACK, LINK].map(|index| core.register_of(Mode::User, index));
        }
    }

    /// Whose code it is, of a core that has system control: else nobody is told.
    pub fn execution_state(&self) -> Option<ExecutionState> {
        let user = self.control & 0x1f == Mode::User as u32;
        let translated = self.system & TRANSLATED != 0;
        (self.system & SYSTEM_CONTROL != 0).then_some(ExecutionState { user, translated })
    }

    /// Whether an interrupt of one kind or the other is let through.
    pub fn lets_interrupts_through(&self) -> bool {
        self.control & 0xc0 != 0xc0
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
    pub(super) fn give_status(&self, core: &mut Core, set: InstructionSet) {
        if let Some(saved) = core.saved_status() {
            core.set_saved_status(saved.with_bits_of(core.model(), self.saved));
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
            instruction_set: set,
            mode: core.status().mode,
            ..core.status().with_bits_of(core.model(), self.control)
        };
        *core.flags_mut() = status;
    }

    pub(super) fn carry_and_overflow(&self) -> (bool, bool) {
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
