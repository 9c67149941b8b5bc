//! Faults of the guest in a row on each core, for the report on a guest that is stuck.

use crate::running::processor::CORES_MAX;
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

/// Faults of a core in a row at the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExceptionTrail {
    /// The fault before the repeated one, or the first of all.
    pub first: Option<Raised>,
    last: Option<Raised>,
    repetitions: u32,
}

const REPETITIONS_SUSPICIOUS: u32 = 8;

impl ExceptionTrail {
    /// Adds a fault of the core.
    fn add(&mut self, raised: Raised) {
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

/// The trails of all cores. Saved is that of the first one here; those of the others are apart. Files had one trail for all cores before: of it, what is
/// in a row is of the core that comes last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "ExceptionTrail", into = "ExceptionTrail")]
pub(crate) struct ExceptionTrails([ExceptionTrail; CORES_MAX]);

impl From<ExceptionTrails> for ExceptionTrail {
    fn from(ExceptionTrails([first, ..]): ExceptionTrails) -> ExceptionTrail {
        first
    }
}

impl TryFrom<ExceptionTrail> for ExceptionTrails {
    type Error = &'static str;

    fn try_from(trail: ExceptionTrail) -> Result<ExceptionTrails, &'static str> {
        let mut trails = ExceptionTrails::default();
        let core = trail.last.map_or(0, |last| last.core);
        let place = trails.0.get_mut(usize::from(core));
        *place.ok_or("a fault is of a core that no machine has")? = trail;
        Ok(trails)
    }
}

impl ExceptionTrails {
    /// Adds a fault of whichever core; whether it was raised many times in a row.
    pub fn add(&mut self, raised: Raised) -> bool {
        let trail = &mut self.0[usize::from(raised.core) % CORES_MAX];
        trail.add(raised);
        trail.repeated().is_some()
    }

    /// The trail of a core.
    pub fn of(&self, core: usize) -> &ExceptionTrail {
        &self.0[core % CORES_MAX]
    }

    /// The trails of the cores behind the first, up to the last one that has faulted.
    pub fn others(&self) -> &[ExceptionTrail] {
        let others = &self.0[1..];
        let empty = others.iter().rev().take_while(|trail| trail.last.is_none());
        &others[..others.len() - empty.count()]
    }

    /// Takes what [`ExceptionTrails::others`] gave; false when it is nothing of the kind.
    pub fn set_others(&mut self, others: Vec<ExceptionTrail>) -> bool {
        let is_of =
            |(trail, core): (&ExceptionTrail, u8)| trail.last.is_none_or(|last| last.core == core);
        let fits = others.len() < CORES_MAX && others.iter().zip(1..).all(is_of);
        if fits {
            for (place, trail) in self.0[1..].iter_mut().zip(others) {
                *place = trail;
            }
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn raised(core: u8) -> Raised {
        Raised {
            core,
            vector: 3,
            pc: 0x100,
        }
    }

    fn through_bytes(trails: &ExceptionTrails) -> ExceptionTrails {
        let [first, others] = [
            postcard::to_allocvec(trails).unwrap(),
            postcard::to_allocvec(trails.others()).unwrap(),
        ];
        let mut read: ExceptionTrails = postcard::from_bytes(&first).unwrap();
        assert!(read.set_others(postcard::from_bytes(&others).unwrap()));
        read
    }

    #[test]
    fn faults_of_another_core_do_not_come_in_between() {
        let mut trails = ExceptionTrails::default();
        for number in 0..14 {
            assert!(!trails.add(raised(number % 2)), "{number}");
        }
        assert!(trails.add(raised(0)));
        assert_eq!(trails.of(0).repeated(), Some(raised(0)));
        assert_eq!(trails.of(1).repeated(), None);
        assert!(trails.add(raised(1)));
        trails.add(Raised {
            pc: 0x200,
            ..raised(0)
        });
        assert_eq!(trails.of(0).repeated(), None);
        let read = through_bytes(&trails);
        assert_eq!((read.0, trails.others().len()), (trails.0, 1));
    }

    #[test]
    fn files_with_one_trail_for_all_cores_are_read() {
        for core in [0, 3] {
            let trail = ExceptionTrail {
                first: Some(raised(1)),
                last: Some(raised(core)),
                repetitions: 9,
            };
            let bytes = postcard::to_allocvec(&trail).unwrap();
            let read: ExceptionTrails = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(read.of(usize::from(core)), &trail);
            let others = (0..CORES_MAX).filter(|&other| other != usize::from(core));
            assert!(
                others
                    .into_iter()
                    .all(|other| read.of(other).last.is_none())
            );
            assert!(core > 0 || postcard::to_allocvec(&read).unwrap() == bytes);
        }
        let nobodys = ExceptionTrail {
            last: Some(raised(9)),
            ..ExceptionTrail::default()
        };
        let bytes = postcard::to_allocvec(&nobodys).unwrap();
        assert!(postcard::from_bytes::<ExceptionTrails>(&bytes).is_err());
        assert!(!ExceptionTrails::default().set_others(vec![nobodys]));
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
