//! The semantics of instructions with values of the compiler.

use super::adapter::PowerPc;
use super::exceptions::Change;
use super::float::Work;
use super::state::{COUNT, LINK, at};
use crate::code::{Expression, Flag, Word, own_memory};
use crate::frame::Emitter;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::{StaticCycleModel, Values};
use socscope_powerpc::{
    Barrier, CacheOperation, Class, CoreModel, PowerPcSemantics, TlbOperation, float, vector,
};

impl<M: StaticCycleModel<Class>> PowerPcSemantics for Emitter<'_, PowerPc, M> {
    type Double = Value;
    type Vector = Value;

    fn model(&self) -> CoreModel {
        self.facts.model
    }

    fn register(&mut self, index: u32) -> Word {
        self.register_word(index & 31)
    }
    fn set_register(&mut self, index: u32, value: Word) {
        self.write_word(index & 31, value);
    }
    fn condition(&mut self, bit: u32) -> Flag {
        self.condition_bit(bit)
    }
    fn set_condition(&mut self, bit: u32, value: Flag) {
        let value = self.selected(value, |s| s.condition_bit(bit));
        self.write_condition_bit(bit, value);
    }
    fn condition_register(&mut self) -> Word {
        self.condition_word()
    }
    fn summary_overflow(&mut self) -> Flag {
        Flag::Constant(self.facts.flavour.summary_overflow)
    }
    fn set_summary_overflow(&mut self, value: Flag) {
        let known = self.facts.flavour.summary_overflow;
        let same = value == Flag::Constant(known);
        let unset = !known && self.is_excluded(value);
        if same || unset {
            return;
        }
        // The code is made for what it was.
        match self.code.predicate {
            Some(_) => self.beyond(),
            None if known => {
                let other = self.flag_not(value);
                self.leave_if(other);
            }
            None => self.leave_if(value),
        }
    }
    fn overflow(&mut self) -> Flag {
        let value = self.load(types::I8, at::OVERFLOW);
        self.code.express(Expression::Value(value))
    }
    fn set_overflow(&mut self, value: Flag) {
        // An overflow changes SO too, which the code is made for.
        self.leave_if(value);
        // The interpreter, to which an instruction without translation is left, needs what was there.
        if !self.failed {
            let clear = self.code.builder.ins().iconst(types::I8, 0);
            self.code.store_value(clear, at::OVERFLOW);
        }
    }
    fn carry(&mut self) -> Flag {
        self.carry_flag()
    }
    fn set_carry(&mut self, value: Flag) {
        let value = self.selected(value, Self::carry_flag);
        self.write_carry(value);
    }
    fn string_bytes(&mut self) -> Word {
        let value = self.load(types::I8, at::STRING_BYTES);
        Word::Value(self.code.builder.ins().uextend(types::I32, value))
    }
    fn set_string_bytes(&mut self, value: Word) {
        if self.code.predicate.is_some() {
            return self.beyond();
        }
        let value = self.code.value(value);
        let builder = &mut self.code.builder;
        let bytes = builder.ins().band_imm_u(value, 0x7f);
        let bytes = builder.ins().ireduce(types::I8, bytes);
        self.code.store_value(bytes, at::STRING_BYTES);
    }
    fn link(&mut self) -> Word {
        self.register_word(LINK)
    }
    fn set_link(&mut self, value: Word) {
        self.write_word(LINK, value);
    }
    fn count(&mut self) -> Word {
        self.register_word(COUNT)
    }
    fn set_count(&mut self, value: Word) {
        self.write_word(COUNT, value);
    }

    fn divide(&mut self, a: Word, b: Word, signed: bool) -> Word {
        self.code.binary(a, b, |ins, a, b| match signed {
            true => ins.sdiv(a, b),
            false => ins.udiv(a, b),
        })
    }
    fn leading_zeros(&mut self, a: Word) -> Word {
        let a = self.code.value(a);
        Word::Value(self.code.builder.ins().clz(a))
    }

    fn misaligned(&mut self, _address: Word) {
        self.raise();
    }
    fn data_storage(&mut self, _address: Word, _status: u32) {
        self.raise();
    }
    fn reserve(&mut self, address: Word) {
        self.reserve_address(address);
    }
    fn take_reservation(&mut self, address: Word) -> Flag {
        self.take_reserved(address)
    }

    fn problem_state(&mut self) -> Flag {
        Flag::Constant(self.facts.flavour.problem)
    }
    fn machine_state(&mut self) -> Word {
        Word::Value(self.code.load_word(at::MACHINE_STATE))
    }
    fn set_machine_state(&mut self, value: Word) {
        self.write_machine_state(value);
    }
    fn return_from_interrupt(&mut self) {
        self.change(Change::Return);
    }
    fn special(&mut self, number: u32) -> Word {
        self.read_special(number)
    }
    fn set_special(&mut self, number: u32, value: Word) {
        self.write_special(number, value);
    }
    fn segment(&mut self, index: Word) -> Word {
        self.read_segment(index)
    }
    fn set_segment(&mut self, index: Word, value: Word) {
        self.write_segment(index, value);
    }

    fn cache(&mut self, operation: CacheOperation, address: Word) {
        self.work_on_line(operation, address);
    }
    fn translation_buffer(&mut self, operation: TlbOperation, address: Word) {
        match operation {
            TlbOperation::Invalidate => self.invalidate(address),
            TlbOperation::Synchronize => {}
            TlbOperation::LoadData | TlbOperation::LoadInstruction => self.beyond(),
        }
    }
    fn barrier(&mut self, _barrier: Barrier) {}

    fn float_available(&mut self) -> Flag {
        Flag::Constant(self.facts.flavour.float)
    }
    fn float_register(&mut self, index: u32) -> Value {
        self.read_float(index & 31)
    }
    fn set_float_register(&mut self, index: u32, value: Value) {
        self.write_float(index & 31, value);
    }
    fn double(&mut self, high: Word, low: Word) -> Value {
        let (high, low) = (self.code.value(high), self.code.value(low));
        let builder = &mut self.code.builder;
        let high = builder.ins().uextend(types::I64, high);
        let low = builder.ins().uextend(types::I64, low);
        let high = builder.ins().ishl_imm_u(high, 32);
        builder.ins().bor(high, low)
    }
    fn double_words(&mut self, value: Value) -> (Word, Word) {
        self.words_of(value)
    }
    fn float_arithmetic(
        &mut self,
        operation: float::Operation,
        operands: [Value; 3],
    ) -> (Value, Flag) {
        let value = self.call_float(Work::Compute(operation), operands);
        let written = self.load(types::I8, at::FLOAT_WRITTEN);
        let written = self.code.express(Expression::Value(written));
        (value, written)
    }
    fn float_compare(&mut self, ordered: bool, a: Value, b: Value) -> Word {
        let result = self.call_float(Work::Compare(ordered), [a, b, b]);
        Word::Value(self.code.builder.ins().ireduce(types::I32, result))
    }
    fn double_from_single(&mut self, single: Word) -> Value {
        let single = self.code.value(single);
        let single = self.code.builder.ins().uextend(types::I64, single);
        self.call_float(Work::FromSingle, [single; 3])
    }
    fn single_from_double(&mut self, double: Value) -> Word {
        let result = self.call_float(Work::ToSingle, [double; 3]);
        Word::Value(self.code.builder.ins().ireduce(types::I32, result))
    }
    fn float_status(&mut self) -> Word {
        let place = self.load(types::I64, at::FLOAT_STATUS);
        let builder = &mut self.code.builder;
        Word::Value(builder.ins().load(types::I32, own_memory(), place, 0))
    }
    fn set_float_status(&mut self, value: Word) {
        let value = self.code.value(value);
        let value = self.code.builder.ins().uextend(types::I64, value);
        self.call_float(Work::SetStatus, [value; 3]);
    }

    fn vector_available(&mut self) -> Flag {
        self.require_vectors()
    }
    fn vector_register(&mut self, index: u32) -> Value {
        self.read_vector(index & 31)
    }
    fn set_vector_register(&mut self, index: u32, value: Value) {
        self.write_vector(index & 31, value);
    }
    fn vector(&mut self, words: [Word; 4]) -> Value {
        self.vector_of(words)
    }
    fn vector_words(&mut self, value: Value) -> [Word; 4] {
        self.words_of_vector(value)
    }
    fn vector_arithmetic(&mut self, operation: vector::Operation, operands: [Value; 3]) -> Value {
        self.compute_vector(operation, operands)
    }
    fn vector_status(&mut self) -> Word {
        Word::Value(self.vector_status_value())
    }
    fn set_vector_status(&mut self, value: Word) {
        let value = self.code.value(value);
        self.write_vector_status(value);
    }
}
