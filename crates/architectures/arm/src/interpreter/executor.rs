//! The semantics of instructions in concrete words.

use crate::{ArmSemantics, Core, Exception, InstructionSet, Mode, STACK};
use socscope_core::Observer;
use socscope_isa::{Concrete, CycleModel, Semantics};
use socscope_memory::{AccessCost, Bus, Direction, Fault, Width};

/// One instruction in execution.
pub(crate) struct Executor<'a, B, M, O> {
    pub core: &'a mut Core,
    pub bus: &'a mut B,
    pub model: &'a mut M,
    pub observer: &'a mut O,
    /// Its first cycle.
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

impl<B: Bus, M: CycleModel, O: Observer> Concrete for Executor<'_, B, M, O> {}

impl<B: Bus, M: CycleModel, O: Observer> Semantics for Executor<'_, B, M, O> {
    type Exception = Exception;

    #[inline(always)]
    fn address(&self) -> u32 {
        self.address
    }

    #[inline(always)]
    fn load(&mut self, address: u32, width: Width) -> (u32, bool) {
        let address = self.aligned(address, width);
        let when = |region, cost: &AccessCost| {
            self.cycle
                + self
                    .model
                    .transfers_at(region, cost, width, Direction::Read)
        };
        match self.bus.read(address, width, when) {
            Ok(access) => {
                let cost = self.bus.cost(access.region);
                self.model
                    .data_at(address, access.region, cost, width, Direction::Read);
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
        let when = |region, cost: &AccessCost| {
            self.cycle
                + self
                    .model
                    .transfers_at(region, cost, width, Direction::Write)
        };
        match self.bus.write(address, width, value, when) {
            Ok(region) => {
                let cost = self.bus.cost(region);
                self.model
                    .data_at(address, region, cost, width, Direction::Write);
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

    fn exception(&mut self, exception: Exception) {
        let next = self.address.wrapping_add(self.set.width().bytes());
        let stack = self.core.register(STACK);
        self.observer.interrupted(exception.number(), next, stack);
        self.core.enter(exception, self.address);
        self.leaving = Leaving::Exception(exception);
    }

    #[inline(always)]
    fn mark(&mut self, number: u32) {
        // r0, the first argument of the calling convention.
        let argument = self.core.register(0);
        self.bus.magic(number as u8, argument, self.cycle);
        self.observer.magic(number as u8, argument, self.cycle);
    }
}

impl<B: Bus, M: CycleModel, O: Observer> ArmSemantics for Executor<'_, B, M, O> {
    #[inline(always)]
    fn instruction_set(&self) -> InstructionSet {
        self.set
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
}
