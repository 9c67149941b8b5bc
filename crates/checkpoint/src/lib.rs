//! Checkpoints: the complete state of a machine as a file, and going back in time.

mod file;
pub mod history;

pub use file::{Checkpoint, CheckpointError, Facts, MachineFacts, Seat, SeatImage, VERSION};
