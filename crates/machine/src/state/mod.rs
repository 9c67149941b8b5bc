//! The complete state of a machine: its hash, and kept in memory.

pub(crate) mod hash;
pub(crate) mod snapshot;
