//! A bus of plain memory, as a machine has it.

use socscope_jit::Memories;
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Endianness, Fault, Memory, Region, RegionIndex, Target,
    Width,
};

/// Memory from address 0 on, as large as its contents, and a ROM at 0x200000.
pub struct TestBus {
    pub space: AddressSpace,
    pub deadline: u64,
    pub irq: bool,
}

const ROM_BYTES: u32 = 0x1000;
const ROM_BASE: u32 = 0x20_0000;

impl TestBus {
    pub fn new(ram: &[u8]) -> TestBus {
        let mut space = AddressSpace::new(Endianness::Big);
        for (name, base, size, writable) in [
            ("ram", 0, ram.len() as u32, true),
            ("rom", ROM_BASE, ROM_BYTES, false),
        ] {
            let memory = space.add_memory(Memory::new(name, size));
            let added = space.map_mut().add(Region {
                name: name.into(),
                base,
                size,
                enabled: true,
                target: Target::Memory { memory, writable },
                cost: AccessCost::SINGLE_CYCLE,
            });
            added.expect("the regions are apart");
        }
        space.load(socscope_memory::MemoryIndex(0), 0, ram);
        TestBus {
            space,
            deadline: 0,
            irq: false,
        }
    }
}

impl Memories for TestBus {
    fn space(&self) -> &AddressSpace {
        &self.space
    }
    fn space_mut(&mut self) -> &mut AddressSpace {
        &mut self.space
    }
}

impl Bus for TestBus {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, 0)
    }
    fn read(&mut self, address: u32, width: Width, _cycle: u64) -> Result<Access, Fault> {
        let (value, region) = self.space.read_memory(address, width)?;
        Ok(Access { value, region })
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _cycle: u64,
    ) -> Result<RegionIndex, Fault> {
        self.space.write_memory(address, width, value)
    }
    fn region(&self, address: u32) -> RegionIndex {
        self.space.map().find(address)
    }
    fn cost(&self, _region: RegionIndex) -> &AccessCost {
        const { &AccessCost::SINGLE_CYCLE }
    }
    fn deadline(&self) -> u64 {
        self.deadline
    }
    fn irq(&self) -> bool {
        self.irq
    }
    fn fiq(&self) -> bool {
        false
    }
}
