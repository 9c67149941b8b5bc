//! What writing certain places does, beside registers.

use socscope_isa::LineOperation;

/// What is done by a write to a place without a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The core waits for an interrupt, masked or not.
    WaitForInterrupt,
    /// Something on the line of the address that is written, as far as caches matter.
    Line(LineOperation),
    /// Entries of the translation buffer go.
    Forget(Side, Scope),
    /// What no program sees: caches as a whole or by set and way, whose contents are those of memory; the write buffer; fetched instructions;
    /// predictions.
    Nothing,
}

/// Whose entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those for instructions.
    Instructions,
    /// Those for data.
    Data,
    /// Both.
    Both,
}

/// Which entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// That of an address, with the address space's number in the lowest byte from version 6 on.
    Address,
    /// Those of an address space.
    Space,
    /// That of an address in any address space.
    AddressInAll,
}
