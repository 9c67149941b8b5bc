//! Memory, and a device that notes what it sees.

use socscope_jit::Memories;
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Endianness, Fault, Memory, MemoryIndex, Region,
    RegionIndex, Target, When, Width,
};

pub const RAM_BYTES: usize = 0x4000;
const ROM: u32 = 0x7000;
/// Where the device lies.
pub const DEVICE: u32 = 0x8000;

pub struct TestBus {
    space: AddressSpace,
    order: Endianness,
    pub deadline: u64,
    pub irq: bool,
    /// All that the device has seen, mixed.
    pub seen: u64,
}

impl TestBus {
    /// Memories take a cycle for each access, the device waits.
    pub fn new(ram: &[u8], order: Endianness) -> TestBus {
        let quick = AccessCost::SINGLE_CYCLE;
        let slow = AccessCost::with_wait_states(16, 2, 1);
        TestBus::costing(ram, order, [quick, quick, slow])
    }

    /// What accesses to RAM, ROM and device cost.
    pub fn costing(ram: &[u8], order: Endianness, costs: [AccessCost; 3]) -> TestBus {
        let mut space = AddressSpace::default();
        let memory = space.add_memory(Memory::new("ram", ram.len() as u32));
        let rom = space.add_memory(Memory::new("rom", 0x1000));
        let writable = true;
        for ((name, base, size, target), cost) in [
            (
                "ram",
                0,
                ram.len() as u32,
                Target::Memory { memory, writable },
            ),
            (
                "rom",
                ROM,
                0x1000,
                Target::Memory {
                    memory: rom,
                    writable: false,
                },
            ),
            ("device", DEVICE, 0x1000, Target::Device(0)),
        ]
        .into_iter()
        .zip(costs)
        {
            let added = space.map_mut().add(Region {
                name: name.into(),
                base,
                size,
                enabled: true,
                core: None,
                target,
                cost,
            });
            added.expect("the regions are apart");
        }
        space.load(MemoryIndex(0), 0, ram);
        TestBus {
            space,
            order,
            deadline: 0,
            irq: false,
            seen: 0,
        }
    }

    pub fn memory(&self) -> Vec<u8> {
        self.space.memories()[0].to_vec()
    }

    /// Sometimes it brings the deadline nearer.
    fn access_device(&mut self, address: u32, value: u32, cycle: u64) -> u32 {
        let seen = self.seen ^ u64::from(address) << 32 ^ u64::from(value) ^ cycle << 16;
        self.seen = seen.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        let mixed = (self.seen >> 24) as u32;
        if mixed & 3 == 0 {
            self.deadline = self.deadline.min(cycle + u64::from(mixed >> 8 & 63));
        }
        mixed
    }
}

impl Memories for TestBus {
    fn space(&self) -> &AddressSpace {
        &self.space
    }
    fn space_mut(&mut self) -> &mut AddressSpace {
        &mut self.space
    }
    fn order(&self) -> Endianness {
        self.order
    }
}

impl Bus for TestBus {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        let read = self.space.read_memory(address, width, self.order);
        let (value, region) = read?;
        Ok(Access { value, region })
    }
    fn read(&mut self, address: u32, width: Width, when: impl When) -> Result<Access, Fault> {
        if self.device_region(address).is_none() {
            return self.fetch(address, width);
        }
        let region = self.region(address);
        let cycle = when(region, self.cost(region));
        let value = width.truncate(self.access_device(address, 0, cycle));
        Ok(Access { value, region })
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        when: impl When,
    ) -> Result<RegionIndex, Fault> {
        let region = self.region(address);
        if self.device_region(address).is_some() {
            let cycle = when(region, self.cost(region));
            self.access_device(address, value, cycle);
            return Ok(region);
        }
        self.space.write_memory(address, width, value, self.order)
    }
    fn region(&self, address: u32) -> RegionIndex {
        self.space.map().find(address)
    }
    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.space.map().region(region).cost
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
