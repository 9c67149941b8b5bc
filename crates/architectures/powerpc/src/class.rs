//! What a timing model is told about an instruction.

use serde::{Deserialize, Serialize};

/// The kind of work of an instruction; every encoding names its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// Addition, logic, rotation, comparison.
    Integer,
    /// Multiplication.
    Multiply,
    /// Division.
    Divide,
    /// Branches.
    Branch,
    /// Instructions on the condition register.
    ConditionRegister,
    /// Loads of one register.
    Load,
    /// Stores of one register.
    Store,
    /// lmw, lswi, lswx.
    LoadMultiple,
    /// stmw, stswi, stswx.
    StoreMultiple,
    /// Cache instructions.
    Cache,
    /// sync, isync, eieio, tlbsync.
    Synchronize,
    /// Moves from and to special registers, segment registers and translation buffers.
    System,
    /// tw, twi.
    Trap,
    /// sc, rfi, and the entry of every exception.
    Exception,
    /// Floating-point arithmetic, moves and comparisons.
    Float,
    /// Floating-point division and estimates.
    FloatDivide,
    /// AltiVec instructions that do not access memory.
    Vector,
    /// Words without meaning.
    Illegal,
}
