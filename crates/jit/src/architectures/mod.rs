//! What each architecture adds to the frame: an adapter, and what its engine does by itself.

pub mod arm;
pub mod plain;
pub mod powerpc;
