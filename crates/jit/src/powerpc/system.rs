//! Reservations, caches and the machine state, as far as the interpreter need not do it.

use super::adapter::{PREPARE, PowerPc, TIME};
use super::prepare::{self, Preparation};
use super::state::at;
use crate::code::{Expression, Flag, Word, own_memory};
use crate::frame::{Emitter, Flavour, at as common};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::{LineOperation, StaticCycleModel};
use socscope_memory::Direction;
use socscope_powerpc::{CacheOperation, Class, Core, Msr};

/// What mtmsr may change without the interpreter: interrupts, and whether one can be recovered from.
const CHANGED_MASK: u32 = Msr::EXTERNAL_ENABLE | Msr::RECOVERABLE;

impl<M: StaticCycleModel<Class>> Emitter<'_, PowerPc, M> {
    /// Looks at an address before the instruction does something with it; what the helper says, after the instruction was left if it cannot be done.
    fn prepare(&mut self, preparation: Preparation, address: Word) -> Value {
        self.require_predicate();
        let guest = self.code.value(address);
        let table = self.facts.flavour.data_table() as u32;
        let how = self.code.constant(table << 8 | preparation as u32);
        let result = self.call_helper(self.facts.helpers.own[PREPARE], &[guest, how]);
        let builder = &mut self.code.builder;
        let impossible = builder
            .ins()
            .icmp_imm_s(IntCC::Equal, result, prepare::IMPOSSIBLE as i64);
        let impossible = self.code.express(Expression::Value(impossible));
        self.leave_if(impossible);
        result
    }

    pub fn reserve_address(&mut self, address: Word) {
        self.prepare(Preparation::Reserve, address);
    }

    pub fn take_reserved(&mut self, address: Word) -> Flag {
        let result = self.prepare(Preparation::TakeReservation, address);
        self.prepared = true;
        let builder = &mut self.code.builder;
        let held = builder
            .ins()
            .icmp_imm_s(IntCC::Equal, result, prepare::DONE as i64);
        self.code.express(Expression::Value(held))
    }

    pub fn work_on_line(&mut self, operation: CacheOperation, address: Word) {
        match operation {
            CacheOperation::Touch => {}
            CacheOperation::SetToZero => {
                self.prepare(Preparation::SetToZero, address);
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

    /// mtmsr: what changes more than interrupts, or lets one through, is the interpreter's.
    pub fn write_machine_state(&mut self, value: Word) {
        let before = self.code.load_word(at::MACHINE_STATE);
        let waiting = self.code.load_word(common::WAITING);
        let value = self.code.value(value);
        let builder = &mut self.code.builder;
        let mask = i64::from(self.facts.model.msr_mask());
        let value = builder.ins().band_imm_u(value, mask);
        let changed = builder.ins().bxor(before, value);
        let changed = builder.ins().band_imm_u(changed, i64::from(!CHANGED_MASK));
        let stops = builder
            .ins()
            .band_imm_u(value, i64::from(Msr::POWER_MANAGEMENT));
        let enabled = builder
            .ins()
            .ushr_imm_u(value, i64::from(Msr::EXTERNAL_ENABLE.trailing_zeros()));
        let interrupt = builder.ins().band(enabled, waiting);
        let beyond = builder.ins().bor(changed, stops);
        let beyond = builder.ins().bor(beyond, interrupt);
        let beyond = builder.ins().icmp_imm_s(IntCC::NotEqual, beyond, 0);
        let beyond = self.code.express(Expression::Value(beyond));
        self.leave_if(beyond);
        self.code.store_value(value, at::MACHINE_STATE);
    }
}
