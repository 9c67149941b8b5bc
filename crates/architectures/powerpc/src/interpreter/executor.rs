//! The semantics of PowerPC instructions in concrete words.

use crate::facts::ARGUMENT;
use crate::{
    Barrier, CacheOperation, Class, Core, CoreModel, Exception, Msr, PowerPcSemantics,
    ProgramCause, RESERVATION_BYTES, SRR0, SRR1, TlbOperation, Translate, alignment_status, float,
    special_translation_bits, vector,
};
use socscope_core::{Observer, Purpose};
use socscope_isa::{Concrete, CycleModel, LineOperation, Semantics};
use socscope_memory::{Bus, Width};

/// One instruction in execution.
pub(super) struct Executor<'a, B, T, M, O> {
    pub core: &'a mut Core,
    pub bus: &'a mut B,
    pub translation: &'a mut T,
    pub model: &'a mut M,
    pub observer: &'a mut O,
    /// Its first cycle.
    pub cycle: u64,
    pub address: u32,
    pub word: u32,
    pub leaving: Leaving,
    /// The link register was written; by a branch, that makes it a call.
    pub linked: bool,
    /// The first exception, which is taken after the instruction.
    pub exception: Option<Exception>,
}

/// How the instruction leaves; the target is then the core's program counter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    Falling,
    Branch,
    Return,
}

impl<B, T, M, O> Executor<'_, B, T, M, O> {
    pub(super) fn raise(&mut self, exception: Exception) {
        self.exception.get_or_insert(exception);
    }
}

impl<B, T, M, O> Concrete for Executor<'_, B, T, M, O> {}

impl<B: Bus, T: Translate, M: CycleModel<Class>, O: Observer> Semantics
    for Executor<'_, B, T, M, O>
{
    type Exception = Exception;

    #[inline(always)]
    fn address(&self) -> u32 {
        self.address
    }

    #[inline(always)]
    fn load(&mut self, address: u32, width: Width) -> (u32, bool) {
        let value = self.read(address, width);
        (value.unwrap_or(0), value.is_some())
    }

    #[inline(always)]
    fn store(&mut self, address: u32, width: Width, value: u32) -> bool {
        self.write(address, width, value).is_some()
    }

    #[inline(always)]
    fn branch(&mut self, target: u32) {
        self.core.set_program_counter(target);
        self.leaving = Leaving::Branch;
    }

    #[cold]
    fn exception(&mut self, exception: Exception) {
        self.raise(exception);
    }

    #[inline(always)]
    fn mark(&mut self, number: u32) {
        let argument = self.core.register(ARGUMENT);
        self.bus.magic(number as u8, argument, self.cycle);
        self.observer.magic(number as u8, argument, self.cycle);
    }
}

impl<B: Bus, T: Translate, M: CycleModel<Class>, O: Observer> PowerPcSemantics
    for Executor<'_, B, T, M, O>
{
    type Double = u64;
    type Vector = u128;

    #[inline(always)]
    fn model(&self) -> CoreModel {
        self.core.model()
    }

    #[inline(always)]
    fn register(&mut self, index: u32) -> u32 {
        self.core.register(index)
    }

    #[inline(always)]
    fn set_register(&mut self, index: u32, value: u32) {
        self.core.set_register(index, value);
    }

    #[inline(always)]
    fn condition(&mut self, bit: u32) -> bool {
        self.core.condition_bit(bit)
    }

    #[inline(always)]
    fn set_condition(&mut self, bit: u32, value: bool) {
        self.core.set_condition_bit(bit, value);
    }

    fn condition_register(&mut self) -> u32 {
        self.core.condition
    }

    #[inline(always)]
    fn summary_overflow(&mut self) -> bool {
        self.core.xer.summary_overflow
    }

    #[inline(always)]
    fn set_summary_overflow(&mut self, value: bool) {
        self.core.xer.summary_overflow = value;
    }

    #[inline(always)]
    fn overflow(&mut self) -> bool {
        self.core.xer.overflow
    }

    #[inline(always)]
    fn set_overflow(&mut self, value: bool) {
        self.core.xer.overflow = value;
    }

    #[inline(always)]
    fn carry(&mut self) -> bool {
        self.core.xer.carry
    }

    #[inline(always)]
    fn set_carry(&mut self, value: bool) {
        self.core.xer.carry = value;
    }

    fn string_bytes(&mut self) -> u32 {
        u32::from(self.core.xer.bytes)
    }

    fn set_string_bytes(&mut self, value: u32) {
        self.core.xer.bytes = value as u8 & 0x7f;
    }

    #[inline(always)]
    fn link(&mut self) -> u32 {
        self.core.link
    }

    #[inline(always)]
    fn set_link(&mut self, value: u32) {
        self.core.link = value;
        self.linked = true;
    }

    #[inline(always)]
    fn count(&mut self) -> u32 {
        self.core.count
    }

    #[inline(always)]
    fn set_count(&mut self, value: u32) {
        self.core.count = value;
    }

    #[inline(always)]
    fn divide(&mut self, a: u32, b: u32, signed: bool) -> u32 {
        if signed {
            (a as i32).wrapping_div(b as i32) as u32
        } else {
            a / b
        }
    }

    #[inline(always)]
    fn leading_zeros(&mut self, a: u32) -> u32 {
        a.leading_zeros()
    }

    #[cold]
    fn misaligned(&mut self, address: u32) {
        let status = alignment_status(self.word);
        self.raise(Exception::Alignment { address, status });
    }

    #[cold]
    fn data_storage(&mut self, address: u32, status: u32) {
        self.raise(Exception::DataStorage { address, status });
    }

    fn reserve(&mut self, address: u32) {
        let physical = self.reservable(address, Purpose::Read);
        self.core.reservation = physical.map(|address| address & !(RESERVATION_BYTES - 1));
    }

    /// The reservation stays if the store cannot be made at all.
    fn take_reservation(&mut self, address: u32) -> bool {
        let Some(physical) = self.reservable(address, Purpose::Write) else {
            return false;
        };
        let granule = physical & !(RESERVATION_BYTES - 1);
        self.core.reservation.take() == Some(granule)
    }

    fn problem_state(&mut self) -> bool {
        self.core.msr().has(Msr::PROBLEM)
    }

    fn machine_state(&mut self) -> u32 {
        self.core.msr().0
    }

    fn set_machine_state(&mut self, value: u32) {
        self.core.set_msr(Msr(value));
        self.observer
            .execution_state(self.core.msr().execution_state());
        self.core.stop_if_asked();
    }

    fn return_from_interrupt(&mut self) {
        let kept = self.core.msr().0 & !Msr::SAVED & !Msr::POWER_MANAGEMENT;
        let restored = self.core.special(SRR1) & Msr::SAVED;
        self.core.set_msr(Msr(kept | restored));
        self.observer
            .execution_state(self.core.msr().execution_state());
        let target = self.core.special(SRR0);
        self.core.set_program_counter(target);
        self.leaving = Leaving::Return;
    }

    fn special(&mut self, number: u32) -> u32 {
        self.core.special_at(number, self.cycle)
    }

    fn set_special(&mut self, number: u32, value: u32) {
        let bits = special_translation_bits(number);
        let before = if bits != 0 {
            self.core.special(number)
        } else {
            0
        };
        self.core.set_special_at(number, value, self.cycle);
        if bits != 0 && (self.core.special(number) ^ before) & bits != 0 {
            self.translation.registers_changed();
        }
        self.observer.special_written(number, value);
    }

    fn segment(&mut self, index: u32) -> u32 {
        self.core.segment(index)
    }

    fn set_segment(&mut self, index: u32, value: u32) {
        self.translation.set_segment(self.core, index, value);
    }

    fn cache(&mut self, operation: CacheOperation, address: u32) {
        let purpose = match operation {
            CacheOperation::Touch => return,
            CacheOperation::InvalidateData | CacheOperation::SetToZero => Purpose::Write,
            _ => Purpose::Read,
        };
        let Some(physical) = self.translated(address, purpose) else {
            return;
        };
        if operation == CacheOperation::SetToZero && !self.is_cached(address) {
            return self.misaligned(address);
        }
        let on_line = match operation {
            CacheOperation::Flush => LineOperation::Flush,
            CacheOperation::Store => LineOperation::Clean,
            CacheOperation::InvalidateData => LineOperation::Discard,
            CacheOperation::InvalidateInstructions => LineOperation::DiscardInstructions,
            CacheOperation::SetToZero => LineOperation::Establish,
            CacheOperation::Touch => return,
        };
        let region = self.bus.region(physical);
        self.model.line_operation(on_line, physical, region);
    }

    fn translation_buffer(&mut self, operation: TlbOperation, address: u32) {
        self.translation.maintain(self.core, operation, address);
    }

    fn barrier(&mut self, _barrier: Barrier) {}

    #[inline(always)]
    fn float_available(&mut self) -> bool {
        self.core.msr().has(Msr::FLOAT)
    }

    #[inline(always)]
    fn float_register(&mut self, index: u32) -> u64 {
        self.core.float[(index & 31) as usize]
    }

    #[inline(always)]
    fn set_float_register(&mut self, index: u32, value: u64) {
        self.core.float[(index & 31) as usize] = value;
    }

    #[inline(always)]
    fn double(&mut self, high: u32, low: u32) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }

    #[inline(always)]
    fn double_words(&mut self, value: u64) -> (u32, u32) {
        ((value >> 32) as u32, value as u32)
    }

    fn float_arithmetic(&mut self, operation: float::Operation, operands: [u64; 3]) -> (u64, bool) {
        let unit = self.core.model().float_unit();
        let computed = float::compute(operation, operands, self.core.float_status, unit);
        self.set_float_status(computed.status);
        (computed.value, computed.written)
    }

    fn float_compare(&mut self, ordered: bool, a: u64, b: u64) -> u32 {
        let (condition, status) = float::compare(ordered, a, b, self.core.float_status);
        self.set_float_status(status);
        condition
    }

    fn double_from_single(&mut self, single: u32) -> u64 {
        float::double_from_single(single)
    }

    fn single_from_double(&mut self, double: u64) -> u32 {
        float::single_from_double(double)
    }

    fn float_status(&mut self) -> u32 {
        self.core.float_status
    }

    fn set_float_status(&mut self, value: u32) {
        let status = float::status::summarised(value);
        self.core.float_status = status;
        let enabled = status & float::status::ENABLED_EXCEPTION != 0;
        if enabled && self.core.msr().has(Msr::FLOAT_EXCEPTIONS) {
            self.raise(Exception::Program(ProgramCause::Float));
        }
    }

    fn vector_available(&mut self) -> bool {
        self.core.msr().has(Msr::VECTORS)
    }

    fn vector_register(&mut self, index: u32) -> u128 {
        self.core.vector[(index & 31) as usize]
    }

    fn set_vector_register(&mut self, index: u32, value: u128) {
        self.core.vector[(index & 31) as usize] = value;
    }

    fn vector(&mut self, words: [u32; 4]) -> u128 {
        words
            .into_iter()
            .fold(0, |value, word| value << 32 | u128::from(word))
    }

    fn vector_words(&mut self, value: u128) -> [u32; 4] {
        [96, 64, 32, 0].map(|place| (value >> place) as u32)
    }

    fn vector_arithmetic(&mut self, operation: vector::Operation, operands: [u128; 3]) -> u128 {
        let [a, b, c] = operands;
        let computed = vector::compute(operation, a, b, c, self.core.vector_status);
        self.core.vector_status |= u32::from(computed.saturated) * vector::SATURATED;
        computed.value
    }

    fn vector_status(&mut self) -> u32 {
        self.core.vector_status
    }

    fn set_vector_status(&mut self, value: u32) {
        self.core.vector_status = value;
    }
}
