//! The ARM architecture, version 4T, as the ARM7TDMI does it. Files follow the chapters of the ARM Architecture Reference Manual.

#![expect(
    clippy::too_many_arguments,
    reason = "semantic functions take one argument a field"
)]

mod banks;
mod block_transfer;
mod branch;
mod condition;
mod coprocessor;
mod core;
mod data_processing;
mod exception;
mod footprint;
mod load_store;
mod load_store_half;
mod multiply;
mod operand;
mod status;
mod status_register;
mod swap;
mod table;
mod thumb;
mod trap;

pub use self::core::Core;
pub use banks::{BANKED_REGISTERS, BankedRegister};
pub use condition::{ALWAYS, condition};
pub use exception::Exception;
pub use footprint::{Flags, Footprint, Leave, MemoryAccess, Registers, Value, footprint};
pub use status::{Mode, Status};
pub use table::{Instruction, condition_code, decode, encoding, encodings, instruction};

use crate::Semantics;
use serde::{Deserialize, Serialize};
use socscope_memory::Width;

/// Which encodings the core decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum InstructionSet {
    /// 32-bit instructions.
    Arm,
    /// 16-bit instructions.
    Thumb,
}

impl InstructionSet {
    /// Both.
    pub const ALL: [InstructionSet; 2] = [InstructionSet::Arm, InstructionSet::Thumb];

    /// Size of an instruction.
    #[inline(always)]
    pub const fn width(self) -> Width {
        match self {
            InstructionSet::Arm => Width::Word,
            InstructionSet::Thumb => Width::Half,
        }
    }
}

/// A reading of ARM instructions.
pub trait ArmSemantics: Semantics<Exception = Exception> {
    /// The instruction set of the instruction that is read; known in every reading.
    fn instruction_set(&self) -> InstructionSet;
}

/// Reads one instruction word.
pub type Reading<S> = fn(&mut S, u32);

/// Link register.
pub const LINK: u32 = 14;
/// Stack pointer.
pub const STACK: u32 = 13;
/// Program counter.
pub const PROGRAM_COUNTER: u32 = 15;

/// A register as an operand: the program counter reads two instructions ahead.
#[inline(always)]
fn read<S: ArmSemantics>(s: &mut S, index: u32) -> S::Word {
    if index == PROGRAM_COUNTER {
        let ahead = 2 * s.instruction_set().width().bytes();
        let value = s.address().wrapping_add(ahead);
        s.word(value)
    } else {
        s.register(index)
    }
}

/// A register read one cycle later: the program counter is three instructions ahead.
#[inline(always)]
fn read_late<S: ArmSemantics>(s: &mut S, index: u32) -> S::Word {
    if index == PROGRAM_COUNTER {
        let ahead = 3 * s.instruction_set().width().bytes();
        let value = s.address().wrapping_add(ahead);
        s.word(value)
    } else {
        s.register(index)
    }
}

/// A result into a register; one into the program counter is a branch.
#[inline(always)]
fn write<S: ArmSemantics>(s: &mut S, index: u32, value: S::Word) {
    if index == PROGRAM_COUNTER {
        s.branch(value);
    } else {
        s.set_register(index, value);
    }
}

/// Sets N and Z from a result.
#[inline(always)]
fn set_negative_zero<S: ArmSemantics>(s: &mut S, result: S::Word) {
    let negative = s.bit(result, 31);
    let zero = s.is_zero(result);
    s.set_negative(negative);
    s.set_zero(zero);
}
