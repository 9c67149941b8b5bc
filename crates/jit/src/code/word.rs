//! Values of the guest while code is made: constants are computed at once, flags only where they are used.

use cranelift_codegen::ir::Value;
use cranelift_codegen::ir::condcodes::IntCC;

/// A 32-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Known now.
    Constant(u32),
    /// Computed when the code runs.
    Value(Value),
    /// `Value` plus a constant; the sum is made where it is used.
    Sum(Value, u32),
}

/// A truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flag {
    /// Known now.
    Constant(bool),
    /// An [`Expression`] by number.
    Expression(u32),
}

/// A truth value that is made where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    /// An 8-bit value, 0 or 1.
    Value(Value),
    /// A bit of a word.
    Bit(Word, u32),
    /// Whether a word is zero.
    Zero(Word),
    /// A comparison. The carry of `a - b` is unsigned `a >= b`.
    Compare(IntCC, Word, Word),
    /// The carry of `a + b`, and the sum.
    CarryOut(Word, Word, Word),
    /// The overflow of `a - b`, and the difference.
    SubtractionOverflow(Word, Word, Word),
    /// The overflow of `a + b`, and the sum.
    AdditionOverflow(Word, Word, Word),
    Not(Flag),
    And(Flag, Flag),
    Or(Flag, Flag),
    Xor(Flag, Flag),
    Select(Flag, Flag, Flag),
}
