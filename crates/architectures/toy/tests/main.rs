//! The crate's integration tests as one program.

mod against_naive;
#[path = "support/assembler.rs"]
#[allow(dead_code)]
mod assembler;
mod encodings;
mod footprint;
#[path = "support/naive.rs"]
mod naive;
mod programs;
#[path = "../../../core/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;
