//! Where an image was linked for what lies in memory: before and after a remap the same code has different addresses.

use crate::boot::image::Image;
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use socscope_memory::{AddressMap, MemoryIndex, Region, Target};

/// Parts that are kept, at most; an image has a few.
pub(crate) const PARTS_MAX: usize = 1 << 12;

/// The map that an image is loaded in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageMap {
    /// That at reset: the image begins at the reset vector and gives the remap command itself.
    Reset,
    /// That which a boot loader leaves.
    #[default]
    Remapped,
}

/// Bytes of a memory that were linked for `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub memory: MemoryIndex,
    pub offset: u32,
    pub length: u32,
    pub address: u32,
}

/// What is known of the images: the map of the first core's, and what of all of them lies elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Linked {
    pub map: ImageMap,
    /// What the user should know about the choice of the map.
    pub note: String,
    /// What was linked for other addresses than those of its memory in the image's map; of two that overlap, the first holds.
    pub parts: Vec<Part>,
}

/// Addresses whose content was linked for others, which are higher by `offset` (modulo the address space).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// First address.
    pub first: u32,
    /// Last address.
    pub last: u32,
    /// Distance of the linked address.
    pub offset: u32,
}

impl Machine {
    /// Where an image was linked for what is at `address` now: before and after a remap, memories answer elsewhere.
    pub fn nominal_address(&self, address: u32) -> u32 {
        let moved = self.moved();
        let around = |one: &&Moved| (one.first..=one.last).contains(&address);
        let offset = moved.iter().find(around).map_or(0, |one| one.offset);
        address.wrapping_add(offset)
    }

    /// All that lies elsewhere now than where it was linked for; sorted and disjoint.
    pub fn moved(&self) -> Vec<Moved> {
        let mut moved = vec![];
        for region in self.regions().iter().filter(|region| region.enabled) {
            let Target::Memory { memory, .. } = region.target else {
                continue;
            };
            let base = base_of(self.image_map(), memory).unwrap_or(region.base);
            let parts = self.linked.parts.iter();
            let parts = parts.filter(|part| part.memory == memory);
            cut(region, base, parts, &mut moved);
        }
        moved.sort_unstable_by_key(|one| one.first);
        moved
    }

    /// Where an instruction may lie that was linked for `address`: before the remap, after it, and now.
    pub(crate) fn places_of(&self, address: u32) -> Vec<u32> {
        let maps = [&self.at_reset, &self.nominal, self.bus.space.map()];
        let parts = self.linked.parts.iter().filter_map(|part| {
            let within = address.wrapping_sub(part.address);
            (within < part.length).then(|| (part.memory, part.offset + within))
        });
        let by_map = place(self.image_map(), address).map(|(memory, offset, _)| (memory, offset));
        let places: Vec<_> = parts.chain(by_map).collect();
        let regions = maps.into_iter().flat_map(|map| map.regions());
        let mut found = vec![address];
        for region in regions.filter(|region| region.enabled) {
            for &(memory, offset) in &places {
                if matches!(region.target, Target::Memory { memory: other, .. } if other == memory)
                {
                    found.push(region.base.wrapping_add(offset));
                }
            }
        }
        found
    }

    /// The map that the image was loaded in.
    pub(crate) fn image_map(&self) -> &AddressMap {
        self.map_of(self.linked.map)
    }

    pub(crate) fn map_of(&self, map: ImageMap) -> &AddressMap {
        match map {
            ImageMap::Reset => &self.at_reset,
            ImageMap::Remapped => &self.nominal,
        }
    }

    /// What the user should know of how the image was loaded.
    pub fn image_note(&self) -> Option<&str> {
        let note = &self.linked.note;
        (!note.is_empty()).then_some(note)
    }

    /// What of an image was linked for other addresses than those where it lies: code that is loaded at one place for another, and the place that it
    /// is copied to. Of an image that is loaded in another map than the machine's, all of its code may be such.
    pub(crate) fn parts_of(&self, image: &Image, map: ImageMap, machines: ImageMap) -> Vec<Part> {
        let own = self.map_of(map);
        let other = match map {
            ImageMap::Reset => &self.nominal,
            ImageMap::Remapped => &self.at_reset,
        };
        let code = image.segments.iter().filter(|segment| segment.executable);
        let moved = code.filter(|segment| {
            map != machines || segment.physical_address != segment.virtual_address
        });
        let mut loaded = vec![];
        let mut copied = vec![];
        for segment in moved {
            let length = segment.bytes.len() as u32;
            let part = |(memory, offset, _): (MemoryIndex, u32, bool)| Part {
                memory,
                offset,
                length,
                address: segment.virtual_address,
            };
            loaded.extend(place(own, segment.physical_address).map(part));
            let places = [own, other].map(|map| place(map, segment.virtual_address));
            let ram = places.into_iter().flatten().find(|place| place.2);
            copied.extend(ram.map(part));
        }
        loaded.append(&mut copied);
        // What the map says by itself needs no part.
        loaded.retain(|part| {
            let base = base_of(self.map_of(machines), part.memory);
            base.map(|base| base.wrapping_add(part.offset)) != Some(part.address)
        });
        loaded.truncate(PARTS_MAX);
        loaded
    }
}

/// The memory at an address, the place in it, and whether it can be written.
pub(crate) fn place(map: &AddressMap, address: u32) -> Option<(MemoryIndex, u32, bool)> {
    let region = map.region(map.find(address));
    match region.target {
        Target::Memory { memory, writable } => Some((memory, address - region.base, writable)),
        _ => None,
    }
}

fn base_of(map: &AddressMap, memory: MemoryIndex) -> Option<u32> {
    let mut regions = map.regions().iter().filter(|region| region.enabled);
    let region = regions.find(
        |region| matches!(region.target, Target::Memory { memory: other, .. } if other == memory),
    );
    region.map(|region| region.base)
}

/// Cuts a region where its parts begin and end; `base` is the address that the rest was linked for.
fn cut<'a>(
    region: &Region,
    base: u32,
    parts: impl Iterator<Item = &'a Part> + Clone,
    moved: &mut Vec<Moved>,
) {
    let size = u64::from(region.size);
    let ends = |part: &Part| {
        let first = u64::from(part.offset);
        [first, first + u64::from(part.length)]
    };
    let mut cuts: Vec<u64> = parts.clone().flat_map(ends).collect();
    cuts.extend([0, size]);
    cuts.retain(|&cut| cut <= size);
    cuts.sort_unstable();
    cuts.dedup();
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0] as u32, (pair[1] - 1) as u32);
        let around = |part: &&Part| {
            let within = from.wrapping_sub(part.offset);
            from >= part.offset && within < part.length
        };
        let linked = parts.clone().find(around);
        let linked = linked.map_or(base.wrapping_add(from), |part| {
            part.address.wrapping_add(from - part.offset)
        });
        let first = region.base.wrapping_add(from);
        let offset = linked.wrapping_sub(first);
        if offset != 0 {
            let last = region.base.wrapping_add(to);
            moved.push(Moved {
                first,
                last,
                offset,
            });
        }
    }
}
