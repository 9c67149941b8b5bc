//! The state of a plain core.

use super::Plain;
use serde::{Deserialize, Serialize};
use socscope_memory::Fault;

/// Everything that a core remembers between two instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PlainCore<A: Plain> {
    /// Its model.
    pub model: A,
    pub(super) words: A::Words,
    pub(super) program_counter: u32,
    /// The last access that the bus refused, for reports.
    pub last_fault: Option<Fault>,
}

impl<A: Plain> PlainCore<A> {
    /// After a reset.
    pub fn new(model: A) -> PlainCore<A> {
        PlainCore {
            model,
            words: A::WORDS,
            program_counter: A::RESET,
            last_fault: None,
        }
    }

    /// What a slot holds.
    #[inline(always)]
    pub fn slot(&self, slot: u32) -> u32 {
        self.words.as_ref()[slot as usize]
    }

    /// Writes a slot.
    #[inline(always)]
    pub fn set_slot(&mut self, slot: u32, value: u32) {
        self.words.as_mut()[slot as usize] = value;
    }

    /// Address of the next instruction.
    #[inline(always)]
    pub fn program_counter(&self) -> u32 {
        self.program_counter
    }

    /// Sets the address of the next instruction; bits below a unit are ignored.
    #[inline(always)]
    pub fn set_program_counter(&mut self, address: u32) {
        self.program_counter = A::UNIT.align(address);
    }
}
