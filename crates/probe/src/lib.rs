//! What can be counted in a run: the profile. What can be written down of a short one: the trace.
//!
//! A probe is an observer of a machine. It never changes what the machine does: state and time are the same with and without it.

mod contexts;
mod counts;
mod dma;
mod frames;
mod functions;
mod interrupts;
pub mod linux;
mod marker;
mod path;
mod probe_set;
mod profile;
mod recent;
mod state;
pub mod trace;
mod window;

pub use contexts::{CONTEXTS_MAX, Entry, Node, NodeIndex};
pub use counts::Counts;
pub use dma::DmaTransfer;
pub use functions::{FunctionId, Functions, Range};
pub use interrupts::{InterruptStatistics, Latency};
pub use marker::{Marked, Marker, Point, Trigger};
pub use path::Path;
pub use probe_set::ProbeSet;
pub use profile::{CoreProfile, Kernel, Profile, RegisterAccess};
pub use state::{Entries, Folded, Interruptions, More, ProfileState, ProfileStateError};
pub use trace::{Trace, Watched};
pub use window::{CoreSet, Span, Window};
