//! What the engine keeps of one core.

use crate::powerpc::tables::Tables;
use crate::translations::Translations;
use socscope_isa::powerpc::Mmu;

/// The place of one core.
pub(super) struct Seat {
    pub tables: Tables,
    /// The epoch of the address space that the tables are of.
    pub epoch: u64,
    /// While translated code runs: address of the translations.
    pub translations: *const Translations,
}

impl Seat {
    pub fn new() -> Option<Seat> {
        Some(Seat {
            tables: Tables::new()?,
            epoch: 0,
            translations: std::ptr::null(),
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

    /// Catches up with changes of the translation buffers.
    #[inline]
    pub fn follow(&mut self, mmu: &mut Mmu) {
        if mmu.has_changes() {
            self.tables.drop_changed(&mmu.take_changes());
        }
    }
}
