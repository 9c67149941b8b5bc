//! Engines for the cores that are registered: an interpreter for each architecture and timing model, and a translator for those whose cycles are
//! known when code is made. All give the same state, counts and cycles.
//!
//! A machine calls them with a core of any architecture; which engine and which timing model fit which architecture is said here and nowhere else.

mod interpreting;
mod timing;
mod translating;

pub use interpreting::{interpret, step};
pub use socscope_arm::timing::{BusCycles, Sequences};
pub use timing::{BusState, Timing};
pub use translating::Translators;

use socscope_architectures::AnyCore;

/// A core with all that belongs to it while it executes.
pub struct Executing<'a> {
    /// Its state.
    pub core: &'a mut AnyCore,
    /// Its timing model, which fits it.
    pub timing: &'a mut Timing,
    /// How far it is.
    pub cycle: &'a mut u64,
}

/// How an engine leaves a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It goes on when its bus's deadline allows.
    Ready,
    /// It waits for an interrupt.
    Asleep,
    /// It has given up: only a reset helps.
    GivenUp,
}
