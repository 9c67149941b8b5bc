//! What comes of an access to a device: in the upper half of what its helper gives.

/// There is no device: nothing has happened.
pub(crate) const NOTHING: u64 = 0;
/// The access was made.
pub(crate) const GOES_ON: u64 = 1;
/// The access was made, and something else comes before the next instruction, or code has changed.
pub(crate) const LEAVES: u64 = 2;
