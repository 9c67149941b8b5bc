//! What interlocks ask of an instruction: which registers it needs, when, and which it gives.

/// A set of registers by their numbers in the instruction set, one bit each.
pub type RegisterSet = u32;

/// What an instruction needs and gives. Every architecture makes it from its footprints; engines tell it the models that want it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// What is computed with: operands, bases and offsets.
    pub needed: RegisterSet,
    /// What the first access that writes stores, and what the second one does; those of later ones come in time.
    pub stored: [RegisterSet; 2],
    /// What a product is added to.
    pub accumulated: RegisterSet,
    /// What may change.
    pub given: RegisterSet,
    /// Those of them that come from memory.
    pub loaded: RegisterSet,
    /// Data accesses.
    pub accesses: u32,
    /// Whether it reads less than a word.
    pub is_narrow: bool,
    /// Whether an operand or an offset is shifted on its way.
    pub is_shifted: bool,
    /// Whether it sets condition flags.
    pub sets_flags: bool,
    /// What its class does not tell apart.
    pub sort: Sort,
}

/// What instructions of one class differ in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Nothing that matters.
    #[default]
    Other,
    /// It adds or subtracts.
    Arithmetic,
    /// It reads a status register.
    ReadsStatus,
    /// It writes more of a status register than its flags.
    WritesStatus,
}
