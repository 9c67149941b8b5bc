//! Translation of hot code with Cranelift. The translated code does what the interpreter does, to the last count; what it cannot do, it leaves to
//! the interpreter before it has changed anything.
#![allow(unsafe_code)]

mod architectures;
mod arena;
mod code;
mod compiler;
mod entries;
mod frame;
mod heat;
mod memories;
mod profile;
pub mod shared;
mod slots;
mod states;
mod statistics;
mod translations;

pub use architectures::*;
pub use frame::Translates;
pub use memories::Memories;
pub use statistics::{LeftFor, Statistics};
