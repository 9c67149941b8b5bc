//! The translator of the PowerPC.

mod compile;
mod context;
mod emit;
mod engine;
mod exits;
mod flavour;
mod plan;
mod prepare;
mod reached;
mod tables;

pub use engine::{Ended, Translator};
