//! The semantics of instructions in concrete words.

use crate::Observer;
use socscope_isa::arm::{ArmSemantics, Core, Exception, InstructionSet, Mode};
use socscope_isa::{CycleModel, Semantics};
use socscope_memory::{Bus, Direction, Fault, Width};

/// One instruction in execution.
pub(crate) struct Executor<'a, B, M, O> {
    pub core: &'a mut Core,
    pub bus: &'a mut B,
    pub model: &'a mut M,
    pub observer: &'a mut O,
    pub cycle: u64,
    pub address: u32,
    pub set: InstructionSet,
    pub leaving: Leaving,
    pub fault: Option<Fault>,
}

/// How the instruction leaves; the target is then the core's program counter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    Falling,
    Branch,
    Return,
    Exception(Exception),
}

impl<B: Bus, M: CycleModel, O: Observer> Executor<'_, B, M, O> {
    #[cold]
    fn refused(&mut self, fault: Fault, address: u32, width: Width, direction: Direction) {
        let region = self.bus.region(address);
        self.model
            .data(region, self.bus.cost(region), width, direction);
        self.observer.refused(address, width, direction);
        self.fault.get_or_insert(fault);
    }

    #[inline(always)]
    fn aligned(&mut self, address: u32, width: Width) -> u32 {
        let aligned = width.align(address);
        if aligned != address {
            self.observer.unaligned(self.address, address, width);
        }
        aligned
    }

    #[inline(always)]
    fn jump(&mut self, target: u32, leaving: Leaving) {
        let width = self.core.instruction_set().width();
        self.core.set_program_counter(width.align(target));
        self.leaving = leaving;
    }
}

impl<B: Bus, M: CycleModel, O: Observer> ArmSemantics for Executor<'_, B, M, O> {
    #[inline(always)]
    fn instruction_set(&self) -> InstructionSet {
        self.set
    }
}

impl<B: Bus, M: CycleModel, O: Observer> Semantics for Executor<'_, B, M, O> {
    type Word = u32;
    type Flag = bool;
    type Exception = Exception;

    #[inline(always)]
    fn address(&self) -> u32 {
        self.address
    }

    #[inline(always)]
    fn word(&mut self, value: u32) -> u32 {
        value
    }

    #[inline(always)]
    fn flag(&mut self, value: bool) -> bool {
        value
    }

    #[inline(always)]
    fn register(&mut self, index: u32) -> u32 {
        self.core.register(index)
    }

    #[inline(always)]
    fn set_register(&mut self, index: u32, value: u32) {
        self.core.set_register(index, value);
    }

    fn user_register(&mut self, index: u32) -> u32 {
        self.core.register_of(Mode::User, index)
    }

    fn set_user_register(&mut self, index: u32, value: u32) {
        self.core.set_register_of(Mode::User, index, value);
    }

    #[inline(always)]
    fn negative(&mut self) -> bool {
        self.core.status().negative
    }

    #[inline(always)]
    fn zero(&mut self) -> bool {
        self.core.status().zero
    }

    #[inline(always)]
    fn carry(&mut self) -> bool {
        self.core.status().carry
    }

    #[inline(always)]
    fn overflow(&mut self) -> bool {
        self.core.status().overflow
    }

    #[inline(always)]
    fn set_negative(&mut self, value: bool) {
        self.core.flags_mut().negative = value;
    }

    #[inline(always)]
    fn set_zero(&mut self, value: bool) {
        self.core.flags_mut().zero = value;
    }

    #[inline(always)]
    fn set_carry(&mut self, value: bool) {
        self.core.flags_mut().carry = value;
    }

    #[inline(always)]
    fn set_overflow(&mut self, value: bool) {
        self.core.flags_mut().overflow = value;
    }

    #[inline(always)]
    fn and(&mut self, a: u32, b: u32) -> u32 {
        a & b
    }

    #[inline(always)]
    fn or(&mut self, a: u32, b: u32) -> u32 {
        a | b
    }

    #[inline(always)]
    fn xor(&mut self, a: u32, b: u32) -> u32 {
        a ^ b
    }

    #[inline(always)]
    fn not(&mut self, a: u32) -> u32 {
        !a
    }

    #[inline(always)]
    fn add(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn add_with_carry(&mut self, a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
        let (partial, first) = a.overflowing_add(b);
        let (sum, second) = partial.overflowing_add(u32::from(carry));
        let overflow = (a ^ sum) & (b ^ sum) & 1 << 31 != 0;
        (sum, first | second, overflow)
    }

    #[inline(always)]
    fn multiply(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_mul(b)
    }

    #[inline(always)]
    fn multiply_high(&mut self, a: u32, b: u32, signed: bool) -> u32 {
        let product = if signed {
            (i64::from(a as i32) * i64::from(b as i32)) as u64
        } else {
            u64::from(a) * u64::from(b)
        };
        (product >> 32) as u32
    }

    #[inline(always)]
    fn shift_left(&mut self, a: u32, amount: u32) -> u32 {
        a.checked_shl(amount).unwrap_or(0)
    }

    #[inline(always)]
    fn shift_right(&mut self, a: u32, amount: u32) -> u32 {
        a.checked_shr(amount).unwrap_or(0)
    }

    #[inline(always)]
    fn shift_right_signed(&mut self, a: u32, amount: u32) -> u32 {
        (a as i32 >> amount.min(31)) as u32
    }

    #[inline(always)]
    fn rotate_right(&mut self, a: u32, amount: u32) -> u32 {
        a.rotate_right(amount & 31)
    }

    #[inline(always)]
    fn sign_extend(&mut self, a: u32, width: Width) -> u32 {
        let unused = 32 - width.bits();
        ((a << unused) as i32 >> unused) as u32
    }

    #[inline(always)]
    fn is_zero(&mut self, a: u32) -> bool {
        a == 0
    }

    #[inline(always)]
    fn bit(&mut self, a: u32, index: u32) -> bool {
        a >> index & 1 != 0
    }

    #[inline(always)]
    fn flag_word(&mut self, flag: bool) -> u32 {
        u32::from(flag)
    }

    #[inline(always)]
    fn flag_not(&mut self, a: bool) -> bool {
        !a
    }

    #[inline(always)]
    fn flag_and(&mut self, a: bool, b: bool) -> bool {
        a & b
    }

    #[inline(always)]
    fn flag_or(&mut self, a: bool, b: bool) -> bool {
        a | b
    }

    #[inline(always)]
    fn flag_xor(&mut self, a: bool, b: bool) -> bool {
        a ^ b
    }

    #[inline(always)]
    fn select(&mut self, condition: bool, a: u32, b: u32) -> u32 {
        if condition { a } else { b }
    }

    #[inline(always)]
    fn when(&mut self, condition: bool, body: impl FnOnce(&mut Self)) {
        if condition {
            body(self);
        }
    }

    #[inline(always)]
    fn load(&mut self, address: u32, width: Width) -> (u32, bool) {
        let address = self.aligned(address, width);
        match self.bus.read(address, width, self.cycle) {
            Ok(access) => {
                let cost = self.bus.cost(access.region);
                self.model.data(access.region, cost, width, Direction::Read);
                self.observer
                    .data(self.address, address, width, Direction::Read, access.region);
                (access.value, true)
            }
            Err(fault) => {
                self.refused(fault, address, width, Direction::Read);
                (0, false)
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, address: u32, width: Width, value: u32) -> bool {
        let address = self.aligned(address, width);
        let value = width.truncate(value);
        match self.bus.write(address, width, value, self.cycle) {
            Ok(region) => {
                let cost = self.bus.cost(region);
                self.model.data(region, cost, width, Direction::Write);
                self.observer
                    .data(self.address, address, width, Direction::Write, region);
                true
            }
            Err(fault) => {
                self.refused(fault, address, width, Direction::Write);
                false
            }
        }
    }

    #[inline(always)]
    fn branch(&mut self, target: u32) {
        self.jump(target, Leaving::Branch);
    }

    #[inline(always)]
    fn branch_exchange(&mut self, target: u32) {
        self.core.flags_mut().instruction_set = if target & 1 != 0 {
            InstructionSet::Thumb
        } else {
            InstructionSet::Arm
        };
        self.jump(target, Leaving::Branch);
    }

    fn return_from_exception(&mut self, target: u32) {
        self.restore_status();
        self.jump(target, Leaving::Return);
    }

    fn exception(&mut self, exception: Exception) {
        self.core.enter(exception, self.address);
        self.leaving = Leaving::Exception(exception);
    }

    fn status(&mut self) -> u32 {
        self.core.status().bits()
    }

    fn set_status(&mut self, value: u32, mask: u32) {
        let status = self.core.status();
        let bits = status.bits() & !mask | value & mask;
        self.core.set_status(status.with_bits(bits));
    }

    fn saved_status(&mut self) -> u32 {
        let status = self.core.saved_status();
        status.unwrap_or(self.core.status()).bits()
    }

    fn set_saved_status(&mut self, value: u32, mask: u32) {
        if let Some(status) = self.core.saved_status() {
            let bits = status.bits() & !mask | value & mask;
            self.core.set_saved_status(status.with_bits(bits));
        }
    }

    fn restore_status(&mut self) {
        if let Some(status) = self.core.saved_status() {
            self.core.set_status(status);
        }
    }

    fn privileged(&mut self) -> bool {
        self.core.status().mode != Mode::User
    }

    #[inline(always)]
    fn multiplier(&mut self, operand: u32, signed: bool) {
        self.model.multiplier(operand, signed);
        self.observer.multiplier(operand, signed);
    }

    #[inline(always)]
    fn mark(&mut self, number: u32) {
        self.bus.magic(number as u8, self.cycle);
        self.observer.magic(number as u8, self.cycle);
    }
}
