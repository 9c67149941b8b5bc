//! Blocks of instructions, told apart by how they were called and by the flags that conditional instructions in them rely on.

use crate::flags::Outcomes;
use crate::reading::DataAccess;
use socscope_isa::CycleClass;
use socscope_memory::Width;

/// How code at an address is encoded, where an architecture has several ways; only that one knows what the number means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeState(pub u8);

/// What tells blocks apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Number of the calling context.
    pub context: u32,
    /// First instruction.
    pub address: u32,
    /// How its code is encoded.
    pub code: CodeState,
    /// Values of the flags here; conditional instructions with other outcomes are in other blocks.
    pub flags: Outcomes,
}

/// One call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Context {
    /// The context of the caller; the first one has none.
    pub parent: Option<u32>,
    /// The instruction that calls.
    pub site: u32,
    /// The function called.
    pub function: u32,
    /// Where it returns to, and how the code there is encoded.
    pub back: (u32, CodeState),
}

/// One instruction of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its address.
    pub address: u32,
    /// Its length.
    pub width: Width,
    /// What it costs, when its condition holds.
    pub class: CycleClass,
    /// Whether it holds; that of one that leaves differs from exit to exit.
    pub executed: bool,
    /// Whether it is one that leaves when its condition holds.
    pub leaves: bool,
    /// Whether the entry of an exception follows, as if it were an instruction, when it leaves.
    pub enters: bool,
    /// Its data accesses.
    pub accesses: Vec<DataAccess>,
    /// The multiplier that takes longest.
    pub multiplier: Option<(u32, bool)>,
}

impl Step {
    /// Takes in what it does on another visit.
    pub fn join(&mut self, other: &Step) {
        if self.accesses.len() < other.accesses.len() {
            self.accesses.clone_from(&other.accesses);
        } else {
            for (mine, theirs) in self.accesses.iter_mut().zip(&other.accesses) {
                mine.address = mine.address.join(&theirs.address);
                mine.stack &= theirs.stack;
            }
        }
        self.enters |= other.enters;
        let size = |(word, signed): (u32, bool)| {
            if signed {
                word ^ ((word as i32) >> 31) as u32
            } else {
                word
            }
        };
        self.multiplier = match (self.multiplier, other.multiplier) {
            (Some(a), Some(b)) if size(b) > size(a) => Some(b),
            (None, other) => other,
            (mine, _) => mine,
        };
    }
}

/// Where an exit leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Destination {
    /// To a block.
    Block(u32),
    /// Out of the program, back to whoever called it.
    Return,
    /// To a place where paths end.
    Stop(u32),
}

/// How control goes from one block to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Passage {
    /// On to the next instruction.
    Fall,
    /// By a jump.
    Jump,
    /// By a call, or into an exception.
    Call,
    /// Back from one.
    Return,
    /// Over a call that is not followed, of this function.
    Over(u32),
}

/// A way out of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit {
    /// Where to.
    pub to: Destination,
    /// How.
    pub passage: Passage,
    /// Where the pipeline is filled again, if that is known, and how long instructions are there; `None` when the next one follows.
    pub refill: Option<(Option<u32>, Width)>,
}

/// Why the analysis cannot go on somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// A computed jump whose targets are not known.
    Jump,
    /// A call that is said to return to the caller of its function.
    Call,
    /// A loop that has no way out within its bound.
    Bound,
    /// A function that calls itself more often than allowed; its address.
    Recursion(u32),
    /// No instruction that stays as it is lies there.
    NoCode,
    /// A status register with an unknown mode.
    Mode,
    /// Too many blocks.
    Size,
}
