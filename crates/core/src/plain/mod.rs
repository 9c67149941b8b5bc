//! Architectures that say everything in data and semantic functions: all that a core of one remembers is words in slots, one exception's entry is
//! like another's, and addresses are those on the bus. What is the same for all of them is here: state, interpreter, footprints, what a machine asks.

mod executor;
mod footprint;
mod machine_core;
mod state;
mod step;

pub use footprint::{PlainFootprint, footprint};
pub use machine_core::exceptions;
pub use state::PlainCore;
pub use step::{Outcome, Step, step};

use crate::{ArchitectureFacts, BuildNotes, Cause, Images, RegisterFile};
use serde::Serialize;
use serde::de::DeserializeOwned;
use socscope_isa::{Encoding, Instruction, PlainSemantics, Slots};
use socscope_memory::{Endianness, Width};
use std::fmt::Debug;

/// A plain architecture; a value is one of its models.
pub trait Plain: Copy + Debug + PartialEq + Serialize + DeserializeOwned + 'static {
    /// The words of a core's slots: an array.
    type Words: AsRef<[u32]>
        + AsMut<[u32]>
        + Clone
        + Debug
        + PartialEq
        + Serialize
        + DeserializeOwned;

    /// What is known of it without a core.
    const FACTS: &'static ArchitectureFacts;
    /// A core with its article, for messages.
    const TITLE: &'static str;
    /// How an image is built for it that was built for another one.
    const REMEDY: &'static str;
    /// The slots after a reset.
    const WORDS: Self::Words;
    /// Where it begins after its reset.
    const RESET: u32;
    /// What instructions are made of: the first unit says how many follow.
    const UNIT: Width;
    /// The slot of the stack pointer, by convention.
    const STACK: u32;
    /// The slot in which calls leave the way back.
    const LINK: u32;
    /// The slot of the first argument, by convention; those of others follow.
    const ARGUMENT: u32;
    /// How many arguments are in slots.
    const ARGUMENTS: u32;
    /// Slots that a function gives back as it found them, but for the stack pointer.
    const PRESERVED: Slots;
    /// The slot of the status: rights, interrupt masks, what is handled.
    const STATUS: u32;
    /// The slot of the status before the exception that is handled.
    const SAVED_STATUS: u32;
    /// The slot of the address at which the interrupted code goes on.
    const SAVED_ADDRESS: u32;
    /// The number of the exception that a refused access raises.
    const FAULT: u8;
    /// The number of the exception that the interrupt line raises.
    const INTERRUPT: u8;
    /// A branch to itself.
    const BRANCH_TO_SELF: (Width, u32);

    /// Its exceptions by number: their names, and why each is taken.
    const EXCEPTIONS: &'static [(&'static str, Cause)];

    /// Its registers: the slots by their numbers, then the program counter.
    fn registers(self) -> &'static RegisterFile;
    /// The name by which saved states and records tell models apart.
    fn name(self) -> &'static str;
    /// Its byte order.
    fn endianness(self) -> Endianness;
    /// The images that a model runs.
    fn images(self) -> Images {
        Images {
            elf_machine: Self::FACTS.elf_machine,
            endianness: self.endianness(),
            title: Self::TITLE,
            remedy: Self::REMEDY,
            boot: None,
            jump_target: |_| None,
        }
    }
    /// What an image needs that a model does not have.
    fn foreign(self, _notes: &dyn BuildNotes) -> Option<String> {
        None
    }

    /// The encoding of an instruction by its first unit: it says how long it is.
    fn encoding(first: u32) -> &'static Encoding;
    /// What an instruction does, by its first unit; it is handed all of them, the first one most significant.
    fn instruction<S: PlainSemantics>(first: u32) -> Instruction<S>;
    /// The entry of an exception: keeps what its handler finds, `back` where the interrupted code goes on, and gives where the handler begins.
    fn enter<S: PlainSemantics>(s: &mut S, number: u8, back: S::Word) -> S::Word;

    /// Whether a core with this status takes interrupts.
    fn takes_interrupts(status: u32) -> bool;
    /// The exception that a core with this status handles.
    fn handled(status: u32) -> Option<u8>;
}

/// Why the exception of this number is taken.
pub fn cause<A: Plain>(number: u8) -> Cause {
    let known = A::EXCEPTIONS.get(usize::from(number));
    known.map_or(Cause::Other, |&(_, cause)| cause)
}

/// How long the instruction is that begins with `first`.
#[inline(always)]
pub fn width<A: Plain>(first: u32) -> Width {
    match A::encoding(first).pattern.bits {
        16 => Width::Half,
        _ => Width::Word,
    }
}

/// The first unit of an instruction of which all are known.
pub fn first_unit<A: Plain>(word: u32, width: Width) -> u32 {
    word >> (width.bits() - A::UNIT.bits())
}
