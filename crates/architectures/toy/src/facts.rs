//! What is asked of the architecture, and of its models.

use crate::registers::{BIG, LITTLE};
use crate::slot::{LINK, SAVED_ADDRESS, SAVED_STATUS, STACK, STATUS};
use crate::{exception, slot};
use serde::{Deserialize, Serialize};
use socscope_core::plain::{Plain, exceptions};
use socscope_core::{ArchitectureFacts, Cause, RegisterFile};
use socscope_isa::{Encoding, Instruction, PlainSemantics, Slots};
use socscope_memory::{Endianness, Width};

/// A model: they differ in their byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Toy {
    /// The least significant byte first.
    Little,
    /// The most significant byte first.
    Big,
}

/// Where a core begins after its reset: behind its only vector.
pub const RESET: u32 = 0x40;
/// Where all exceptions go.
pub const VECTOR: u32 = 0x20;
const INTERRUPTS_ENABLED: u32 = 1;

/// The architecture. Its machine number is no vendor's.
pub static FACTS: ArchitectureFacts = ArchitectureFacts {
    name: "the toy",
    elf_machine: 0xf0f0,
    compiler: "the assembler of its tests",
    exceptions: &exceptions::<Toy>(),
};

impl Plain for Toy {
    type Words = [u32; slot::COUNT];

    const FACTS: &'static ArchitectureFacts = &FACTS;
    const TITLE: &'static str = "a toy";
    const REMEDY: &'static str = "assemble it for the toy";
    const WORDS: Self::Words = [0; slot::COUNT];
    const RESET: u32 = RESET;
    const UNIT: Width = Width::Half;
    const STACK: u32 = STACK;
    const LINK: u32 = LINK;
    const ARGUMENT: u32 = 0;
    const ARGUMENTS: u32 = 4;
    const PRESERVED: Slots = Slots::range(8, 6);
    const STATUS: u32 = STATUS;
    const SAVED_STATUS: u32 = SAVED_STATUS;
    const SAVED_ADDRESS: u32 = SAVED_ADDRESS;
    const FAULT: u8 = exception::FAULT;
    const INTERRUPT: u8 = exception::INTERRUPT;
    const BRANCH_TO_SELF: (Width, u32) = (Width::Half, 0xb000);
    const EXCEPTIONS: &'static [(&'static str, Cause)] = &[
        ("trap", Cause::SystemCall),
        ("interrupt", Cause::Interrupt),
        ("undefined instruction", Cause::Other),
        ("bus fault", Cause::Other),
    ];

    fn registers(self) -> &'static RegisterFile {
        match self {
            Toy::Little => &LITTLE,
            Toy::Big => &BIG,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Toy::Little => "toy",
            Toy::Big => "toy-big-endian",
        }
    }

    fn endianness(self) -> Endianness {
        match self {
            Toy::Little => Endianness::Little,
            Toy::Big => Endianness::Big,
        }
    }

    #[inline(always)]
    fn encoding(first: u32) -> &'static Encoding {
        crate::encoding(first)
    }

    #[inline(always)]
    fn instruction<S: PlainSemantics>(first: u32) -> Instruction<S> {
        crate::instruction(first)
    }

    fn enter<S: PlainSemantics>(s: &mut S, number: u8, back: S::Word) -> S::Word {
        let before = s.slot(STATUS);
        s.set_slot(SAVED_ADDRESS, back);
        s.set_slot(SAVED_STATUS, before);
        let handled = s.word((u32::from(number) + 1) << 8);
        s.set_slot(STATUS, handled);
        s.word(VECTOR)
    }

    #[inline(always)]
    fn takes_interrupts(status: u32) -> bool {
        status & INTERRUPTS_ENABLED != 0
    }

    fn handled(status: u32) -> Option<u8> {
        ((status >> 8) as u8).checked_sub(1)
    }
}
