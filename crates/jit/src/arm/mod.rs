//! The translator of the ARM7TDMI.

mod compile;
mod context;
mod emit;
mod engine;
mod exits;
mod granules;
mod key;
mod learning;
mod plan;

pub use engine::Translator;
