//! Memories, the address map, the bus that a core sees, and what an access costs.

mod access;
mod cost;
mod granule;
mod image;
mod map;
mod page;
mod ranges;
mod space;
mod storage;
mod transfer;
mod views;
mod watch;

pub use access::{Access, Bus, Direction, Endianness, Fault, FaultReason, When, Width};
pub use cost::{AccessCost, Sequence};
pub use granule::Granule;
pub use image::{MemoryImage, MemoryImageError};
pub use map::{AddressMap, MapError, Region, RegionIndex, Target};
pub use space::{AddressSpace, MemoryIndex, SpaceImage};
pub use storage::{GRANULE_BYTES, Memory};
pub use views::Viewer;
pub use watch::{CodeReader, CodeReaderName};
