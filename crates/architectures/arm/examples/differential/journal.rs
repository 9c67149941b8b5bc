//! The memories of a batch.

use crate::generator::{BLOCK_BYTES, CODE, CODE_BYTES, DATA, DATA_BYTES, LITERALS};
use crate::support::MemoryBus;
use socscope_memory::{Access, AccessCost, Bus, Fault, FaultReason, RegionIndex, When, Width};

/// Data memory that can take back its last writes, constants in code memory, and one opcode.
pub struct JournalBus {
    pub memories: MemoryBus,
    pub opcode: (u32, u32),
    pub journal: Vec<(u32, Width, u32)>,
    pub last_read: u32,
}

impl JournalBus {
    pub fn new() -> JournalBus {
        JournalBus {
            memories: MemoryBus::new(&[(DATA, DATA_BYTES), (CODE, CODE_BYTES)]),
            opcode: (0, 0),
            journal: vec![],
            last_read: 0,
        }
    }

    /// The two words from an address on, as far as there are any.
    pub fn words(&self, address: u32) -> [u32; 2] {
        [0, 4].map(|offset| {
            let at = Width::Word.align(address.wrapping_add(offset));
            let space = &self.memories.space;
            let found = space.read_memory(at, Width::Word, self.memories.order);
            found.map_or(0, |(value, _)| value)
        })
    }

    pub fn undo(&mut self) {
        for (address, width, value) in self.journal.drain(..).rev() {
            self.memories.put(address, width, &[value]);
        }
    }
}

impl Bus for JournalBus {
    fn fetch(&mut self, address: u32, _width: Width) -> Result<Access, Fault> {
        let reason = FaultReason::Unmapped;
        let value = self.opcode.1;
        let region = RegionIndex::UNMAPPED;
        let here = self.opcode.0 == address;
        here.then_some(Access { value, region })
            .ok_or(Fault { address, reason })
    }
    fn read(&mut self, address: u32, width: Width, when: impl When) -> Result<Access, Fault> {
        if (CODE..CODE + CODE_BYTES).contains(&address) && address % BLOCK_BYTES < LITERALS {
            return Err(Fault {
                address,
                reason: FaultReason::Unmapped,
            });
        }
        let access = self.memories.read(address, width, when)?;
        self.last_read = access.value;
        Ok(access)
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        when: impl When,
    ) -> Result<RegionIndex, Fault> {
        if (CODE..CODE + CODE_BYTES).contains(&address) {
            return Err(Fault {
                address,
                reason: FaultReason::ReadOnly,
            });
        }
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
