//! Faults of the guest in a row, for the report on a guest that is stuck.

use serde::{Deserialize, Serialize};

/// A fault of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub(crate) struct Raised {
    /// The number of the core.
    pub core: u8,
    /// The fault's number, as its architecture counts.
    pub vector: u8,
    pub pc: u32,
}

/// How a fault is saved: with the core's number above the fault's. Both are below 16, and that of an only core is 0.
#[derive(Serialize, Deserialize)]
struct Saved(u8, u32);

impl From<Saved> for Raised {
    fn from(Saved(both, pc): Saved) -> Raised {
        Raised {
            core: both >> 4,
            vector: both & 15,
            pc,
        }
    }
}

impl From<Raised> for Saved {
    fn from(Raised { core, vector, pc }: Raised) -> Saved {
        Saved(core << 4 | vector & 15, pc)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_two_cores_are_two() {
        let mut trail = ExceptionTrail::default();
        let raised = |core| Raised {
            core,
            vector: 3,
            pc: 0x100,
        };
        for number in 0..40 {
            trail.add(raised(number % 2));
        }
        assert_eq!(trail.repeated(), None);
        for _ in 0..8 {
            trail.add(raised(1));
        }
        assert_eq!(trail.repeated(), Some(raised(1)));
    }

    #[test]
    fn a_fault_is_saved_with_its_core() {
        for core in 0..8 {
            let raised = Raised {
                core,
                vector: 4,
                pc: 0x1234,
            };
            let bytes = postcard::to_allocvec(&raised).unwrap();
            assert_eq!(postcard::from_bytes::<Raised>(&bytes).unwrap(), raised);
            // That of the first core is what it was without one.
            assert!(core > 0 || bytes == postcard::to_allocvec(&(4_u8, 0x1234_u32)).unwrap());
        }
    }
}
