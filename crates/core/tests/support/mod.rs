//! A bus of memories alone, for tests and benches.

pub mod random;

use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{
    Access, AccessCost, AddressSpace, Bus, Direction, Endianness, Fault, Memory, Region,
    RegionIndex, Target, When, Width,
};

/// Memories, interrupt lines and a deadline.
pub struct MemoryBus {
    pub space: AddressSpace,
    pub order: Endianness,
    pub irq: bool,
    pub fiq: bool,
    pub deadline: u64,
}

impl MemoryBus {
    /// One RAM for each (base, size).
    pub fn new(memories: &[(u32, u32)]) -> MemoryBus {
        MemoryBus::of(Endianness::Little, memories)
    }

    /// One RAM for each (base, size), on a bus of this byte order.
    pub fn of(endianness: Endianness, memories: &[(u32, u32)]) -> MemoryBus {
        let mut space = AddressSpace::default();
        for &(base, size) in memories {
            let name = format!("ram@{base:x}");
            let memory = space.add_memory(Memory::new(name.clone(), size));
            let region = Region {
                name,
                base,
                size,
                enabled: true,
                core: None,
                target: Target::Memory {
                    memory,
                    writable: true,
                },
                cost: AccessCost::SINGLE_CYCLE,
            };
            space
                .map_mut()
                .add(region)
                .expect("test memories do not overlap");
        }
        MemoryBus {
            space,
            order: endianness,
            irq: false,
            fiq: false,
            deadline: u64::MAX,
        }
    }

    /// Writes opcodes or data, one after the other.
    pub fn put(&mut self, address: u32, width: Width, values: &[u32]) {
        for (index, &value) in values.iter().enumerate() {
            let address = address + index as u32 * width.bytes();
            self.space
                .write_memory(address, width, value, self.order)
                .expect("test data lies in memory");
        }
    }
}

impl Bus for MemoryBus {
    #[inline]
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, |_, _| 0)
    }

    #[inline]
    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let (value, region) = self.space.read_memory(address, width, self.order)?;
        Ok(Access { value, region })
    }

    #[inline]
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        self.space.write_memory(address, width, value, self.order)
    }

    #[inline]
    fn region(&self, address: u32) -> RegionIndex {
        self.space.map().find(address)
    }

    #[inline]
    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.space.map().region(region).cost
    }

    #[inline]
    fn deadline(&self) -> u64 {
        self.deadline
    }

    #[inline]
    fn irq(&self) -> bool {
        self.irq
    }

    #[inline]
    fn fiq(&self) -> bool {
        self.fiq
    }
}

/// One cycle an instruction; remembers the first class that it was told.
pub struct OneCycle<C = CycleClass> {
    pub first_class: Option<C>,
}

impl<C> Default for OneCycle<C> {
    fn default() -> Self {
        OneCycle { first_class: None }
    }
}

impl<C> CycleModel<C> for OneCycle<C> {
    #[inline]
    fn begin(&mut self, class: C, _: RegionIndex, _fetch: &AccessCost, _width: Width) {
        self.first_class.get_or_insert(class);
    }
    #[inline]
    fn transfers_at(&self, _: RegionIndex, _: &AccessCost, _: Width, _: Direction) -> u64 {
        0
    }
    #[inline]
    fn data(&mut self, _: RegionIndex, _: &AccessCost, _: Width, _: Direction) {}
    #[inline]
    fn multiplier(&mut self, _operand: u32, _signed: bool) {}
    #[inline]
    fn refill(&mut self, _: RegionIndex, _fetch: &AccessCost, _width: Width) {}
    #[inline]
    fn end(&mut self) -> u64 {
        1
    }
}
