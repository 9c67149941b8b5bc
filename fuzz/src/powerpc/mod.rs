//! Random PowerPC programs on a board: calls of every kind, tasks that the decrementer switches, and interrupts everywhere.

pub(crate) mod code;
mod compare;
mod program;
mod runtime;

pub use compare::{blob, check, compare};
pub use program::{Program, program};
