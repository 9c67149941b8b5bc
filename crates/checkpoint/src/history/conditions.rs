//! Where a run is to stop, forwards and backwards alike.

use socscope_machine::{CoresAt, Until, is_for};
use socscope_memory::{Direction, Width};
use std::collections::BTreeSet;

/// Which accesses a watchpoint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Watch {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both.
    Access,
}

/// A range of addresses that is watched. Instruction fetches do not count; DMA does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watchpoint {
    /// First address.
    pub address: u32,
    /// Length.
    pub bytes: u32,
    /// Which accesses.
    pub watch: Watch,
}

impl Watchpoint {
    /// Whether an access is one that is watched for.
    pub fn sees(&self, address: u32, width: Width, direction: Direction) -> bool {
        let kind = match self.watch {
            Watch::Read => direction == Direction::Read,
            Watch::Write => direction == Direction::Write,
            Watch::Access => true,
        };
        let (first, last) = (
            u64::from(address),
            u64::from(address) + u64::from(width.bytes()),
        );
        let (begin, end) = (
            u64::from(self.address),
            u64::from(self.address) + u64::from(self.bytes),
        );
        kind && first < end && begin < last
    }
}

/// Breakpoints and watchpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Addresses of instructions: a run stops before one is executed.
    pub breakpoints: BTreeSet<u32>,
    /// The cores that such an address is for, where it is not for all.
    pub cores: CoresAt,
    /// A run forwards stops behind an access, a run backwards before it.
    pub watchpoints: BTreeSet<Watchpoint>,
}

impl Conditions {
    /// No condition.
    pub fn none() -> Conditions {
        Conditions::default()
    }

    /// Calls of the function at this address.
    pub fn at(address: u32) -> Conditions {
        Conditions {
            breakpoints: BTreeSet::from([address]),
            ..Conditions::default()
        }
    }

    /// Accesses to a range of addresses.
    pub fn watching(address: u32, bytes: u32, watch: Watch) -> Conditions {
        let watchpoint = Watchpoint {
            address,
            bytes,
            watch,
        };
        Conditions {
            watchpoints: BTreeSet::from([watchpoint]),
            ..Conditions::default()
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.breakpoints.is_empty() && self.watchpoints.is_empty()
    }

    /// The same end of a run, with the breakpoints added. The watchpoints are the [`crate::history::Watcher`]'s.
    pub fn until(&self, mut until: Until) -> Until {
        for &address in &self.breakpoints {
            let anyone = !until.addresses.insert(address) && !until.cores.contains_key(&address);
            match self.cores.get(&address) {
                Some(cores) if !anyone => until.cores.entry(address).or_default().extend(cores),
                _ => drop(until.cores.remove(&address)),
            }
        }
        until
    }

    /// Whether a core is to stop before the instruction at an address.
    pub(super) fn breaks(&self, core: u16, address: u32) -> bool {
        self.breakpoints.contains(&address) && is_for(&self.cores, address, core)
    }
}

/// Who made an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessor {
    /// The core, in the instruction at this address.
    Core {
        /// Address of the instruction.
        pc: u32,
    },
    /// A device by DMA.
    Device {
        /// Its index among the machine's devices.
        index: u16,
    },
}

/// A condition that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The instruction at this address is next.
    Breakpoint {
        /// Its address.
        address: u32,
    },
    /// An access to what is watched.
    Watchpoint {
        /// What was watched.
        watchpoint: Watchpoint,
        /// Address of the access, aligned.
        address: u32,
        /// Its width.
        width: Width,
        /// Its direction.
        direction: Direction,
        /// Who made it.
        by: Accessor,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use socscope_time::Instant;

    #[test]
    fn a_run_stops_for_all_cores_that_either_side_names() {
        let some = |cores: &[u16]| CoresAt::from([(8, cores.iter().copied().collect())]);
        let all = CoresAt::new();
        for (ours, theirs, together) in [
            (some(&[0]), some(&[1]), some(&[0, 1])),
            (some(&[0]), all.clone(), all.clone()),
            (all.clone(), some(&[1]), all.clone()),
            (all.clone(), all.clone(), all.clone()),
        ] {
            let mut until = Until::time(Instant::FOREVER);
            (until.addresses, until.cores) = ([8].into(), ours);
            let conditions = Conditions {
                cores: theirs.clone(),
                ..Conditions::at(8)
            };
            assert_eq!(conditions.until(until).cores, together);
            let alone = conditions.until(Until::time(Instant::FOREVER));
            assert_eq!((alone.addresses.len(), alone.cores), (1, theirs));
        }
    }
}
