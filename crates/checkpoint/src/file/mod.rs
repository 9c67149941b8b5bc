//! A checkpoint as a file: the complete state of machines that share one time, with what they were built from and what was counted.
//!
//! ```text
//! 0   8 bytes   "\x89SOCKPT\n"
//! 8   4 bytes   format version, little-endian
//! 12  4 bytes   length of the table of sections, little-endian
//! 16  32 bytes  BLAKE3 of the 16 bytes before and of the table
//! 48            table of sections: name, length, stored length and BLAKE3 of what is stored, of each (postcard)
//!               sections, one behind the other, each compressed with Zstandard
//! ```
//! The first section is `facts`. Machine N has `N/platform`, its device tree before the overrides; its state; `N/image`, the image's name and
//! file, if it is kept; `N/profile`, functions and counts, if it is counted; `N/profile-more`, its other cores, exceptions and tasks;
//! `N/profile-own-functions`, those in memory that a core alone sees, only where there are any;
//! `N/left_out` and `N/profile-folded`, what was too much to be told apart, only where there is any.
//!
//! A section is unpacked up to the length that it can have: that of the memories follows from the platform.
//!
//! A section is plain data (postcard: integers of variable length, nothing of the host): never a pointer, never native code.

mod container;
mod contents;
mod error;
#[cfg(test)]
mod malicious;

pub use container::VERSION;
pub use contents::{Checkpoint, Facts, MachineFacts, Seat, SeatImage};
pub use error::CheckpointError;
