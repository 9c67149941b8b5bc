//! What instructions cost, by model of the core.
//!
//! [`Arm7Tdmi`] counts the core's N, S and I cycles, each with the wait states and the bus width of the memory that it
//! reaches; [`Sequences`] are these cycles without their costs. [`Arm9`] counts the cycles and interlocks of a pipeline of five stages.

mod arm7tdmi;
mod arm9;
mod scoreboard;
mod sequences;

pub use arm7tdmi::Arm7Tdmi;
pub use arm9::{Arm9, Arm9Core};
pub use sequences::{BusCycles, Sequences};
