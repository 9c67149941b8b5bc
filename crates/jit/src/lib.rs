//! Translation of hot code with Cranelift. The translated code does what the interpreter does, to the last count; what it cannot do, it leaves to
//! the interpreter before it has changed anything.
#![allow(unsafe_code)]

mod arena;
mod compile;
mod context;
mod emit;
mod engine;
mod entries;
mod exits;
mod granules;
mod heat;
mod learning;
mod plan;
pub mod shared;
mod states;
mod statistics;
mod targets;
mod translations;

pub use engine::{Memories, Translator};
pub use statistics::Statistics;
