//! What the engine keeps of one core.

use super::memory_only::MemoryOnly;
use crate::entries::Entries;
use crate::memories::Memories;
use crate::powerpc::flavour::Flavour;
use crate::powerpc::tables::Tables;
use crate::translations::Translations;
use socscope_powerpc::{Core, Mmu, Purpose, Translate};
use std::collections::BTreeSet;

/// The place of one core.
pub(super) struct Seat {
    pub tables: Tables,
    /// The epoch of the address space that the tables are of.
    pub epoch: u64,
    /// While translated code runs: addresses of the translations, of the table of those that were looked up, and of the run's stops.
    pub translations: *const Translations,
    pub entries: *const Entries,
    pub stops: *const BTreeSet<u32>,
}

impl Seat {
    pub fn new() -> Option<Seat> {
        Some(Seat {
            tables: Tables::new()?,
            epoch: 0,
            translations: std::ptr::null(),
            entries: std::ptr::null(),
            stops: std::ptr::null(),
        })
    }

    /// Catches up with changes of memory pages.
    #[inline]
    pub fn catch_up(&mut self, epoch: u64) {
        if self.epoch != epoch {
            self.tables.clear();
            self.epoch = epoch;
        }
    }

    /// Where an instruction is fetched from.
    pub fn physical<B: Memories>(
        &mut self,
        (core, mmu, bus): (&mut Core, &mut Mmu, &mut B),
        flavour: Flavour,
        address: u32,
    ) -> Option<u32> {
        if !flavour.fetches_translated {
            return Some(address);
        }
        self.follow(mmu);
        let table = flavour.fetch_table();
        if let Some(physical) = self.tables.fetch(table, address) {
            return Some(physical);
        }
        let bus = &mut MemoryOnly(bus);
        let physical = mmu.translate(core, bus, address, Purpose::Fetch).ok();
        self.follow(mmu);
        self.tables.set_fetch(table, address, physical?);
        physical
    }

    /// Catches up with changes of the translation buffers.
    #[inline]
    pub fn follow(&mut self, mmu: &mut Mmu) {
        if mmu.has_changes() {
            self.tables.drop_changed(&mmu.take_changes());
        }
    }
}
