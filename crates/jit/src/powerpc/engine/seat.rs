//! What the engine keeps of one core.

use super::memory_only::MemoryOnly;
use crate::entries::Entries;
use crate::memories::Memories;
use crate::powerpc::flavour::Flavour;
use crate::powerpc::tables::{Tables, tag};
use crate::profile::Mode;
use crate::translations::Translations;
use socscope_memory::RegionIndex;
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
    /// What its code does for an observer.
    pub mode: Mode,
    /// What the tables know of the region that was reached last.
    pub reached_tag: u32,
}

impl Seat {
    pub fn new() -> Option<Seat> {
        Some(Seat {
            tables: Tables::new()?,
            epoch: 0,
            translations: std::ptr::null(),
            entries: std::ptr::null(),
            stops: std::ptr::null(),
            mode: Mode::Plain,
            reached_tag: 0,
        })
    }

    /// Code is entered that does something else for an observer. Only counting asks for regions.
    pub fn serve(&mut self, mode: Mode) {
        if (self.mode == Mode::Counting) != (mode == Mode::Counting) {
            self.tables.clear();
        }
        self.mode = mode;
    }

    /// What the tables shall know of a region.
    pub fn tag_of(&mut self, region: RegionIndex) -> u32 {
        self.reached_tag = match self.mode {
            Mode::Counting => tag(region),
            _ => 0,
        };
        self.reached_tag
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
