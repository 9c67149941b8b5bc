//! Breakpoints and watchpoints: by address, so that the guest's memory is never changed.

use crate::motion::Halt;
use gdbstub::target::ext::breakpoints::WatchKind;
use socscope_checkpoint::history::{Conditions, Hit, Watch, Watchpoint};
use socscope_machine::CoresAt;
use std::collections::{BTreeMap, BTreeSet};

/// Which kind a breakpoint is for GDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakKind {
    Software = 0,
    Hardware = 1,
}

/// Everything that stops the guest where it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    /// How often a breakpoint was set at an address of a process, by kind.
    breakpoints: [BTreeMap<(usize, u32), u32>; 2],
    /// With their processes.
    watchpoints: Vec<(usize, Watchpoint)>,
}

impl Stops {
    pub fn add(&mut self, process: usize, address: u32, kind: BreakKind) {
        *self.breakpoints[kind as usize]
            .entry((process, address))
            .or_default() += 1;
    }

    /// Whether it was there.
    pub fn remove(&mut self, process: usize, address: u32, kind: BreakKind) -> bool {
        let set = &mut self.breakpoints[kind as usize];
        let Some(count) = set.get_mut(&(process, address)) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            set.remove(&(process, address));
        }
        true
    }

    pub fn watch(&mut self, process: usize, watchpoint: Watchpoint) {
        self.watchpoints.push((process, watchpoint));
    }

    /// Whether it was there.
    pub fn unwatch(&mut self, process: usize, watchpoint: Watchpoint) -> bool {
        let mut all = self.watchpoints.iter();
        let found = all.position(|one| *one == (process, watchpoint));
        found.map(|index| self.watchpoints.remove(index)).is_some()
    }

    /// The processes that watch something; `here` comes first.
    pub fn watching(&self, watchpoint: &Watchpoint, here: usize) -> Vec<usize> {
        let them = self.watchpoints.iter();
        let them = them.filter(|(_, one)| one == watchpoint);
        let mut them: Vec<usize> = them.map(|&(process, _)| process).collect();
        them.sort_unstable_by_key(|&process| (process != here, process));
        them
    }

    pub fn watches_nothing(&self) -> bool {
        self.watchpoints.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Stops::default();
    }

    /// Forgets what was set in a process.
    pub fn clear_of(&mut self, process: usize) {
        for set in &mut self.breakpoints {
            set.retain(|&(one, _), _| one != process);
        }
        self.watchpoints.retain(|&(one, _)| one != process);
    }

    /// For a machine whose cores belong to these processes; without them, for all machines: then cores stop where other processes have breakpoints, too.
    pub fn conditions(&self, of_cores: Option<&[usize]>) -> Conditions {
        let [software, hardware] = &self.breakpoints;
        let set = || software.keys().chain(hardware.keys()).copied();
        let mut cores = CoresAt::new();
        for (process, address) in set() {
            let those = (0u16..).zip(of_cores.unwrap_or_default());
            let those = those.filter(|&(_, &one)| one == process);
            let all: &mut BTreeSet<u16> = cores.entry(address).or_default();
            all.extend(those.map(|(core, _)| core));
        }
        // One for all cores needs no list of them.
        let every = of_cores.map_or(usize::MAX, <[usize]>::len);
        cores.retain(|_, those| of_cores.is_some() && those.len() < every);
        Conditions {
            breakpoints: set().map(|(_, address)| address).collect(),
            cores,
            watchpoints: self.watchpoints.iter().map(|&(_, one)| one).collect(),
        }
    }

    pub fn kind_at(&self, process: usize, address: u32) -> Option<BreakKind> {
        [BreakKind::Hardware, BreakKind::Software]
            .into_iter()
            .find(|&kind| self.breakpoints[kind as usize].contains_key(&(process, address)))
    }
}

/// A watchpoint as GDB describes it.
pub(crate) fn watchpoint(address: u32, bytes: u32, kind: WatchKind) -> Watchpoint {
    let watch = match kind {
        WatchKind::Write => Watch::Write,
        WatchKind::Read => Watch::Read,
        WatchKind::ReadWrite => Watch::Access,
    };
    Watchpoint {
        address,
        bytes,
        watch,
    }
}

/// What GDB is told of a watchpoint that was met: its kind, and the first watched byte that the access touched.
pub(crate) fn touched(hit: &Hit) -> Option<Halt> {
    let Hit::Watchpoint {
        watchpoint,
        address,
        ..
    } = hit
    else {
        return None;
    };
    let kind = match watchpoint.watch {
        Watch::Write => WatchKind::Write,
        Watch::Read => WatchKind::Read,
        Watch::Access => WatchKind::ReadWrite,
    };
    let first = watchpoint.address.max(*address);
    Some(Halt::Watch(kind, first, *watchpoint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakpoint_that_is_set_twice_is_removed_twice() {
        let mut stops = Stops::default();
        stops.add(0, 8, BreakKind::Software);
        stops.add(0, 8, BreakKind::Software);
        stops.add(0, 8, BreakKind::Hardware);
        assert_eq!(stops.kind_at(0, 8), Some(BreakKind::Hardware));
        assert!(stops.remove(0, 8, BreakKind::Hardware) && stops.remove(0, 8, BreakKind::Software));
        assert_eq!(stops.kind_at(0, 8), Some(BreakKind::Software));
        assert!(
            stops.remove(0, 8, BreakKind::Software) && !stops.remove(0, 8, BreakKind::Software)
        );
        assert!(stops.conditions(None).is_empty());
    }

    #[test]
    fn a_breakpoint_is_for_the_cores_of_its_process() {
        let mut stops = Stops::default();
        stops.add(0, 8, BreakKind::Software);
        stops.add(1, 8, BreakKind::Hardware);
        stops.add(1, 12, BreakKind::Software);
        assert_eq!(
            (stops.kind_at(1, 12), stops.kind_at(0, 12)),
            (Some(BreakKind::Software), None)
        );
        let found = stops.conditions(Some(&[0, 1, 1]));
        assert_eq!(found.breakpoints, [8, 12].into());
        assert_eq!(found.cores, [(12, [1, 2].into())].into());
        assert_eq!(stops.conditions(Some(&[0])).cores, [(12, [].into())].into());
        assert!(stops.conditions(None).cores.is_empty());
        stops.clear_of(1);
        assert_eq!(stops.conditions(None).breakpoints, [8].into());
    }

    #[test]
    fn the_same_range_can_be_watched_twice() {
        let mut stops = Stops::default();
        let one = watchpoint(0x100, 4, WatchKind::Write);
        stops.watch(0, one);
        stops.watch(0, one);
        stops.watch(1, one);
        assert_eq!(stops.watching(&one, 1), [1, 0, 0]);
        stops.clear_of(1);
        assert!(stops.unwatch(0, one) && !stops.watches_nothing());
        assert!(stops.unwatch(0, one) && stops.watches_nothing() && !stops.unwatch(0, one));
    }
}
