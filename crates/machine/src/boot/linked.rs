//! Where an image was linked for what lies in memory: before and after a remap the same code has different addresses.

use crate::boot::image::Image;
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use socscope_memory::{AddressMap, MemoryIndex, Target, Viewer};
use std::collections::BTreeMap;

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

/// All that lies elsewhere than where it was linked for, by who sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    shared: Vec<Moved>,
    /// Of cores that have memories of their own.
    own: BTreeMap<u16, Vec<Moved>>,
}

impl Moves {
    /// What all share that have no memory of their own; sorted and disjoint.
    pub fn shared(&self) -> &[Moved] {
        &self.shared
    }

    /// What a core finds elsewhere; sorted and disjoint.
    pub fn of(&self, core: u16) -> &[Moved] {
        self.own.get(&core).unwrap_or(&self.shared)
    }
}

impl From<Vec<Moved>> for Moves {
    fn from(shared: Vec<Moved>) -> Moves {
        let own = BTreeMap::new();
        Moves { shared, own }
    }
}

impl Machine {
    /// Where an image was linked for what the core whose turn it is finds at `address` now: before and after a remap, memories answer elsewhere.
    pub fn nominal_address(&self, address: u32) -> u32 {
        self.nominal_address_for(Viewer::Looking, address)
    }

    /// The same for what somebody finds there.
    pub fn nominal_address_for(&self, viewer: Viewer, address: u32) -> u32 {
        let moved = self.moved_for(viewer);
        let around = |one: &&Moved| (one.first..=one.last).contains(&address);
        let offset = moved.iter().find(around).map_or(0, |one| one.offset);
        address.wrapping_add(offset)
    }

    /// All that lies elsewhere now than where it was linked for.
    pub fn moved(&self) -> Moves {
        let own = self.own_views();
        Moves {
            shared: self.moved_for(Viewer::Everyone),
            own: own
                .map(|core| (core, self.moved_for(Viewer::Core(core))))
                .collect(),
        }
    }

    /// The cores that have memories or devices of their own.
    pub fn own_views(&self) -> impl Iterator<Item = u16> {
        let map = self.bus.space.map();
        (0..self.processors.len() as u16).filter(|&core| map.has_own_view(core))
    }

    /// The places of memories and devices that a core alone sees, from first to last address, in the map that a boot loader leaves; an entry for each core
    /// that has any, there or not.
    pub fn own_places(&self) -> BTreeMap<u16, Vec<(u32, u32)>> {
        let places = |core: u16| {
            // Behind a translation, where code was linked for says nothing about where it lies.
            if self.core(usize::from(core)).execution_state().translated {
                return vec![];
            }
            let ranges = self.nominal.ranges(Viewer::Core(core));
            let own = ranges.filter(|(_, _, index)| self.nominal.region(*index).core.is_some());
            own.map(|(first, last, _)| (first, last)).collect()
        };
        self.own_views().map(|core| (core, places(core))).collect()
    }

    /// The same as somebody sees it; sorted and disjoint.
    fn moved_for(&self, viewer: Viewer) -> Vec<Moved> {
        let map = self.bus.space.map();
        let mut moved = vec![];
        for (first, last, index) in map.ranges(viewer) {
            let region = map.region(index);
            let Target::Memory { memory, .. } = region.target else {
                continue;
            };
            let base = base_of(self.image_map(), memory).unwrap_or(region.base);
            let parts = self.linked.parts.iter();
            let parts = parts.filter(|part| part.memory == memory);
            cut((first, last, region.base), base, parts, &mut moved);
        }
        moved
    }

    /// Where an instruction may lie that was linked for `address`: before the remap, after it, and now.
    pub(crate) fn places_of(&self, address: u32) -> Vec<u32> {
        let maps = [&self.at_reset, &self.nominal, self.bus.space.map()];
        let parts = self.linked.parts.iter().filter_map(|part| {
            let within = address.wrapping_sub(part.address);
            (within < part.length).then(|| (part.memory, part.offset + within))
        });
        let own = self.own_views().map(Viewer::Core);
        let by_map = std::iter::once(Viewer::Everyone)
            .chain(own)
            .filter_map(|viewer| {
                let (memory, offset, _) = place(self.image_map(), viewer, address)?;
                Some((memory, offset))
            });
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
    pub(crate) fn parts_of(
        &self,
        (image, core): (&Image, u16),
        map: ImageMap,
        machines: ImageMap,
    ) -> Vec<Part> {
        let viewer = Viewer::Core(core);
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
            loaded.extend(place(own, viewer, segment.physical_address).map(part));
            let places = [own, other].map(|map| place(map, viewer, segment.virtual_address));
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

/// The memory that somebody finds at an address, the place in it, and whether it can be written.
pub(crate) fn place(
    map: &AddressMap,
    viewer: Viewer,
    address: u32,
) -> Option<(MemoryIndex, u32, bool)> {
    let region = map.region(map.find_for(viewer, address));
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

/// Cuts what is seen of a region, first and last address and the region's base, where its parts begin and end; `base` is the address that the rest was
/// linked for.
fn cut<'a>(
    (first, last, region_base): (u32, u32, u32),
    base: u32,
    parts: impl Iterator<Item = &'a Part> + Clone,
    moved: &mut Vec<Moved>,
) {
    let [from, to] = [first, last].map(|at| u64::from(at - region_base));
    let ends = |part: &Part| {
        let first = u64::from(part.offset);
        [first, first + u64::from(part.length)]
    };
    let mut cuts: Vec<u64> = parts.clone().flat_map(ends).collect();
    cuts.extend([from, to + 1]);
    cuts.retain(|cut| (from..=to + 1).contains(cut));
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
        let first = region_base.wrapping_add(from);
        let offset = linked.wrapping_sub(first);
        if offset != 0 {
            let last = region_base.wrapping_add(to);
            moved.push(Moved {
                first,
                last,
                offset,
            });
        }
    }
}
