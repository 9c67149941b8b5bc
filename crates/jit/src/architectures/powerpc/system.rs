//! Reservations, caches and the machine state, as far as the interpreter need not do it.

use super::adapter::{INVALIDATE, PowerPc, SEGMENT, SET_SEGMENT, TIME};
use super::services::Preparation;
use super::state::at;
use crate::code::{Expression, Flag, Word, own_memory};
use crate::frame::{Emitter, at as common};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::{LineOperation, StaticCycleModel};
use socscope_memory::Direction;
use socscope_powerpc::{CacheOperation, Class, Core, Msr};

/// What mtmsr may change while the same code goes on: interrupts, and whether one can be recovered from.
const SAME_CODE: u32 = Msr::EXTERNAL_ENABLE | Msr::RECOVERABLE;
/// What it may change so that other code goes on, which looks at it or is made for it; nobody is told of it.
const OTHER_CODE: u32 = Msr::DATA_TRANSLATION
    | Msr::FLOAT
    | Msr::FLOAT_EXCEPTIONS
    | Msr::VECTORS
    | Msr::MACHINE_CHECK_ENABLE;
/// Pages that are the same in these bits may be in one class of translation buffers' entries, on any core.
const CLASS_MASK: i64 = 0x1_f000;

impl<M: StaticCycleModel<Class>> Emitter<'_, PowerPc, M> {
    pub fn reserve_address(&mut self, address: Word) {
        self.prepare(Preparation::Reserve as u8, address);
    }

    pub fn take_reserved(&mut self, address: Word) -> Flag {
        self.prepare_conditional(Preparation::TakeReservation as u8, address)
    }

    pub fn work_on_line(&mut self, operation: CacheOperation, address: Word) {
        match operation {
            CacheOperation::Touch => {}
            CacheOperation::SetToZero => {
                self.prepare(Preparation::SetToZero as u8, address);
                let guest = self.code.value(address);
                let bus = self.reached_bus(guest);
                self.note_line(LineOperation::Establish, bus);
            }
            CacheOperation::Flush => self.touch_line(LineOperation::Flush, address),
            CacheOperation::Store => self.touch_line(LineOperation::Clean, address),
            CacheOperation::InvalidateInstructions => {
                self.touch_line(LineOperation::DiscardInstructions, address);
            }
            CacheOperation::InvalidateData => self.failed = true,
        }
    }

    fn touch_line(&mut self, operation: LineOperation, address: Word) {
        self.require_predicate();
        let bus = self.touch(address, Direction::Read);
        self.note_line(operation, bus);
    }

    /// A special register.
    pub fn read_special(&mut self, number: u32) -> Word {
        let Some(place) = Core::place_of_kept(number) else {
            return self.read_time(number);
        };
        let kept = self.load(types::I64, at::KEPT);
        let offset = 4 * place as i32;
        let builder = &mut self.code.builder;
        Word::Value(builder.ins().load(types::I32, own_memory(), kept, offset))
    }

    /// mtspr, of registers that are only kept.
    pub fn write_special(&mut self, number: u32, value: Word) {
        let place = Core::place_of_plain(number);
        let free = self.code.predicate.is_none();
        let Some(place) = place.filter(|_| free) else {
            self.failed = true;
            return;
        };
        let kept = self.load(types::I64, at::KEPT);
        let value = self.code.value(value);
        if self.facts.special_registers.contains(&number) {
            self.written = Some((number, value));
        }
        let offset = 4 * place as i32;
        let builder = &mut self.code.builder;
        builder.ins().store(own_memory(), value, kept, offset);
    }

    /// The time base or the decrementer, at the cycle at which the instruction begins.
    fn read_time(&mut self, number: u32) -> Word {
        self.tell_time(0);
        let number = self.code.constant(number);
        let value = self.call_helper(self.facts.helpers.own[TIME], &[number, number]);
        Word::Value(self.code.builder.ins().ireduce(types::I32, value))
    }

    /// mtmsr. Where other code goes on, or an interrupt is let through, the stretch ends.
    pub fn write_machine_state(&mut self, value: Word) {
        if self.code.predicate.is_some() {
            self.failed = true;
            return;
        }
        let before = self.code.load_word(at::MACHINE_STATE);
        let waiting = self.code.load_word(common::WAITING);
        let value = self.code.value(value);
        let builder = &mut self.code.builder;
        let mask = i64::from(self.facts.model.msr_mask());
        let value = builder.ins().band_imm_u(value, mask);
        let changed = builder.ins().bxor(before, value);
        let known = i64::from(SAME_CODE | OTHER_CODE);
        let beyond = builder.ins().band_imm_u(changed, !known & 0xffff_ffff);
        let stops = builder
            .ins()
            .band_imm_u(value, i64::from(Msr::POWER_MANAGEMENT));
        let beyond = builder.ins().bor(beyond, stops);
        let beyond = builder.ins().icmp_imm_s(IntCC::NotEqual, beyond, 0);
        let beyond = self.code.express(Expression::Value(beyond));
        self.leave_if(beyond);
        let builder = &mut self.code.builder;
        let enabled = builder
            .ins()
            .ushr_imm_u(value, i64::from(Msr::EXTERNAL_ENABLE.trailing_zeros()));
        let interrupt = builder.ins().band(enabled, waiting);
        let other = builder.ins().band_imm_u(changed, i64::from(OTHER_CODE));
        self.goes_elsewhere = Some(builder.ins().bor(other, interrupt));
        self.code.store_value(value, at::MACHINE_STATE);
    }

    /// mfsr and mfsrin.
    pub fn read_segment(&mut self, index: Word) -> Word {
        let index = self.code.value(index);
        let value = self.call_helper(self.facts.helpers.own[SEGMENT], &[index, index]);
        Word::Value(self.code.builder.ins().ireduce(types::I32, value))
    }

    /// mtsr and mtsrin. That of the code itself is the interpreter's: what comes next would have to be fetched anew.
    pub fn write_segment(&mut self, index: Word, value: Word) {
        let own = self.address >> 28;
        match index {
            _ if !self.facts.flavour.fetches_translated => {}
            Word::Constant(index) if index & 15 != own => {}
            Word::Constant(_) => self.failed = true,
            _ => {
                let index = self.code.value(index);
                let builder = &mut self.code.builder;
                let index = builder.ins().band_imm_u(index, 15);
                let same = builder
                    .ins()
                    .icmp_imm_u(IntCC::Equal, index, i64::from(own));
                self.leave_where(same);
            }
        }
        self.call_to_do(SET_SEGMENT, [index, value]);
    }

    /// tlbie. The entries of the code's own page are the interpreter's business: what comes next would have to be fetched anew.
    pub fn invalidate(&mut self, address: Word) {
        if self.facts.flavour.fetches_translated {
            let address = self.code.value(address);
            let builder = &mut self.code.builder;
            let class = builder.ins().band_imm_u(address, CLASS_MASK);
            let own = i64::from(self.address) & CLASS_MASK;
            let same = builder.ins().icmp_imm_u(IntCC::Equal, class, own);
            self.leave_where(same);
        }
        self.call_to_do(INVALIDATE, [address, address]);
    }

    fn leave_where(&mut self, holds: Value) {
        let holds = self.code.express(Expression::Value(holds));
        self.leave_if(holds);
    }

    /// Has a helper do it, unless the interpreter has to.
    fn call_to_do(&mut self, helper: usize, numbers: [Word; 2]) {
        self.require_predicate();
        if !self.failed {
            let numbers = numbers.map(|number| self.code.value(number));
            self.call_helper(self.facts.helpers.own[helper], &numbers);
        }
    }
}
