//! What a helper looks at before an instruction.

/// What the instruction is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Preparation {
    /// dcbz: its line is one of plain memory that may be cached.
    SetToZero = 0,
    /// lwarx, whose load has been done.
    Reserve = 1,
    /// stwcx.: the reservation ends.
    TakeReservation = 2,
}

/// The interpreter has to do it; nothing has happened.
pub(crate) const IMPOSSIBLE: u64 = 0;
/// It is done, and a store that follows cannot fail.
pub(crate) const DONE: u64 = 1;
/// The address was not reserved, and no reservation is left.
pub(crate) const NOT_RESERVED: u64 = 2;
