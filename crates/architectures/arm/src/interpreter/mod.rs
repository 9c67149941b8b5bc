//! The slow, obvious engine: reads an instruction, executes its semantics, tells the timing model and the observer.

mod access;
mod executor;
mod step;

pub use step::{Outcome, Step, run, step};
