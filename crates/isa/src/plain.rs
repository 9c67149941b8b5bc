//! The words of plain architectures: all that a core of one remembers is words in numbered places, its slots.

use crate::Semantics;

/// A reading of instructions of a plain architecture. Exceptions are the numbers that probes are told.
pub trait PlainSemantics: Semantics<Exception = u8> {
    /// What a slot holds.
    fn slot(&mut self, slot: u32) -> Self::Word;
    /// Writes a slot.
    fn set_slot(&mut self, slot: u32, value: Self::Word);
    /// Continues where an exception came from; its status is in force already.
    fn return_to(&mut self, target: Self::Word);
    /// Executes nothing more before an interrupt asks for it.
    fn wait(&mut self);
}
