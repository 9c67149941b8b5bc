//! What instructions cost, by model of the core.
//!
//! [`Arm7Tdmi`] counts the core's N, S and I cycles, each with the wait states and the bus width of the memory that it
//! reaches; [`Sequences`] are these cycles without their costs.

mod arm7tdmi;
mod sequences;

pub use arm7tdmi::Arm7Tdmi;
pub use sequences::{BusCycles, Sequences};
