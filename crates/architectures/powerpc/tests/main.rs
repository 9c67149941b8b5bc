//! The crate's integration tests as one program: what they share is compiled and linked once.

mod exceptions;
mod float;
mod footprint;
mod instructions;
mod memories;
mod mmu;
#[allow(dead_code)]
#[path = "../../../core/tests/support/mod.rs"]
mod support;
#[path = "support/vectors.rs"]
mod text;
mod vectors;
