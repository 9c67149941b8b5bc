//! What the engine keeps of one core.

use super::memory_only::MemoryOnly;
use crate::entries::Entries;
use crate::frame::adapter::Adapter;
use crate::frame::key::{Flavour, region_place};
use crate::frame::tables::{Tables, tag};
use crate::memories::Memories;
use crate::profile::{Mode, Targets};
use crate::translations::Translations;
use socscope_core::Purpose;
use socscope_memory::RegionIndex;
use std::collections::BTreeSet;

/// The place of one core.
pub(crate) struct Seat {
    pub tables: Tables,
    /// The epoch of the address space that the tables are of.
    pub epoch: u64,
    /// While translated code runs: addresses of the translations, of the table of those that were looked up, and of the run's stops.
    pub translations: *const Translations,
    pub entries: *const Entries,
    pub stops: *const BTreeSet<u32>,
    /// And of the tables of functions by computed address.
    pub targets: *mut [Targets; 2],
    /// What its code does for an observer.
    pub mode: Mode,
    /// Whether regions that are learnt make a difference.
    pub regions_matter: bool,
    /// What the tables know of the region that was reached last, and where on the bus that was.
    pub reached_tag: u32,
    pub reached_bus: u32,
}

impl Seat {
    pub fn new<A: Adapter>() -> Option<Seat> {
        Some(Seat {
            tables: Tables::new::<A>()?,
            epoch: 0,
            translations: std::ptr::null(),
            entries: std::ptr::null(),
            stops: std::ptr::null(),
            targets: std::ptr::null_mut(),
            mode: Mode::Plain,
            regions_matter: false,
            reached_tag: 0,
            reached_bus: 0,
        })
    }

    /// Code is entered that does something else for an observer. Only counting asks tables of pages for regions.
    pub fn serve(&mut self, mode: Mode) {
        let asks = |mode| mode == Mode::Counting;
        if asks(self.mode) != asks(mode) && self.tables.granules().is_none() {
            self.tables.clear_pages();
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

    /// What a key holds of where code lies.
    pub fn place<A: Adapter, B: Memories>(&self, bus: &B, physical: u32) -> u32 {
        match A::LEARNS {
            true if self.regions_matter => region_place(bus.region(physical)),
            true => 0,
            false => physical,
        }
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
    pub fn physical<A: Adapter, B: Memories>(
        &mut self,
        (core, mmu, bus): (&mut A::Core, &mut A::Mmu, &mut B),
        flavour: A::Flavour,
        address: u32,
    ) -> Option<u32> {
        if !flavour.fetches_translated() {
            return Some(address);
        }
        A::follow(core, mmu, &mut self.tables);
        let table = flavour.fetch_table();
        if let Some(physical) = self.tables.fetch(table, address) {
            return Some(physical);
        }
        let bus = &mut MemoryOnly(bus);
        let physical = A::translate(core, mmu, bus, address, (Purpose::Fetch, None));
        A::follow(core, mmu, &mut self.tables);
        self.tables.set_fetch(table, address, physical?);
        physical
    }
}
