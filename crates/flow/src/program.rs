//! The program that is analysed, and what is known about it beforehand.

use crate::blocks::CodeState;
use socscope_memory::Width;
use std::collections::{BTreeMap, BTreeSet};

/// A place where control goes on, as an annotation gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// An address; what tells ways of encoding apart is in its lowest bit.
    Address(u32),
    /// Back to the caller, with the registers and the stack that a function leaves as they were.
    Return,
}

/// A fact that people gave, and that made a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A place that would be reached is not.
    Never(u32),
    /// The targets of the jump at an address were asked for.
    Targets(u32),
    /// The range of a register at an address became smaller.
    Register(u32, u32),
    /// A function calls itself, and its depth was asked for.
    Recursion(u32),
}

/// How often people say that the heads of some loops run.
#[derive(Clone, Debug, Default)]
pub struct LoopBound {
    /// First and last addresses of the heads; or, where no head is there, of code in the loop.
    pub spans: Vec<(u32, u32)>,
    /// Which of the heads there is meant, in the order of addresses, from 1 on; all of them if none.
    pub number: Option<usize>,
    /// How often the head runs at most for each entry into the loop.
    pub most: u64,
    /// A size on which that depends, which may make it less; without a known size the bound says nothing.
    pub size: Option<Size>,
}

/// A number of runs by the size of what a function works on: `size / each + more`.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The function's address.
    pub function: u32,
    /// The register that holds the size at its entry.
    pub register: u32,
    /// What one run does.
    pub each: u32,
    /// Runs that are added.
    pub more: u32,
}

/// Sizes from here on are taken for unknown ones.
const SIZE_UNKNOWN: u32 = 1 << 31;

impl Size {
    /// Runs for sizes up to `size`; `None` where that is no known size.
    pub fn runs(&self, size: u32) -> Option<u64> {
        (size < SIZE_UNKNOWN).then(|| u64::from(size / self.each.max(1)) + u64::from(self.more))
    }
}

impl LoopBound {
    /// Whether an address is in one of the spans.
    pub fn spans(&self, address: u32) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|&(first, last)| (first..=last).contains(&address))
    }
}

/// What is analysed, and what people know about it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Memory that never changes: address and content, sorted and disjoint.
    pub constants: Vec<(u32, Vec<u8>)>,
    /// Words are stored with the most significant byte first.
    pub big_endian: bool,
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
    /// Bounds of loops.
    pub loop_bounds: Vec<LoopBound>,
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
    /// How its code is encoded.
    pub code: CodeState,
    /// Processor mode there, as the architecture numbers its modes.
    pub mode: u32,
    /// Least and greatest value of registers there.
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
        let bytes = found.iter().map(|&byte| u32::from(byte));
        let word = |all, byte| all << 8 | byte;
        Some(match self.big_endian {
            true => bytes.fold(0, word),
            false => bytes.rev().fold(0, word),
        })
    }
}
