//! A bus as a machine has it: memory, and a device that brings deadlines nearer, interrupts, and writes memory.

use socscope_jit::Memories;
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Direction, Endianness, Fault, Memory, Region,
    RegionIndex, Target, When, Width,
};
use std::collections::BTreeMap;

/// Memory from address 0 on, as large as its contents, a ROM at 0x22f000, a device behind it.
pub struct TestBus {
    pub space: AddressSpace,
    pub deadline: u64,
    pub irq: bool,
    /// What the device has seen so far, mixed.
    pub device: u64,
    /// How often data were read and written where neither memory nor device is, by address: what a machine warns of.
    pub warnings: BTreeMap<(Direction, u32), u64>,
}

const ROM_BYTES: u32 = 0x1000;
const ROM_BASE: u32 = 0x22_f000;
/// Where the device lies.
pub const DEVICE_BASE: u32 = ROM_BASE + ROM_BYTES;
pub const DEVICE_BYTES: u32 = 0x1_0000;
/// The device writes words of memory from here on: code, among others.
const WRITTEN: u32 = 0x8000;

impl TestBus {
    pub fn new(ram: &[u8]) -> TestBus {
        let mut space = AddressSpace::default();
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
                core: None,
                target: Target::Memory { memory, writable },
                cost: AccessCost::SINGLE_CYCLE,
            });
            added.expect("the regions are apart");
        }
        let added = space.map_mut().add(Region {
            name: "device".into(),
            base: DEVICE_BASE,
            size: DEVICE_BYTES,
            enabled: true,
            core: None,
            target: Target::Device(0),
            cost: AccessCost::with_wait_states(16, 2, 1),
        });
        added.expect("the regions are apart");
        space.load(socscope_memory::MemoryIndex(0), 0, ram);
        TestBus {
            space,
            deadline: 0,
            irq: false,
            device: 0,
            warnings: BTreeMap::new(),
        }
    }

    fn warn(&mut self, direction: Direction, address: u32) {
        *self.warnings.entry((direction, address)).or_default() += 1;
    }

    fn is_of_device(&self, address: u32) -> bool {
        let map = self.space.map();
        matches!(map.region(map.find(address)).target, Target::Device(_))
    }

    /// An access to the device: what it does next depends on all that it has seen, times included.
    fn access_device(&mut self, address: u32, value: u32, cycle: u64) -> u32 {
        let seen = self.device ^ u64::from(address) << 32 ^ u64::from(value) ^ cycle << 16;
        self.device = seen.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        let mixed = (self.device >> 24) as u32;
        match mixed & 7 {
            0 => self.deadline = self.deadline.min(cycle + u64::from(mixed >> 8 & 63)),
            1 => self.deadline += u64::from(mixed >> 8 & 63),
            2 => self.irq = !self.irq,
            3 => {
                let place = WRITTEN + (mixed >> 8 & 0x7fc);
                // ori: it falls through, as what was there may not have done.
                let word = self.device as u32 & 0x0000_ffff | 0x6000_0000;
                self.space
                    .write_memory(place, Width::Word, word, Endianness::Big)
                    .expect("the memory is larger");
            }
            _ => {}
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
        Endianness::Big
    }
}

impl Bus for TestBus {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        let (value, region) = self.space.read_memory(address, width, Endianness::Big)?;
        Ok(Access { value, region })
    }
    fn read(&mut self, address: u32, width: Width, when: impl When) -> Result<Access, Fault> {
        if self.is_of_device(address) {
            let region = self.region(address);
            let cycle = when(region, self.cost(region));
            return Ok(Access {
                value: width.truncate(self.access_device(address, 0, cycle)),
                region: self.region(address),
            });
        }
        let read = self.space.read_memory(address, width, Endianness::Big);
        let (value, region) = read.inspect_err(|_| self.warn(Direction::Read, address))?;
        Ok(Access { value, region })
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        when: impl When,
    ) -> Result<RegionIndex, Fault> {
        if self.is_of_device(address) {
            let region = self.region(address);
            let cycle = when(region, self.cost(region));
            self.access_device(address, value, cycle);
            return Ok(self.region(address));
        }
        let written = self
            .space
            .write_memory(address, width, value, Endianness::Big);
        written.inspect_err(|_| self.warn(Direction::Write, address))
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
