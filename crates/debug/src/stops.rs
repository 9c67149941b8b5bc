//! Breakpoints and watchpoints: by address, so that the guest's memory is never changed.

use gdbstub::target::ext::breakpoints::WatchKind;
use socscope_checkpoint::history::{Conditions, Hit, Watch, Watchpoint};
use std::collections::BTreeMap;

/// Which kind a breakpoint is for GDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakKind {
    Software = 0,
    Hardware = 1,
}

/// Everything that stops the guest where it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    /// How often a breakpoint was set at an address, by kind.
    breakpoints: [BTreeMap<u32, u32>; 2],
    watchpoints: Vec<Watchpoint>,
}

impl Stops {
    pub fn add(&mut self, address: u32, kind: BreakKind) {
        *self.breakpoints[kind as usize].entry(address).or_default() += 1;
    }

    /// Whether it was there.
    pub fn remove(&mut self, address: u32, kind: BreakKind) -> bool {
        let set = &mut self.breakpoints[kind as usize];
        let Some(count) = set.get_mut(&address) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            set.remove(&address);
        }
        true
    }

    pub fn watch(&mut self, watchpoint: Watchpoint) {
        self.watchpoints.push(watchpoint);
    }

    /// Whether it was there.
    pub fn unwatch(&mut self, watchpoint: Watchpoint) -> bool {
        let found = self.watchpoints.iter().position(|one| *one == watchpoint);
        found.map(|index| self.watchpoints.remove(index)).is_some()
    }

    pub fn watches_nothing(&self) -> bool {
        self.watchpoints.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Stops::default();
    }

    pub fn conditions(&self) -> Conditions {
        let [software, hardware] = &self.breakpoints;
        Conditions {
            breakpoints: software.keys().chain(hardware.keys()).copied().collect(),
            watchpoints: self.watchpoints.iter().copied().collect(),
        }
    }

    pub fn kind_at(&self, address: u32) -> Option<BreakKind> {
        [BreakKind::Hardware, BreakKind::Software]
            .into_iter()
            .find(|&kind| self.breakpoints[kind as usize].contains_key(&address))
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
pub(crate) fn touched(hit: &Hit) -> Option<(WatchKind, u32)> {
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
    Some((kind, watchpoint.address.max(*address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakpoint_that_is_set_twice_is_removed_twice() {
        let mut stops = Stops::default();
        stops.add(8, BreakKind::Software);
        stops.add(8, BreakKind::Software);
        stops.add(8, BreakKind::Hardware);
        assert_eq!(stops.kind_at(8), Some(BreakKind::Hardware));
        assert!(stops.remove(8, BreakKind::Hardware) && stops.remove(8, BreakKind::Software));
        assert_eq!(stops.kind_at(8), Some(BreakKind::Software));
        assert!(stops.remove(8, BreakKind::Software) && !stops.remove(8, BreakKind::Software));
        assert!(stops.conditions().is_empty());
    }

    #[test]
    fn the_same_range_can_be_watched_twice() {
        let mut stops = Stops::default();
        let one = watchpoint(0x100, 4, WatchKind::Write);
        stops.watch(one);
        stops.watch(one);
        assert!(stops.unwatch(one) && !stops.watches_nothing());
        assert!(stops.unwatch(one) && stops.watches_nothing() && !stops.unwatch(one));
    }
}
