//! A program as a tree, so that it can be made smaller without losing its shape.

use crate::assembler::Section;
use socscope_isa::arm::{InstructionSet, Mode};

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Functions; each calls later ones only.
    pub functions: Vec<Function>,
    /// Short routines that are copied into code buffers and called there.
    pub overlays: Vec<Vec<u32>>,
    /// r0 to r11 when a function is called.
    pub registers: [u32; 12],
    /// Addresses and values that are stored at the start: how devices are set up.
    pub stores: Vec<(u32, u32)>,
    /// Whether the core starts at the reset vector, with the memories where they are before the remap.
    pub from_reset: bool,
    /// The masks of both interrupts (bits 7 and 6 of the status register).
    pub masks: u32,
    /// How often all functions are called; endlessly when absent.
    pub rounds: Option<u32>,
    /// Two tasks call the functions, and are interrupted all the time.
    pub tasks: Option<Tasks>,
}

/// How tasks are interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// The shortest time of the timers between two interrupts.
    pub ticks_min: u32,
    /// What their random numbers begin with.
    pub seed: u32,
    /// Whether interrupts are let through at all.
    pub interrupted: bool,
}

/// How a function is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Return {
    /// By BX, to either instruction set.
    Exchange,
    /// By MOV pc, lr.
    Move,
    /// By LDM with the program counter.
    Pop,
    /// By LDR with the program counter.
    Load,
    /// By an addition to the link register.
    Add,
    /// Not at all: the next function follows.
    Fall,
    /// By a jump to another function.
    Tail(usize),
}

/// What a function finds and makes on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// It saves registers.
    Saved,
    /// Nothing.
    Leaf,
    /// The function that falls into this one has saved registers; nobody calls it.
    Inherited,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its instruction set.
    pub set: InstructionSet,
    /// Where it lies.
    pub section: Section,
    /// How it is left.
    pub leave: Return,
    /// What it does to the stack.
    pub frame: Frame,
    /// What it does.
    pub body: Vec<Item>,
}

/// How a loop counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// The counter's register.
    pub register: u32,
    /// From minus the number of turns up to zero, else from it down.
    pub up: bool,
    /// The condition under which it goes on.
    pub condition: u32,
}

/// A word in the code that is changed while the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The instruction at first.
    pub word: u32,
    /// What it becomes, and back.
    pub other: u32,
    /// Whether the instruction stands right behind the store, else before it.
    pub behind: bool,
    /// Written through another address of the same memory.
    pub mirrored: bool,
    /// Only when these bits of the loop's counter are zero.
    pub rarely: Option<(u32, u32)>,
    /// Only its lowest byte is stored.
    pub byte: bool,
}

/// A step of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// One instruction.
    Word(u32),
    /// A register gets a constant from a literal pool.
    Constant(u32, u32),
    /// A loop.
    Loop {
        /// Turns.
        count: u32,
        /// How they are counted.
        counting: Counting,
        /// Registers with their values before the first turn.
        pointers: Vec<(u32, u32)>,
        /// Each turn.
        body: Vec<Item>,
        /// Instructions between the count and the branch; they leave the flags alone.
        tail: Vec<u32>,
    },
    /// A branch forwards, over one or over the other.
    If {
        /// Under which the first is done.
        condition: u32,
        /// The first.
        body: Vec<Item>,
        /// The other.
        otherwise: Vec<Item>,
    },
    /// Leaves the innermost loop.
    Break(u32),
    /// Calls a function.
    Call {
        /// Its number.
        function: usize,
        /// Of a BL in ARM state.
        condition: u32,
        /// By writing link register and program counter, not by BL (ARM).
        by_register: bool,
    },
    /// Runs a part that may be left by an escape from functions that it calls (ARM).
    Guard(Vec<Item>),
    /// Goes on behind the newest guard of the task, if it has one (ARM).
    Escape(u32),
    /// Goes through a table of addresses (ARM).
    Switch {
        /// Whose low bits choose.
        register: u32,
        /// The ways, a power of two of them.
        cases: Vec<Vec<Item>>,
    },
    /// Words among the code, one of them read, another written.
    Data(Vec<u32>),
    /// Changes code.
    Modify(Patch),
    /// Changes code by DMA, some time later.
    Dma(Patch),
    /// Copies a routine into a code buffer and calls it (ARM).
    Overlay {
        /// Which routine.
        routine: usize,
        /// Which buffer.
        buffer: usize,
    },
    /// Runs a part in another mode.
    Mode {
        /// The mode.
        mode: Mode,
        /// Interrupt masks, as in the status register.
        masks: u32,
        /// Entered by a software interrupt.
        by_trap: bool,
        /// The part.
        body: Vec<Item>,
    },
    /// Runs a part between a push and a pop of as many registers.
    Stacked {
        /// Registers pushed.
        push: u32,
        /// Registers popped.
        pop: u32,
        /// The part.
        body: Vec<Item>,
    },
    /// Runs a part with so many words of room on the stack.
    Frame(u32, Vec<Item>),
    /// Stores a value at an address.
    Store(u32, u32),
}

impl Item {
    /// The parts inside.
    pub fn parts(&self) -> Vec<&Vec<Item>> {
        match self {
            Item::Loop { body, .. }
            | Item::Mode { body, .. }
            | Item::Stacked { body, .. }
            | Item::Guard(body)
            | Item::Frame(_, body) => vec![body],
            Item::If {
                body, otherwise, ..
            } => vec![body, otherwise],
            Item::Switch { cases, .. } => cases.iter().collect(),
            _ => vec![],
        }
    }

    /// The parts inside, to change.
    pub fn parts_mut(&mut self) -> Vec<&mut Vec<Item>> {
        match self {
            Item::Loop { body, .. }
            | Item::Mode { body, .. }
            | Item::Stacked { body, .. }
            | Item::Guard(body)
            | Item::Frame(_, body) => vec![body],
            Item::If {
                body, otherwise, ..
            } => vec![body, otherwise],
            Item::Switch { cases, .. } => cases.iter_mut().collect(),
            _ => vec![],
        }
    }
}

impl Program {
    /// Steps of all functions, those inside others included.
    pub fn size(&self) -> usize {
        fn size(items: &[Item]) -> usize {
            items
                .iter()
                .map(|item| 1 + item.parts().iter().map(|part| size(part)).sum::<usize>())
                .sum()
        }
        self.functions
            .iter()
            .map(|function| size(&function.body))
            .sum()
    }
}
