//! The program that is analysed, and what is known about it beforehand.

use socscope_isa::arm::{InstructionSet, Mode};
use socscope_memory::Width;
use std::collections::{BTreeMap, BTreeSet};

/// A place where control goes on, as an annotation gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// An address, with bit 0 set for Thumb.
    Address(u32),
    /// Back to the caller, with the registers and the stack that a function leaves as they were.
    Return,
}

/// What is analysed, and what people know about it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Memory that never changes: address and content, sorted and disjoint.
    pub constants: Vec<(u32, Vec<u8>)>,
    /// Places that are not reached.
    pub never: BTreeSet<u32>,
    /// Where paths end.
    pub stops: BTreeSet<u32>,
    /// Places that begin blocks of their own.
    pub marked: BTreeSet<u32>,
    /// Targets of computed jumps and calls, by the address of the jump.
    pub targets: BTreeMap<u32, Vec<Target>>,
    /// Least and greatest value of a register at an address, before its instruction.
    pub registers: BTreeMap<u32, Vec<(u32, u32, u32)>>,
    /// How often a function may call itself, directly or through others, by its address.
    pub recursion: BTreeMap<u32, u32>,
    /// First and last address of heads of loops that people bound: few of their iterations are gone through.
    pub bounded: Vec<(u32, u32)>,
    /// Whether calls are followed; if not, a called function is taken to keep the rules of procedure calls.
    pub inline: bool,
    /// Blocks at most.
    pub blocks_max: usize,
    /// Executions of blocks at most, while loops are counted.
    pub steps_max: u64,
}

/// Where and how the analysis begins.
#[derive(Clone, Debug)]
pub struct Entry {
    /// First instruction.
    pub address: u32,
    /// Its instruction set.
    pub set: InstructionSet,
    /// Processor mode there.
    pub mode: Mode,
    /// Least and greatest value of registers (0 to 13) there.
    pub registers: Vec<(u32, u32, u32)>,
}

impl Program {
    /// A word of memory that never changes, zero-extended.
    pub fn constant(&self, address: u32, width: Width) -> Option<u32> {
        let place = self
            .constants
            .partition_point(|(start, _)| *start <= address);
        let (start, bytes) = self.constants.get(place.checked_sub(1)?)?;
        let offset = (address - start) as usize;
        let found = bytes.get(offset..offset + width.bytes() as usize)?;
        Some(
            found
                .iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u32::from(*byte)),
        )
    }

    /// The instruction word at an address.
    pub fn instruction(&self, set: InstructionSet, address: u32) -> Option<u32> {
        self.constant(address, set.width())
    }
}
