//! PowerPC's own words in this reading: registers, status, floating point and vectors.

use super::slot;
use crate::{Barrier, CacheOperation, CoreModel, PowerPcSemantics, TlbOperation, float, vector};
use socscope_isa::{FootprintReading, Known, Leave, Slots};

impl PowerPcSemantics for FootprintReading<CoreModel> {
    type Double = Known;
    type Vector = Known;

    fn model(&self) -> CoreModel {
        self.core
    }

    fn register(&mut self, index: u32) -> Known {
        self.read(slot::GENERAL + index)
    }
    fn set_register(&mut self, index: u32, value: Known) {
        self.write(slot::GENERAL + index, value);
    }
    fn condition(&mut self, bit: u32) -> Option<bool> {
        self.read_flag(slot::CONDITION + bit)
    }
    fn set_condition(&mut self, bit: u32, _value: Option<bool>) {
        self.writes(slot::CONDITION + bit);
    }
    fn condition_register(&mut self) -> Known {
        self.reads(Slots::range(slot::CONDITION, 32))
    }
    fn summary_overflow(&mut self) -> Option<bool> {
        self.read_flag(slot::SUMMARY_OVERFLOW)
    }
    fn set_summary_overflow(&mut self, _value: Option<bool>) {
        self.writes(slot::SUMMARY_OVERFLOW);
    }
    fn overflow(&mut self) -> Option<bool> {
        self.read_flag(slot::OVERFLOW)
    }
    fn set_overflow(&mut self, _value: Option<bool>) {
        self.writes(slot::OVERFLOW);
    }
    fn carry(&mut self) -> Option<bool> {
        self.read_flag(slot::CARRY)
    }
    fn set_carry(&mut self, _value: Option<bool>) {
        self.writes(slot::CARRY);
    }
    fn string_bytes(&mut self) -> Known {
        self.read(slot::STRING_BYTES)
    }
    fn set_string_bytes(&mut self, value: Known) {
        self.write(slot::STRING_BYTES, value);
    }
    fn link(&mut self) -> Known {
        self.read(slot::LINK)
    }
    fn set_link(&mut self, value: Known) {
        self.write(slot::LINK, value);
    }
    fn count(&mut self) -> Known {
        self.read(slot::COUNT)
    }
    fn set_count(&mut self, value: Known) {
        self.write(slot::COUNT, value);
    }

    fn divide(&mut self, a: Known, b: Known, _signed: bool) -> Known {
        a.mixed(b)
    }
    fn leading_zeros(&mut self, a: Known) -> Known {
        a.computed(Known::Constant(0), |a, _| a.leading_zeros())
    }

    fn misaligned(&mut self, _address: Known) {
        self.fault();
    }
    fn data_storage(&mut self, _address: Known, _status: u32) {
        self.fault();
    }
    fn reserve(&mut self, _address: Known) {
        self.writes(slot::RESERVATION);
    }
    fn take_reservation(&mut self, _address: Known) -> Option<bool> {
        self.writes(slot::RESERVATION);
        self.read_flag(slot::RESERVATION)
    }

    fn problem_state(&mut self) -> Option<bool> {
        self.read_flag(slot::MACHINE_STATE)
    }
    fn machine_state(&mut self) -> Known {
        self.read(slot::MACHINE_STATE)
    }
    fn set_machine_state(&mut self, value: Known) {
        self.write(slot::MACHINE_STATE, value);
        self.writes(slot::SYSTEM);
    }
    fn return_from_interrupt(&mut self) {
        self.read(slot::MACHINE_STATE);
        self.read(slot::SYSTEM);
        self.writes(slot::MACHINE_STATE);
        self.leave(Leave::Return);
        // Without privilege it is an exception, and leaves too.
        self.found.goes_on = false;
    }
    fn special(&mut self, _number: u32) -> Known {
        self.reads(Slots::one(slot::SYSTEM))
    }
    fn set_special(&mut self, _number: u32, _value: Known) {
        self.writes(slot::SYSTEM);
    }
    fn segment(&mut self, _index: Known) -> Known {
        self.reads(Slots::one(slot::SYSTEM))
    }
    fn set_segment(&mut self, _index: Known, _value: Known) {
        self.writes(slot::SYSTEM);
    }

    fn cache(&mut self, operation: CacheOperation, _address: Known) {
        if operation != CacheOperation::Touch {
            self.read(slot::SYSTEM);
            self.fault();
        }
    }
    fn translation_buffer(&mut self, _operation: TlbOperation, _address: Known) {
        self.read(slot::SYSTEM);
        self.writes(slot::SYSTEM);
    }
    fn barrier(&mut self, _barrier: Barrier) {}

    fn float_available(&mut self) -> Option<bool> {
        self.read_flag(slot::MACHINE_STATE)
    }
    fn float_register(&mut self, index: u32) -> Known {
        self.read(slot::FLOAT + index)
    }
    fn set_float_register(&mut self, index: u32, _value: Known) {
        self.writes(slot::FLOAT + index);
    }
    fn double(&mut self, high: Known, low: Known) -> Known {
        high.mixed(low)
    }
    fn double_words(&mut self, value: Known) -> (Known, Known) {
        let half = Known::Mixed(value.slots());
        (half, half)
    }
    fn float_arithmetic(
        &mut self,
        _operation: float::Operation,
        [a, b, c]: [Known; 3],
    ) -> (Known, Option<bool>) {
        let status = self.float_status();
        self.set_float_status(status);
        (a.mixed(b).mixed(c).mixed(status), None)
    }
    fn float_compare(&mut self, _ordered: bool, a: Known, b: Known) -> Known {
        let status = self.float_status();
        self.set_float_status(status);
        a.mixed(b)
    }
    fn double_from_single(&mut self, single: Known) -> Known {
        Known::Mixed(single.slots())
    }
    fn single_from_double(&mut self, double: Known) -> Known {
        Known::Mixed(double.slots())
    }
    fn float_status(&mut self) -> Known {
        self.read(slot::FLOAT_STATUS)
    }
    fn set_float_status(&mut self, _value: Known) {
        self.writes(slot::FLOAT_STATUS);
        self.fault();
    }

    fn vector_available(&mut self) -> Option<bool> {
        self.read_flag(slot::MACHINE_STATE)
    }
    fn vector_register(&mut self, index: u32) -> Known {
        self.read(slot::VECTOR + index)
    }
    fn set_vector_register(&mut self, index: u32, _value: Known) {
        self.writes(slot::VECTOR + index);
    }
    fn vector(&mut self, [a, b, c, d]: [Known; 4]) -> Known {
        a.mixed(b).mixed(c).mixed(d)
    }
    fn vector_words(&mut self, value: Known) -> [Known; 4] {
        [Known::Mixed(value.slots()); 4]
    }
    fn vector_arithmetic(&mut self, _operation: vector::Operation, [a, b, c]: [Known; 3]) -> Known {
        let status = self.vector_status();
        self.set_vector_status(status);
        a.mixed(b).mixed(c)
    }
    fn vector_status(&mut self) -> Known {
        self.read(slot::VECTOR_STATUS)
    }
    fn set_vector_status(&mut self, _value: Known) {
        self.writes(slot::VECTOR_STATUS);
    }
}
