//! The ARM architecture, versions 4T to 6K, as the ARM7TDMI, ARM9 and ARM11 do it. Files follow the chapters of the ARM Architecture Reference Manual.

#![expect(
    clippy::too_many_arguments,
    reason = "semantic functions take one argument a field"
)]

/// Lists the encodings of a chapter; those of a later version than 4T begin with `since` and the version.
macro_rules! encodings {
    (since $version:ident; $($all:tt)*) => {
        pub(crate) const SINCE: $crate::Version = $crate::Version::$version;
        socscope_isa::chapter! { [$crate::ArmSemantics] [socscope_isa::CycleClass] $($all)* }
    };
    ($($all:tt)*) => { encodings! { since V4T; $($all)* } };
}

mod banks;
mod block_transfer;
mod branch;
mod branch_v5;
mod condition;
mod coprocessor;
mod core;
mod count;
mod data_processing;
mod decoder;
mod exception;
mod exclusive;
mod exclusive_widths;
mod extend;
mod facts;
mod footprint;
mod hints;
mod images;
pub mod interpreter;
mod linux;
mod load_store;
mod load_store_half;
mod load_store_pair;
mod machine_core;
mod mmu;
mod model;
mod multiply;
mod multiply_dual;
mod multiply_half;
mod operand;
mod page_tables;
mod parallel;
mod processor_state;
mod rearrange;
mod registers;
mod saturate;
mod saturate_bits;
mod status;
mod status_register;
mod stored;
mod swap;
mod system_control;
mod table;
mod thumb;
pub mod timing;
mod trap;
mod trap_v5;

pub use self::core::{Core, EXCLUSIVE_BYTES};
pub use banks::{BANKED_REGISTERS, BankedRegister};
pub use condition::{ALWAYS, condition};
pub use exception::Exception;
pub use footprint::{Flags, Footprint, Leave, MemoryAccess, Registers, Value, footprint, operands};
pub use images::FACTS;
pub use mmu::{Mmu, TranslationFault};
pub use model::{CoreModel, Version};
pub use status::{Mode, Status};
pub use system_control::{
    Access, Named, Operation, Place, Register, Scope, Side, SystemControl, control, named,
};
pub use table::{condition_code, decode, encoding, encodings, instruction, since};

use serde::{Deserialize, Serialize};
use socscope_isa::Semantics;
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

/// What system control may ask of addresses beside those of single words, half-words and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// A multiple of so many bytes.
    Bytes(u32),
    /// That of LDRD and STRD: a multiple of 4 where words may lie anywhere, else of 8.
    Pair,
}

/// A reading of ARM instructions. Loads and stores round the address down to the width; an access that is refused is followed by a
/// data abort; branches ignore the bits of the target that are below the alignment of the instruction set in force.
pub trait ArmSemantics: Semantics<Exception = Exception> {
    /// The core; known in every reading.
    fn model(&self) -> CoreModel;
    /// The instruction set of the instruction that is read; known in every reading.
    fn instruction_set(&self) -> InstructionSet;

    /// A register (0 to 14) of the mode in force.
    fn register(&mut self, index: u32) -> Self::Word;
    /// Writes a register (0 to 14) of the mode in force.
    fn set_register(&mut self, index: u32, value: Self::Word);
    /// A register (0 to 14) of the user mode.
    fn user_register(&mut self, index: u32) -> Self::Word;
    /// Writes a register (0 to 14) of the user mode.
    fn set_user_register(&mut self, index: u32, value: Self::Word);

    /// The negative flag.
    fn negative(&mut self) -> Self::Flag;
    /// The zero flag.
    fn zero(&mut self) -> Self::Flag;
    /// The carry flag.
    fn carry(&mut self) -> Self::Flag;
    /// The overflow flag.
    fn overflow(&mut self) -> Self::Flag;
    /// Sets the negative flag.
    fn set_negative(&mut self, value: Self::Flag);
    /// Sets the zero flag.
    fn set_zero(&mut self, value: Self::Flag);
    /// Sets the carry flag.
    fn set_carry(&mut self, value: Self::Flag);
    /// Sets the overflow flag.
    fn set_overflow(&mut self, value: Self::Flag);
    /// Continues at `target` in the instruction set that bit 0 of it names.
    fn branch_exchange(&mut self, target: Self::Word);
    /// Restores the status register from the saved one, then continues at `target` in the instruction set now in force.
    fn return_from_exception(&mut self, target: Self::Word);

    /// Remembers in Q that something was saturated, if it was.
    fn saturate(&mut self, saturated: Self::Flag);
    /// GE, four bits.
    fn greater_equal(&mut self) -> Self::Word;
    /// Writes GE from the low four bits.
    fn set_greater_equal(&mut self, value: Self::Word);
    /// Whether words and half-words may lie anywhere: loads and stores then do not round their addresses down.
    fn is_unaligned(&mut self) -> Self::Flag;
    /// Whether the accesses of an instruction may begin at `address`; else a data abort follows it.
    fn is_aligned(&mut self, address: Self::Word, alignment: Alignment) -> Self::Flag;
    /// Marks the granule of an address for an exclusive store.
    fn mark_exclusive(&mut self, address: Self::Word);
    /// Whether the granule of an address is still marked; the mark is gone.
    fn take_exclusive(&mut self, address: Self::Word) -> Self::Flag;
    /// Takes the mark away, wherever it is.
    fn clear_exclusive(&mut self);
    /// The stack pointer of a mode.
    fn stack_of(&mut self, mode: Mode) -> Self::Word;
    /// Writes the stack pointer of a mode.
    fn set_stack_of(&mut self, mode: Mode, value: Self::Word);
    /// Writes the status register, then continues at `target` in the instruction set now in force.
    fn return_with(&mut self, target: Self::Word, status: Self::Word);

    /// The status register.
    fn status(&mut self) -> Self::Word;
    /// Writes those bits of the status register that `mask` has.
    fn set_status(&mut self, value: Self::Word, mask: Self::Word);
    /// The saved status register of the mode in force; the status register where the mode has none.
    fn saved_status(&mut self) -> Self::Word;
    /// Writes those bits of the saved status register that `mask` has; nothing where the mode has none.
    fn set_saved_status(&mut self, value: Self::Word, mask: Self::Word);
    /// Restores the status register from the saved one; nothing where the mode has none.
    fn restore_status(&mut self);
    /// Whether the mode in force is not the user mode.
    fn privileged(&mut self) -> Self::Flag;

    /// Whether the accesses that follow have no more rights than programs have (LDRT, STRT).
    fn set_unprivileged(&mut self, on: bool);
    /// What lies at a place of system control.
    fn read_system_control(&mut self, named: Named) -> Self::Word;
    /// Writes what lies at a place of system control.
    fn write_system_control(&mut self, named: Named, value: Self::Word);

    /// Names the operand on which the duration of a multiplication depends.
    fn multiplier(&mut self, _operand: Self::Word, _signed: bool) {}
}

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

/// A register that is stored.
#[inline(always)]
fn read_stored<S: ArmSemantics>(s: &mut S, index: u32) -> S::Word {
    if s.model().stored_ahead() == 2 {
        read(s, index)
    } else {
        read_late(s, index)
    }
}

/// A loaded word into a register; one into the program counter is a branch, from version 5 on to either instruction set.
#[inline(always)]
fn write_loaded<S: ArmSemantics>(s: &mut S, index: u32, value: S::Word) {
    if index == PROGRAM_COUNTER && s.model().has(Version::V5TEJ) {
        s.branch_exchange(value);
    } else {
        write(s, index, value);
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
