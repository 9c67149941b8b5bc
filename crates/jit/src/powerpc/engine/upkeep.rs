//! Keeping translations right: when the map, memory pages or code change.

use super::Translator;
use crate::memories::Memories;
use crate::states::Costs;
use socscope_isa::Foreseeable;
use socscope_isa::powerpc::Class;

impl<M: Foreseeable<Class>> Translator<M> {
    /// Catches up with changes of the map and of code.
    pub(super) fn keep_up<B: Memories>(&mut self, bus: &mut B) {
        if bus.space().code_was_written() {
            let writes = bus.space_mut().take_code_writes();
            let mut stale = vec![];
            for (memory, offset, bytes) in writes {
                stale.extend(self.translations.overlapping(memory, offset, bytes));
            }
            for key in stale {
                self.invalidate(key);
            }
        }
        let epoch = bus.space().epoch();
        if self.epoch == Some(epoch) {
            return;
        }
        if self.regions != bus.space().map().regions() {
            self.forget(bus);
            self.regions = bus.space().map().regions().to_vec();
            self.costs = Costs::new(self.regions.iter().map(|region| region.cost).collect());
        }
        self.epoch = Some(bus.space().epoch());
    }

    /// Forgets all translations.
    pub(super) fn forget<B: Memories>(&mut self, bus: &mut B) {
        bus.space_mut().forget_code();
        self.translations.clear();
        self.entries.clear();
        self.exits.clear();
        self.arena.truncate(self.kept);
        self.statistics.flushes += 1;
    }

    fn invalidate(&mut self, key: u64) {
        let Some(removed) = self.translations.remove(key) else {
            return;
        };
        self.entries.remove(key);
        for slot in removed.incoming {
            self.exits.slots.set(slot, 0);
        }
        self.heat.cool(removed.address);
        self.statistics.invalidations += 1;
    }
}
