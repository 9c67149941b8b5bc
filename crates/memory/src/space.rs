//! The address space: a map and the memories behind it.

use crate::{AddressMap, Endianness, Fault, FaultReason, Memory, RegionIndex, Target, Width};
use serde::{Deserialize, Serialize};

/// Names a memory of an [`AddressSpace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MemoryIndex(pub u16);

/// An address map with its memories: what a DMA master reaches, and the memory half of a core's bus.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AddressSpace {
    /// Which region answers where.
    pub map: AddressMap,
    /// The bytes, by [`MemoryIndex`].
    pub memories: Vec<Memory>,
    /// Byte order of the bus.
    pub endianness: Endianness,
}

impl AddressSpace {
    /// Adds the bytes of a memory; a region makes them visible.
    pub fn add_memory(&mut self, memory: Memory) -> MemoryIndex {
        self.memories.push(memory);
        MemoryIndex((self.memories.len() - 1) as u16)
    }

    /// Reads memory, never a device. Gives the value and its region.
    pub fn read_memory(&self, address: u32, width: Width) -> Result<(u32, RegionIndex), Fault> {
        let index = self.map.find(address);
        let region = self.map.region(index);
        match region.target {
            Target::Memory { memory, .. } => {
                let offset = address - region.base;
                Ok((
                    self.memories[memory.0 as usize].read(offset, width, self.endianness),
                    index,
                ))
            }
            _ => Err(Fault {
                address,
                reason: reason(region.target),
            }),
        }
    }

    /// Writes memory, never a device and never ROM. Gives the region.
    pub fn write_memory(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<RegionIndex, Fault> {
        let index = self.map.find(address);
        let region = self.map.region(index);
        match region.target {
            Target::Memory {
                memory,
                writable: true,
            } => {
                let offset = address - region.base;
                self.memories[memory.0 as usize].write(offset, width, value, self.endianness);
                Ok(index)
            }
            Target::Memory { .. } => Err(Fault {
                address,
                reason: FaultReason::ReadOnly,
            }),
            target => Err(Fault {
                address,
                reason: reason(target),
            }),
        }
    }
}

fn reason(target: Target) -> FaultReason {
    match target {
        Target::Device(_) | Target::Stub => FaultReason::Device,
        _ => FaultReason::Unmapped,
    }
}
