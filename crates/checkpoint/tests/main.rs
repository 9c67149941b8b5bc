//! The crate's integration tests as one program: what they share is compiled and linked once.

mod checkpoints;
mod cores;
mod history;
#[path = "../../machine/tests/support/mod.rs"]
mod support;
