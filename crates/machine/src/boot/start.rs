//! What a boot loader leaves in the cores when it jumps to an image.

use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use socscope_architectures::AnyCore;
use socscope_core::Entry;

/// Where and how the first core starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// Address of the first instruction, as the image gives it.
    pub entry: u32,
    /// The first address behind the image.
    pub image_end: u32,
    /// The stack pointer, where the boot protocol sets one.
    pub stack: u32,
    /// Arguments, where the boot protocol hands some over.
    pub arguments: Vec<u32>,
    /// The boot loader has put more into memory than the image: a reset needs it again.
    pub loaded: bool,
}

impl Machine {
    /// Whether a boot loader's work is in memory, which a reset would need again.
    pub(crate) fn is_loaded(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.loaded)
    }
}

impl Start {
    /// Sets the registers of core `number` after its reset at `cycle`.
    pub fn apply(&self, core: &mut AnyCore, number: usize, cycle: u64) {
        let entry = Entry {
            address: self.entry,
            stack: self.stack,
            arguments: &self.arguments,
        };
        core.start(entry, number, cycle);
    }
}
