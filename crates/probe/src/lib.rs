//! What can be counted in a run: the profile.
//!
//! A probe is an observer of a machine. It never changes what the machine does: state and time are the same with and without it.

mod contexts;
mod counts;
mod dma;
mod frames;
mod functions;
mod interrupts;
mod optional;
mod profile;
mod window;

pub use contexts::{Entry, Node, NodeIndex};
pub use counts::{Counts, REGION_KINDS};
pub use dma::DmaTransfer;
pub use functions::{FunctionId, Functions};
pub use interrupts::{InterruptStatistics, Latency};
pub use optional::Optional;
pub use profile::{Profile, RegisterAccess};
pub use window::{Span, Window};
