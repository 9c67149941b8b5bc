//! What can go wrong on the way through time.

use socscope_machine::{InputError, ReplayError, RestoreError};
use socscope_time::Instant;
use thiserror::Error;

/// A place in time that cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HistoryError {
    /// The machine is no longer the one whose history this is.
    #[error("the state at cycle {cycle} of the history cannot be restored: {reason}")]
    Restore {
        /// Cycle of the state.
        cycle: u64,
        /// Why.
        reason: Box<RestoreError>,
    },
    /// The run does not repeat.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The machine does not take an input once more.
    #[error("input {number} at cycle {cycle} cannot be applied once more: {reason}")]
    Input {
        /// Its number in the log, from 0.
        number: usize,
        /// Its cycle.
        cycle: u64,
        /// Why.
        reason: Box<InputError>,
    },
    /// A device model failed on the way, as it did when the machine went it first.
    #[error("{0}; nothing behind it can be reached")]
    Failed(String),
    /// Nothing is known of that time.
    #[error(
        "{} ms lie before the history, which begins at {} ms: switch the history on earlier in the run",
        milliseconds(.asked),
        milliseconds(.begin)
    )]
    BeforeBegin {
        /// What was asked for.
        asked: Instant,
        /// Where the history begins.
        begin: Instant,
    },
    /// That time has not been yet.
    #[error(
        "{} ms lie behind the present, {} ms: run on to get there",
        milliseconds(.asked),
        milliseconds(.present)
    )]
    BehindPresent {
        /// What was asked for.
        asked: Instant,
        /// The present.
        present: Instant,
    },
}

fn milliseconds(time: &Instant) -> f64 {
    time.0 as f64 / 1e9
}
