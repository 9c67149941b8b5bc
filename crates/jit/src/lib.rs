//! Translation of hot code with Cranelift.

pub mod shared;
