//! Intel.

pub mod flash;
