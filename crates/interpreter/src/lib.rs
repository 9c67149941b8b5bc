//! The slow, obvious engine: reads an instruction, executes its semantics, tells the timing model and the observer.

mod observer;

pub use observer::{Observer, Transfer, Unobserved};
