//! Memory to look page tables up in, without side effects.

use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Endianness, Fault, FaultReason, RegionIndex, Viewer,
    When, Width,
};

/// A bus of memories alone, as somebody sees them, in a byte order: what is written to it is dropped.
#[derive(Debug)]
pub struct Looking<'a>(pub &'a AddressSpace, pub Viewer, pub Endianness);

impl Bus for Looking<'_> {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, |_, _| 0)
    }

    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let (value, region) = self.0.read_memory_for(self.1, address, width, self.2)?;
        Ok(Access { value, region })
    }

    fn write(
        &mut self,
        address: u32,
        _width: Width,
        _value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        match self.region(address) {
            RegionIndex::UNMAPPED => Err(Fault {
                address,
                reason: FaultReason::Unmapped,
            }),
            region => Ok(region),
        }
    }

    fn region(&self, address: u32) -> RegionIndex {
        self.0.map().find_for(self.1, address)
    }

    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.0.map().region(region).cost
    }

    fn deadline(&self) -> u64 {
        u64::MAX
    }

    fn irq(&self) -> bool {
        false
    }

    fn fiq(&self) -> bool {
        false
    }
}
