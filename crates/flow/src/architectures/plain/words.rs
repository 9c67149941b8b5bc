//! The words of semantic functions, as plain architectures mean them. Accesses are taken to be aligned and answered.

use super::PlainFlow;
use crate::architecture::Architecture;
use crate::reading::{FlowReading, LeaveKind, Truth, Word};
use socscope_core::plain::{Plain, cause};
use socscope_isa::{PlainSemantics, Semantics, Slots, Values};
use socscope_memory::Width;

impl<A: Plain> Semantics for FlowReading<'_, PlainFlow<A>> {
    type Exception = u8;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Truth) {
        self.load_word(address, width)
    }
    fn store(&mut self, address: Word, width: Width, word: Word) -> Truth {
        self.store_word(address, width, word)
    }

    fn branch(&mut self, target: Word) {
        self.leave(LeaveKind::Branch, target);
    }

    fn exception(&mut self, number: u8) {
        let width = PlainFlow::<A>::width(self.program, self.code, self.address);
        let behind = match cause::<A>(number).is_by_instruction() {
            true => width.bytes(),
            false => 0,
        };
        let back = self.word(self.address.wrapping_add(behind));
        let vector = A::enter(self, number, back);
        self.leave(LeaveKind::Exception, vector);
    }
}

impl<A: Plain> PlainSemantics for FlowReading<'_, PlainFlow<A>> {
    fn slot(&mut self, slot: u32) -> Word {
        let value = self.state.words[slot as usize].clone();
        self.read(slot, value)
    }
    fn set_slot(&mut self, slot: u32, value: Word) {
        let found = &mut self.state.status.as_found;
        *found = found.without(Slots::one(slot));
        self.write(slot as usize, value);
    }
    fn return_to(&mut self, target: Word) {
        self.leave(LeaveKind::Return, target);
    }
    fn wait(&mut self) {}
}
