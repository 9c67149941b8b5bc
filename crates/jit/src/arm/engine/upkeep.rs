//! Keeping translations right: when the map, memory pages or code change.

use super::Translator;
use crate::Memories;
use crate::arm::learning::Seen;
use crate::states::Costs;
use socscope_isa::StaticCycleModel;
use socscope_memory::{Region, RegionIndex, Target};

impl<M: StaticCycleModel<Ahead = M>> Translator<M> {
    /// Catches up with changes of the map, of memory pages and of code.
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
        if self.regions != bus.space().map().regions() {
            self.forget(bus);
            // What was learnt names regions by their place in the old map.
            self.seen = Seen::new();
            self.regions = bus.space().map().regions().to_vec();
            self.costs = Costs::new(self.regions.iter().map(|region| region.cost).collect());
        }
        self.granules.clear();
        self.epoch = Some(bus.space().epoch());
    }

    /// Forgets all translations.
    pub(super) fn forget<B: Memories>(&mut self, bus: &mut B) {
        self.translations.clear(bus.space_mut());
        self.entries.clear();
        self.targets.clear();
        self.exits.clear();
        self.arena.truncate(self.kept);
        self.statistics.flushes += 1;
    }

    fn invalidate(&mut self, key: u64) {
        if let Some(address) = self.remove(key) {
            self.heat.cool(address);
            self.statistics.invalidations += 1;
        }
    }

    /// Drops a translation; where it began.
    fn remove(&mut self, key: u64) -> Option<u32> {
        let removed = self.translations.remove(key)?;
        self.entries.remove(key);
        for slot in removed.incoming {
            self.exits.chain(slot, 0);
        }
        Some(removed.address)
    }

    /// Drops the translations of an instruction that lies in `region`, so that they are made again with what was learnt since.
    pub(super) fn make_again<B: Memories>(&mut self, bus: &B, address: u32, region: RegionIndex) {
        let Region { base, target, .. } = *bus.space().map().region(region);
        if let Target::Memory { memory, .. } = target {
            for key in self.translations.overlapping(memory, address - base, 1) {
                self.remove(key);
            }
        }
    }
}
