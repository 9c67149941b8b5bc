//! Memory management (manual: "Memory management").

mod changes;
mod translation;

pub use changes::Changes;
pub use translation::{Purpose, Translate, TranslationFault, Untranslated};

use super::{Core, CoreModel};
use serde::{Deserialize, Serialize};
use socscope_memory::Bus;

/// Entries of each of the two translation buffers, for instructions and for data. An address's entry is named by the low bits of its
/// page's number.
pub const TLB_ENTRIES: usize = 1024;

/// The state of translation beside [`Core`]: the translation buffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mmu {
    model: CoreModel,
}

impl Mmu {
    /// Of a core after reset: nothing is in the buffers.
    pub fn new(model: CoreModel) -> Mmu {
        Mmu { model }
    }

    /// What changed since this was last called.
    pub fn take_changes(&mut self) -> Changes {
        let mut changes = Changes::default();
        changes.add(true, 0);
        changes
    }
}

impl Translate for Mmu {
    fn translate<B: Bus>(
        &mut self,
        _core: &Core,
        _bus: &mut B,
        effective: u32,
        _purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        let _ = self.model;
        Ok(effective)
    }
}
