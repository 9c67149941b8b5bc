//! The bus as far as it is plain memory, for walks through page tables that translated code begins.
//!
//! What a walk meets beside memory is logged by the bus, or is a device that may do anything. The interpreter walks there, once, when it repeats the
//! instruction that translated code could not do: so this bus refuses before anything is seen.

use crate::memories::Memories;
use socscope_memory::{Access, AccessCost, Bus, Fault, RegionIndex, Viewer, When, Width};

/// Refuses what is no memory, and writes to read-only memory, without a trace.
pub(crate) struct MemoryOnly<'a, B>(pub &'a mut B);

impl<B: Memories> Bus for MemoryOnly<'_, B> {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        let (space, order) = (self.0.space(), self.0.order());
        let (value, region) = space.read_memory_for(Viewer::Looking, address, width, order)?;
        Ok(Access { value, region })
    }

    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        self.fetch(address, width)
    }

    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        let order = self.0.order();
        let space = self.0.space_mut();
        space.write_memory_for(Viewer::Looking, address, (width, value, order))
    }

    fn region(&self, address: u32) -> RegionIndex {
        self.0.region(address)
    }

    fn cost(&self, region: RegionIndex) -> &AccessCost {
        self.0.cost(region)
    }

    fn deadline(&self) -> u64 {
        self.0.deadline()
    }

    fn irq(&self) -> bool {
        self.0.irq()
    }

    fn fiq(&self) -> bool {
        self.0.fiq()
    }
}
