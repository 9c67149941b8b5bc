//! Memories, the address map, the bus that a core sees, and what an access costs.

mod access;
mod cost;
mod map;
mod space;
mod storage;

pub use access::{Access, Bus, Direction, Endianness, Fault, FaultReason, Width};
pub use cost::{AccessCost, Sequence};
pub use map::{AddressMap, MapError, Region, RegionIndex, Target};
pub use space::{AddressSpace, MemoryIndex};
pub use storage::Memory;
