//! The slow, obvious engine: reads an instruction, executes its semantics, tells the timing model and the observer.

mod executor;
mod observer;
pub mod powerpc;
mod step;

pub use observer::{Observer, Ranges, Shared, Transfer, Translation, Unobserved};
pub use step::{Outcome, Step, run, step};
