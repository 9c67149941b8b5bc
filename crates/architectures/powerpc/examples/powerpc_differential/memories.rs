//! The memories of a batch.

use crate::support::MemoryBus;
use socscope_memory::{
    Access, AccessCost, Bus, Endianness, Fault, FaultReason, RegionIndex, When, Width,
};

pub const CODE: u32 = 0x0010_0000;
pub const DATA: u32 = 0x0040_0000;
pub const DATA_BYTES: u32 = 0x4_0000;

/// Data memory that can take back its last writes, and one opcode.
pub struct JournalBus {
    pub memories: MemoryBus,
    pub opcode: u32,
    pub journal: Vec<(u32, Width, u32)>,
}

impl JournalBus {
    pub fn new() -> JournalBus {
        JournalBus {
            memories: MemoryBus::of(Endianness::Big, &[(DATA, DATA_BYTES)]),
            opcode: 0,
            journal: vec![],
        }
    }

    pub fn undo(&mut self) {
        for (address, width, value) in self.journal.drain(..).rev() {
            self.memories.put(address, width, &[value]);
        }
    }

    pub fn word(&self, address: u32) -> Option<u32> {
        let read = self
            .memories
            .space
            .read_memory(address & !3, Width::Word, Endianness::Big);
        read.ok().map(|(value, _)| value)
    }
}

impl Bus for JournalBus {
    fn fetch(&mut self, address: u32, _width: Width) -> Result<Access, Fault> {
        let code = (CODE..DATA).contains(&address);
        let fault = Fault {
            address,
            reason: FaultReason::Unmapped,
        };
        let access = Access {
            value: self.opcode,
            region: RegionIndex::UNMAPPED,
        };
        code.then_some(access).ok_or(fault)
    }
    fn read(&mut self, address: u32, width: Width, when: impl When) -> Result<Access, Fault> {
        self.memories.read(address, width, when)
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        when: impl When,
    ) -> Result<RegionIndex, Fault> {
        let before = self.memories.read(address, width, |_, _| 0)?.value;
        self.journal.push((address, width, before));
        self.memories.write(address, width, value, when)
    }
    fn region(&self, address: u32) -> RegionIndex {
        self.memories.region(address)
    }
    fn cost(&self, region: RegionIndex) -> &AccessCost {
        self.memories.cost(region)
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
