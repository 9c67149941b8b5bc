//! The semantics of instructions in concrete words.

use crate::mmu::Abort;
use crate::{
    Alignment, ArmSemantics, Core, CoreModel, EXCLUSIVE_BYTES, Exception, InstructionSet, Mode,
    Named, Operation, STACK, Status, control,
};
use socscope_core::{Core as _, Observer, Purpose};
use socscope_isa::{Concrete, CycleModel, LineOperation, Semantics};
use socscope_memory::{Bus, Width};

/// The mode, in a status register.
const MODE: u32 = 0x1f;

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
    pub word: u32,
    pub leaving: Leaving,
    /// The first access that was aborted.
    pub abort: Option<Abort>,
    /// Accesses have no more rights than programs.
    pub unprivileged: bool,
    /// The core waits for an interrupt.
    pub waits: bool,
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
    /// Java byte codes are never executed.
    fn take_status(&mut self, status: Status) {
        self.core.set_status(Status {
            java: false,
            ..status
        });
        self.tell_state();
    }

    /// The mode, or system control, may be another one: of cores that have pages of programs and of kernels, an observer wants to know.
    #[inline]
    fn tell_state(&mut self) {
        if self.core.model().has_system_control() {
            self.observer.execution_state(self.core.execution_state());
        }
    }

    /// What a line operation does to caches is the timing model's business; one whose address has no translation aborts from version 6 on.
    fn on_line(&mut self, operation: LineOperation, address: u32) {
        match self.core.translate_line(self.bus, address) {
            Ok(physical) => {
                let region = self.bus.region(physical);
                self.model.line_operation(operation, physical, region);
            }
            Err(fault) => self.abort = self.core.line_abort(operation, fault),
        }
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
        match self.read(address, width) {
            Some(value) => (value, true),
            None => (0, false),
        }
    }

    #[inline(always)]
    fn store(&mut self, address: u32, width: Width, value: u32) -> bool {
        self.write(address, width, value).is_some()
    }

    #[inline(always)]
    fn branch(&mut self, target: u32) {
        self.jump(target, Leaving::Branch);
    }

    fn exception(&mut self, exception: Exception) {
        // A breakpoint is an abort of its own fetch: it is what comes next again.
        let next = match exception {
            Exception::PrefetchAbort => self.address,
            _ => self.address.wrapping_add(self.set.width().bytes()),
        };
        let stack = self.core.register(STACK);
        self.observer.interrupted(exception.number(), next, stack);
        if exception == Exception::PrefetchAbort {
            self.core.take_breakpoint(self.address);
        }
        self.core.enter(exception, self.address);
        self.tell_state();
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
    fn model(&self) -> CoreModel {
        self.core.model()
    }

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

    #[inline(always)]
    fn saturate(&mut self, saturated: bool) {
        self.core.flags_mut().saturated |= saturated;
    }

    #[inline(always)]
    fn greater_equal(&mut self) -> u32 {
        u32::from(self.core.status().greater_equal)
    }

    #[inline(always)]
    fn set_greater_equal(&mut self, value: u32) {
        self.core.flags_mut().greater_equal = (value & 15) as u8;
    }

    #[inline(always)]
    fn is_unaligned(&mut self) -> bool {
        self.core.control.has(control::UNALIGNED)
    }

    #[inline(always)]
    fn is_aligned(&mut self, address: u32, alignment: Alignment) -> bool {
        self.check_alignment(address, alignment)
    }

    fn mark_exclusive(&mut self, address: u32) {
        let physical = self.translated(address, Purpose::Read);
        self.core.exclusive = physical.map(|address| address & !(EXCLUSIVE_BYTES - 1));
    }

    /// The mark stays if the store cannot be made at all.
    fn take_exclusive(&mut self, address: u32) -> bool {
        let Some(physical) = self.translated(address, Purpose::Write) else {
            return true;
        };
        self.core.exclusive.take() == Some(physical & !(EXCLUSIVE_BYTES - 1))
    }

    fn clear_exclusive(&mut self) {
        self.core.exclusive = None;
    }

    fn stack_of(&mut self, mode: Mode) -> u32 {
        self.core.register_of(mode, STACK)
    }

    fn set_stack_of(&mut self, mode: Mode, value: u32) {
        self.core.set_register_of(mode, STACK, value);
    }

    fn return_with(&mut self, target: u32, status: u32) {
        let (model, before) = (self.core.model(), self.core.status());
        self.take_status(before.with_bits_of(model, status));
        self.jump(target, Leaving::Return);
    }

    fn status(&mut self) -> u32 {
        self.core.status().bits()
    }

    fn set_status(&mut self, value: u32, mask: u32) {
        let status = self.core.status();
        let bits = status.bits() & !mask | value & mask;
        self.core
            .set_status(status.with_bits_of(self.core.model(), bits));
        if mask & MODE != 0 {
            self.tell_state();
        }
    }

    fn saved_status(&mut self) -> u32 {
        let status = self.core.saved_status();
        status.unwrap_or(self.core.status()).bits()
    }

    fn set_saved_status(&mut self, value: u32, mask: u32) {
        if let Some(status) = self.core.saved_status() {
            let bits = status.bits() & !mask | value & mask;
            self.core
                .set_saved_status(status.with_bits_of(self.core.model(), bits));
        }
    }

    fn restore_status(&mut self) {
        if let Some(status) = self.core.saved_status() {
            self.take_status(status);
        }
    }

    fn set_unprivileged(&mut self, on: bool) {
        self.unprivileged = on;
    }

    fn read_system_control(&mut self, named: Named) -> u32 {
        let lines = u32::from(self.bus.irq()) << 7 | u32::from(self.bus.fiq()) << 6;
        self.core.read_system_control(named, lines)
    }

    fn write_system_control(&mut self, named: Named, value: u32) {
        match self.core.write_system_control(named, value) {
            Operation::WaitForInterrupt => self.waits = true,
            Operation::Line(operation) => self.on_line(operation, value),
            Operation::Forget(..) | Operation::Nothing => {}
        }
        self.tell_state();
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
