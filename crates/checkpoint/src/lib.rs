//! Checkpoints: the complete state of a machine as a file, and going back in time.

pub mod history;
