//! The crate's integration tests as one program: what they share is compiled and linked once.

mod float;
mod instructions;
mod mmu;
