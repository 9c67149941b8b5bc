//! Keeping translations right: when the map, memory pages or code change.

use super::Translator;
use crate::frame::adapter::Adapter;
use crate::frame::learning::Seen;
use crate::memories::Memories;
use crate::profile::Targets;
use crate::states::Costs;
use crate::translations::Translation;
use socscope_isa::StaticCycleModel;
use socscope_memory::{AddressMap, Region, Target, Viewer};

/// After so many refusals an instruction is taken for one that accesses devices.
const REFUSALS: u32 = 32;
/// Places that are remembered at most.
const REFUSING_MAX: usize = 1 << 14;

/// Whether the core that looks sees the same memories in a map as in the regions of the one before, by the same numbers: where code lies and what it assumes
/// depends on no other regions where no core has any of its own, because what all share has no overlaps, and a profile's counters stay where they are. A
/// device of a core's own may hide memory.
fn differ_by_devices(before: &[Region], map: &AddressMap) -> bool {
    let core = map.looking();
    let matters = |region: &Region| {
        let is_memory = matches!(region.target, Target::Memory { .. });
        region.is_of(core) && (is_memory || region.core.is_some())
    };
    let those = |regions: &[Region]| -> Vec<(usize, Region)> {
        let all = regions.iter().cloned().enumerate();
        all.filter(|(_, region)| matters(region)).collect()
    };
    those(before) == those(map.regions())
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Translator<A, M> {
    /// Catches up with changes of the map and of code.
    pub(super) fn keep_up<B: Memories>(&mut self, bus: &mut B) {
        if self.translations.were_written(bus.space()) {
            for key in self.translations.stale(bus.space_mut()) {
                self.invalidate(key);
            }
        }
        let epoch = bus.space().epoch();
        if self.epoch == Some(epoch) {
            return;
        }
        let regions = bus.space().map().regions();
        if self.regions != regions {
            // Where regions are learnt, what a device costs is in the code that accesses it.
            let costs_known = A::LEARNS && !self.devices.is_empty();
            let stays = differ_by_devices(&self.regions, bus.space().map()) && !costs_known;
            self.regions = regions.to_vec();
            self.costs = Costs::new(self.regions.iter().map(|region| region.cost).collect());
            if !stays {
                self.forget(bus);
                // What was learnt names regions by their place in the old map.
                self.seen = Seen::new();
            }
        }
        self.epoch = Some(bus.space().epoch());
    }

    /// Goes on with another machine: code that stands there as it did where it was translated stays.
    pub(super) fn move_to<B: Memories>(&mut self, bus: &mut B) {
        self.heat.fade();
        let left = self.translations.move_to(bus.space_mut());
        if !left.is_empty() {
            self.heat.thaw();
        }
        for key in left {
            if let Some(removed) = self.remove(key) {
                self.translations.park(key, removed);
            }
        }
        for seat in &mut self.seats {
            seat.tables.clear();
            seat.epoch = bus.space().epoch();
        }
        self.epoch = None;
    }

    /// Forgets all translations.
    pub(super) fn forget<B: Memories>(&mut self, bus: &mut B) {
        self.translations.clear(bus.space_mut());
        self.entries.clear();
        self.exits.clear();
        self.targets.iter_mut().for_each(Targets::clear);
        self.arena.truncate(self.kept);
        self.statistics.flushes += 1;
    }

    fn invalidate(&mut self, key: u64) {
        if let Some(Translation { address, .. }) = self.remove(key) {
            self.heat.cool(address);
            self.statistics.invalidations += 1;
        }
    }

    /// Removes a translation: nothing leads to it any more.
    fn remove(&mut self, key: u64) -> Option<Translation> {
        let mut removed = self.translations.remove(key)?;
        self.entries.remove(key);
        for slot in removed.incoming.drain(..) {
            self.exits.slots.set(slot, 0);
        }
        Some(removed)
    }

    /// An instruction at this place on the bus was refused an access. Where that happens often it is a device that is accessed: its code is made
    /// anew, with a call of the device.
    pub(super) fn refused<B: Memories>(&mut self, bus: &mut B, place: u32) {
        let enough = if self.heat.is_impatient() {
            1
        } else {
            REFUSALS
        };
        let count = self.refusals.entry(place).or_default();
        *count += 1;
        let often = *count >= enough;
        if self.refusals.len() > REFUSING_MAX {
            self.refusals.clear();
        }
        if !often || self.devices.len() >= REFUSING_MAX || !self.devices.insert(place) {
            return;
        }
        self.make_again(bus, place);
    }

    /// Drops the translations of an instruction at this place on the bus, so that they are made again with what was learnt since.
    pub(super) fn make_again<B: Memories>(&mut self, bus: &B, place: u32) {
        let map = bus.space().map();
        let region = map.region(map.find_for(Viewer::Looking, place));
        if let Target::Memory { memory, .. } = region.target {
            let offset = place - region.base;
            for key in self.translations.overlapping(memory, offset, 1) {
                self.remove(key);
            }
        }
    }
}
