//! A big-endian bus of memories alone.

use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Endianness, Fault, RegionIndex, When, Width,
};

pub struct Memories(pub AddressSpace);

impl Bus for Memories {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, |_, _| 0)
    }
    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let (value, region) = self.0.read_memory(address, width, Endianness::Big)?;
        Ok(Access { value, region })
    }
    fn write(
        &mut self,
        at: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        self.0.write_memory(at, width, value, Endianness::Big)
    }
    fn region(&self, address: u32) -> RegionIndex {
        self.0.map().find(address)
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
