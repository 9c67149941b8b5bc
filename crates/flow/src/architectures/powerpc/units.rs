//! PowerPC's own words in this reading. Units that a program uses are taken to be switched on, and accesses to be aligned and answered:
//! others are errors of the program, which runs report.

use super::{COUNT, LINK, PowerPc, SAVED_ADDRESS};
use crate::architecture::Architecture;
use crate::range::Range;
use crate::reading::{FlowReading, LeaveKind, Truth, Word};
use crate::value::Value;
use socscope_powerpc::{
    Barrier, CacheOperation, CoreModel, Msr, PowerPcSemantics, SRR0, SRR1, TlbOperation, float,
    vector,
};

const SUMMARY_OVERFLOW: usize = 0;
const OVERFLOW: usize = 1;
const CARRY: usize = 2;

impl FlowReading<'_, PowerPc> {
    /// A word of a unit that is not followed: addresses on stacks may have gone through it.
    fn unknown(&mut self) -> Word {
        let local = self.state.escaped || self.state.spilled;
        self.put(Value::unknown().made_from(local))
    }

    fn slot_word(&mut self, slot: usize) -> Word {
        let value = self.state.words[slot].clone();
        self.read(slot as u32, value)
    }
}

impl PowerPcSemantics for FlowReading<'_, PowerPc> {
    type Double = ();
    type Vector = ();

    fn model(&self) -> CoreModel {
        super::MODEL
    }

    fn register(&mut self, index: u32) -> Word {
        self.slot_word(PowerPc::slot(&self.state.status, index))
    }
    fn set_register(&mut self, index: u32, value: Word) {
        self.state.status.as_found &= !(1 << index);
        self.write(index as usize, value);
    }
    fn condition(&mut self, bit: u32) -> Truth {
        self.condition_bit(bit)
    }
    fn set_condition(&mut self, bit: u32, value: Truth) {
        self.notes.bits[bit as usize] = Some(value);
    }
    fn condition_register(&mut self) -> Word {
        self.put(Value::unknown())
    }
    fn summary_overflow(&mut self) -> Truth {
        self.xer_bit(SUMMARY_OVERFLOW)
    }
    fn set_summary_overflow(&mut self, value: Truth) {
        self.notes.xer[SUMMARY_OVERFLOW] = Some(value);
    }
    fn overflow(&mut self) -> Truth {
        self.xer_bit(OVERFLOW)
    }
    fn set_overflow(&mut self, value: Truth) {
        self.notes.xer[OVERFLOW] = Some(value);
    }
    fn carry(&mut self) -> Truth {
        self.xer_bit(CARRY)
    }
    fn set_carry(&mut self, value: Truth) {
        self.notes.xer[CARRY] = Some(value);
    }
    fn string_bytes(&mut self) -> Word {
        self.put(Value::ranged(Range::between(0, 127)))
    }
    fn set_string_bytes(&mut self, _value: Word) {}
    fn link(&mut self) -> Word {
        let word = self.slot_word(LINK);
        self.notes.target = Some(word);
        word
    }
    fn set_link(&mut self, value: Word) {
        self.write(LINK, value);
    }
    fn count(&mut self) -> Word {
        let word = self.slot_word(COUNT);
        self.notes.target = Some(word);
        word
    }
    fn set_count(&mut self, value: Word) {
        self.write(COUNT, value);
    }

    fn divide(&mut self, a: Word, b: Word, signed: bool) -> Word {
        self.quotient(a, b, signed)
    }
    fn leading_zeros(&mut self, a: Word) -> Word {
        self.zeros_before(a)
    }

    fn is_word_aligned(&mut self, _address: Word) -> Truth {
        Truth::Known(true)
    }
    fn misaligned(&mut self, _address: Word) {}
    fn data_storage(&mut self, _address: Word, _status: u32) {}
    fn reserve(&mut self, _address: Word) {}
    fn take_reservation(&mut self, _address: Word) -> Truth {
        Truth::Unknown
    }

    fn problem_state(&mut self) -> Truth {
        match self.state.status.problem {
            Some(problem) => Truth::Known(problem),
            None => Truth::Unknown,
        }
    }
    fn machine_state(&mut self) -> Word {
        self.put(Value::unknown())
    }
    /// Programs give their privilege up by returning from an exception: a state that is not known leaves it as it is.
    fn set_machine_state(&mut self, value: Word) {
        if let Some(state) = self.get(value).single() {
            self.state.status.problem = Some(Msr(state).has(Msr::PROBLEM));
        }
    }
    fn return_from_interrupt(&mut self) {
        self.state.status.problem = self.state.status.saved_problem;
        let target = self.slot_word(SAVED_ADDRESS);
        self.leave(LeaveKind::Return, target);
    }
    fn special(&mut self, number: u32) -> Word {
        match number {
            SRR0 => self.slot_word(SAVED_ADDRESS),
            _ => self.unknown(),
        }
    }
    fn set_special(&mut self, number: u32, value: Word) {
        match number {
            SRR0 => self.write(SAVED_ADDRESS, value),
            SRR1 => self.state.status.saved_problem = None,
            _ if self.get(value).local => self.state.escaped = true,
            _ => {}
        }
    }
    fn segment(&mut self, _index: Word) -> Word {
        self.unknown()
    }
    fn set_segment(&mut self, _index: Word, _value: Word) {}

    fn cache(&mut self, _operation: CacheOperation, _address: Word) {}
    fn translation_buffer(&mut self, _operation: TlbOperation, _address: Word) {}
    fn barrier(&mut self, _barrier: Barrier) {}

    fn float_available(&mut self) -> Truth {
        Truth::Known(true)
    }
    fn float_register(&mut self, _index: u32) {}
    fn set_float_register(&mut self, _index: u32, (): ()) {}
    fn double(&mut self, _high: Word, _low: Word) {}
    fn double_words(&mut self, (): ()) -> (Word, Word) {
        (self.unknown(), self.unknown())
    }
    fn float_arithmetic(&mut self, _: float::Operation, _: [(); 3]) -> ((), Truth) {
        ((), Truth::Known(true))
    }
    fn float_compare(&mut self, _ordered: bool, (): (), (): ()) -> Word {
        self.put(Value::ranged(Range::between(0, 15)))
    }
    fn double_from_single(&mut self, _single: Word) {}
    fn single_from_double(&mut self, (): ()) -> Word {
        self.unknown()
    }
    fn float_status(&mut self) -> Word {
        self.put(Value::unknown())
    }
    fn set_float_status(&mut self, _value: Word) {}

    fn vector_available(&mut self) -> Truth {
        Truth::Known(true)
    }
    fn vector_register(&mut self, _index: u32) {}
    fn set_vector_register(&mut self, _index: u32, (): ()) {}
    fn vector(&mut self, _words: [Word; 4]) {}
    fn vector_words(&mut self, (): ()) -> [Word; 4] {
        std::array::from_fn(|_| self.unknown())
    }
    fn vector_arithmetic(&mut self, _: vector::Operation, _: [(); 3]) {}
    fn vector_status(&mut self) -> Word {
        self.put(Value::unknown())
    }
    fn set_vector_status(&mut self, _value: Word) {}
}
