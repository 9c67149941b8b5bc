//! Random programs that put both engines to the test: from a seed to a program, from a program to a verdict.
//!
//! A program is made from the encoding tables, runs on a real board with interrupts, DMA and changing wait states, and must leave the same
//! state, the same counts and the same time behind in every engine, wherever the runs are cut.

mod addresses;
mod arm;
pub mod assembler;
pub mod board;
mod caches;
pub mod campaign;
pub mod compare;
mod emit;
#[path = "../../crates/architectures/arm/examples/differential/exclusions.rs"]
#[allow(
    dead_code,
    reason = "the comparison of single instructions prints the reasons"
)]
mod exclusions;
pub mod generator;
pub mod image;
mod link;
pub mod listing;
pub mod mixed;
pub mod plan;
pub mod portable;
pub mod powerpc;
pub mod program;
#[path = "../../crates/core/tests/support/random.rs"]
mod random;
pub mod run;
mod runtime;
mod set_up;
pub mod shrink;
pub mod tables;
mod tasks;
mod thumb;
mod words;

pub use link::link;
