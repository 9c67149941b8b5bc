//! Instruction sets: encodings as data, one semantic function an instruction, core state and exceptions.

mod cycles;

pub use cycles::{CycleClass, CycleModel};
