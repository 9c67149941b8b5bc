//! The slow, obvious engine for the PowerPC.

mod access;
mod executor;
mod step;

pub use step::{Outcome, Step, run, step};
