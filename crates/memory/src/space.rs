//! The address space: a map and the memories behind it.

use crate::image;
use crate::watch::Watch;
use crate::{
    AddressMap, Endianness, Fault, FaultReason, MapError, Memory, MemoryImage, MemoryImageError,
    Region, RegionIndex, Target, Viewer, Width,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names a memory of an [`AddressSpace`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct MemoryIndex(pub u16);

/// More than any map takes when it is written down: regions are numbered with 16 bits.
const MAP_BYTES_MAX: u64 = 16 << 20;

/// An address map with its memories: what a DMA master reaches, and the memory half of a core's bus. Memories hold bytes; who accesses
/// them says in which order a word of theirs lies. Every write to memory goes through here, so that pointers into it and code translated from it are known to be stale.
#[derive(Debug, Default, Serialize)]
pub struct AddressSpace {
    map: AddressMap,
    memories: Vec<Memory>,
    #[serde(skip)]
    pub(crate) watch: Watch,
    /// A copy of the map, while it is the same.
    #[serde(skip)]
    shared_map: Option<Arc<AddressMap>>,
    /// How often each core's own regions alone were changed.
    #[serde(skip)]
    own_changes: BTreeMap<u16, u64>,
}

/// An address space at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceImage {
    map: Arc<AddressMap>,
    #[serde(deserialize_with = "image::memories")]
    memories: Vec<MemoryImage>,
}

impl AddressSpace {
    /// Which region answers where.
    #[inline]
    pub fn map(&self) -> &AddressMap {
        &self.map
    }

    /// Another number whenever the map may have changed.
    pub fn map_epoch(&self) -> u64 {
        self.watch.map_epoch
    }

    /// The map, to change it.
    pub fn map_mut(&mut self) -> &mut AddressMap {
        self.watch.pointers_are_stale();
        self.watch.map_epoch += 1;
        self.shared_map = None;
        &mut self.map
    }

    /// A core looks from now on; see [`AddressMap::look_as`]. Nothing that was handed out becomes stale.
    #[inline]
    pub fn look_as(&mut self, core: u16) {
        self.map.look_as(core);
    }

    /// Changes a region that a core alone sees: moves it, switches it on or off. What the others see stays as it is. On an overlap with another one of
    /// the core's own nothing changes.
    ///
    /// # Errors
    /// A region that is not this core's own, and the overlap.
    pub fn change_own(
        &mut self,
        core: u16,
        index: RegionIndex,
        change: impl FnOnce(&mut Region),
    ) -> Result<(), MapError> {
        let own = self.map.region(index).core;
        if own.map(u16::from) != Some(core) {
            let name = self.map.region(index).name.clone();
            return Err(MapError::NotOwn { name, core });
        }
        self.map.change(index, |region| {
            change(region);
            region.core = own;
        })?;
        self.watch.pointers_are_stale();
        self.watch.map_epoch += 1;
        self.shared_map = None;
        *self.own_changes.entry(core).or_default() += 1;
        Ok(())
    }

    /// Another number whenever what a core sees may have changed.
    pub fn view_version(&self, core: u16) -> u64 {
        let all: u64 = self.own_changes.values().sum();
        let own = self.own_changes.get(&core).copied().unwrap_or_default();
        self.watch.map_epoch - all + own
    }

    /// Adds the bytes of a memory; a region makes them visible.
    pub fn add_memory(&mut self, memory: Memory) -> MemoryIndex {
        self.memories.push(memory);
        MemoryIndex((self.memories.len() - 1) as u16)
    }

    /// The memories, by [`MemoryIndex`].
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// One memory.
    pub fn memory(&self, memory: MemoryIndex) -> &Memory {
        &self.memories[memory.0 as usize]
    }

    pub(crate) fn memory_watched(&mut self, memory: MemoryIndex) -> (&mut Memory, &mut Watch) {
        self.watch.memory = memory;
        (&mut self.memories[memory.0 as usize], &mut self.watch)
    }

    /// Reads from a memory, whatever the map, in the byte order of who reads.
    #[inline]
    pub fn read_at(
        &self,
        memory: MemoryIndex,
        offset: u32,
        width: Width,
        order: Endianness,
    ) -> u32 {
        self.memories[memory.0 as usize].read(offset, width, order)
    }

    /// Writes to a memory, whatever the map; ROM too.
    #[inline]
    pub fn write_at(
        &mut self,
        memory: MemoryIndex,
        offset: u32,
        width: Width,
        value: u32,
        order: Endianness,
    ) {
        if !self.memories[memory.0 as usize].write_plainly(offset, width, value, order) {
            let (memory, watch) = self.memory_watched(memory);
            memory.write_with_care(offset, width, value, order, watch);
        }
    }

    /// Writes bytes to a memory, ROM too; what lies behind its end is left out.
    pub fn load(&mut self, memory: MemoryIndex, offset: u32, bytes: &[u8]) {
        let (memory, watch) = self.memory_watched(memory);
        memory.put(offset as usize, bytes, watch);
    }

    /// Makes bytes of a memory zero.
    pub fn clear(&mut self, memory: MemoryIndex, offset: u32, bytes: u32) {
        let (memory, watch) = self.memory_watched(memory);
        memory.clear(offset as usize, bytes as usize, watch);
    }

    /// Reads memory that all share, never a device. Gives the value and its region.
    pub fn read_memory(
        &self,
        address: u32,
        width: Width,
        order: Endianness,
    ) -> Result<(u32, RegionIndex), Fault> {
        self.read_memory_for(Viewer::Everyone, address, width, order)
    }

    /// Reads memory as somebody sees it, never a device. Gives the value and its region.
    #[inline]
    pub fn read_memory_for(
        &self,
        viewer: Viewer,
        address: u32,
        width: Width,
        order: Endianness,
    ) -> Result<(u32, RegionIndex), Fault> {
        let index = self.map.find_for(viewer, address);
        let region = self.map.region(index);
        match region.target {
            Target::Memory { memory, .. } => Ok((
                self.read_at(memory, address - region.base, width, order),
                index,
            )),
            _ => Err(Fault {
                address,
                reason: reason(region.target),
            }),
        }
    }

    /// Writes memory that all share, never a device and never ROM. Gives the region.
    pub fn write_memory(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        order: Endianness,
    ) -> Result<RegionIndex, Fault> {
        self.write_memory_for(Viewer::Everyone, address, (width, value, order))
    }

    /// Writes memory as somebody sees it, never a device and never ROM. Gives the region.
    pub fn write_memory_for(
        &mut self,
        viewer: Viewer,
        address: u32,
        (width, value, order): (Width, u32, Endianness),
    ) -> Result<RegionIndex, Fault> {
        let index = self.map.find_for(viewer, address);
        let region = self.map.region(index);
        match region.target {
            Target::Memory {
                memory,
                writable: true,
            } => {
                self.write_at(memory, address - region.base, width, value, order);
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

    /// Bytes of pages that no image holds: those that were written since the last one.
    pub fn unshared_bytes(&self) -> usize {
        self.memories.iter().map(Memory::unshared_bytes).sum()
    }

    /// Map and memories as they are now. The memories share their pages with it until they are written.
    pub fn share(&mut self) -> SpaceImage {
        self.watch.pointers_are_stale();
        let map = &self.map;
        let map = self.shared_map.get_or_insert_with(|| Arc::new(map.clone()));
        SpaceImage {
            map: map.clone(),
            memories: self.memories.iter_mut().map(Memory::share).collect(),
        }
    }

    /// The longest that an image of this address space can be when it is written down: every page of every memory, and the map.
    pub fn image_bytes_max(&self) -> u64 {
        let memories = self.memories.iter();
        let bytes = memories.map(|memory| image::bytes_max(memory.name(), memory.size()));
        MAP_BYTES_MAX + bytes.sum::<u64>()
    }

    /// Whether an image is of this address space: the same memories, and regions that name nothing else.
    pub fn accepts(&self, image: &SpaceImage) -> Result<(), MemoryImageError> {
        if self.memories.len() != image.memories.len() {
            return Err(MemoryImageError::Count {
                expected: self.memories.len(),
                found: image.memories.len(),
            });
        }
        let mut pairs = self.memories.iter().zip(&image.memories);
        pairs.try_for_each(|(memory, image)| memory.accepts(image))
    }

    /// Goes back to an image. When it is not accepted, nothing changes.
    pub fn restore(&mut self, image: &SpaceImage) -> Result<(), MemoryImageError> {
        self.accepts(image)?;
        self.watch.pointers_are_stale();
        self.watch.map_epoch += 1;
        let looking = self.map.looking();
        self.map = AddressMap::clone(&image.map);
        self.map.look_as(looking);
        self.shared_map = Some(image.map.clone());
        for (index, image) in image.memories.iter().enumerate() {
            let (memory, watch) = self.memory_watched(MemoryIndex(index as u16));
            memory.restore(image, watch);
        }
        Ok(())
    }
}

impl SpaceImage {
    /// Which region answered where.
    pub fn map(&self) -> &AddressMap {
        &self.map
    }

    /// The memories, by [`MemoryIndex`].
    pub fn memories(&self) -> &[MemoryImage] {
        &self.memories
    }
}

fn reason(target: Target) -> FaultReason {
    match target {
        Target::Device(_) | Target::Stub => FaultReason::Device,
        _ => FaultReason::Unmapped,
    }
}
