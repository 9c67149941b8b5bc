//! The crate's integration tests as one program: what they share is compiled and linked once.

mod encodings;
mod powerpc;
mod powerpc_float;
mod powerpc_mmu;
mod state;
