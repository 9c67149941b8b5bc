//! Faults of the guest in a row, for the report on a guest that is stuck.

use serde::{Deserialize, Serialize};

/// A fault of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Raised {
    /// Its number, as its architecture counts.
    pub vector: u8,
    pub pc: u32,
}

/// Faults of the guest in a row at the same place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ExceptionTrail {
    /// The fault before the repeated one, or the first of all.
    pub first: Option<Raised>,
    last: Option<Raised>,
    repetitions: u32,
}

const REPETITIONS_SUSPICIOUS: u32 = 8;

impl ExceptionTrail {
    /// Adds a fault.
    pub fn add(&mut self, raised: Raised) {
        if self.last == Some(raised) {
            self.repetitions += 1;
        } else {
            self.first = self.last.or(Some(raised));
            self.last = Some(raised);
            self.repetitions = 1;
        }
    }

    /// The fault that happened last.
    pub fn latest(&self) -> Option<Raised> {
        self.last
    }

    /// The fault that happened many times in a row.
    pub fn repeated(&self) -> Option<Raised> {
        self.last
            .filter(|_| self.repetitions >= REPETITIONS_SUSPICIOUS)
    }
}
