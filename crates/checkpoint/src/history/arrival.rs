//! Where a way through time ends.

use super::conditions::Hit;
use socscope_machine::Stop;
use socscope_time::Instant;
use std::ops::ControlFlow;

/// Called now and then on a long way with the time that is being looked at. `Break` ends it: forwards there, backwards where it began.
pub type Progress<'a> = &'a mut dyn FnMut(Instant) -> ControlFlow<()>;

/// Why a way ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The machine stands where it was to go.
    There,
    /// At a breakpoint or watchpoint. Backwards, the access that is watched is the next step of the core; a device's access comes within it.
    Hit {
        /// What was met.
        hit: Hit,
        /// Backwards: what stood at the access's address before it; empty where no memory is.
        old: Vec<u8>,
        /// Backwards: what stood there after it.
        new: Vec<u8>,
    },
    /// Another end of a run forwards.
    Stop(Stop),
    /// At the beginning of the history: nothing was met.
    Begin,
    /// At the present: nothing was met. The machine goes on live from here.
    Present,
    /// The progress function ended it.
    Interrupted,
}
