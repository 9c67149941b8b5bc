//! The crate's integration tests as one program: what they share is compiled and linked once.

mod conditions;
mod encodings;
mod events;
mod footprint;
mod mmu;
mod programs;
mod state;
#[path = "../../../core/tests/support/mod.rs"]
mod support;
mod timing;
mod vectors;
