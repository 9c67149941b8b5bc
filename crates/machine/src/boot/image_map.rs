//! For which map an image is linked: that at reset, or the one that a boot loader leaves.
//!
//! Most images say it by where they lie. One that lies at 0 fits both maps: there is flash at reset, and on-chip memory after the remap. Then its own
//! variables and the addresses in its code decide.

use crate::boot::image::{Image, Segment};
use crate::boot::linked::{ImageMap, place};
use crate::machine::Machine;
use crate::platform::error::{LoadError, property_error};
use crate::platform::nearest::nearest;
use crate::platform::tree::Tree;
use socscope_device::{BuildError, Declared};
use socscope_memory::{AddressMap, Target, Viewer};
use std::ops::RangeInclusive;

const PROPERTY: &str = "socscope,image-map";
pub(crate) const CHOSEN_PROPERTIES: &[Declared] = &[(
    PROPERTY,
    "The map that images are loaded in: \"reset\" as flashed, with the core at the reset vector, or \"remapped\", that of a boot loader; \
     when absent, what the image fits.",
)];
const NAMES: [(&str, ImageMap); 2] = [("reset", ImageMap::Reset), ("remapped", ImageMap::Remapped)];

/// Whose image it is that a map is chosen for.
const FIRST: Viewer = Viewer::Core(0);

/// A map, and what the user should know about the choice.
pub(crate) struct Choice {
    pub map: ImageMap,
    pub note: String,
}

/// What the platform wants.
pub(crate) fn wanted(tree: &Tree) -> Result<Option<ImageMap>, BuildError> {
    let Some(chosen) = tree.find("/chosen") else {
        return Ok(None);
    };
    let Some(text) = tree.string(chosen, PROPERTY)? else {
        return Ok(None);
    };
    if let Some((_, map)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(Some(*map));
    }
    let near = nearest(&text, NAMES.map(|(name, _)| name)).unwrap_or_default();
    let reason = format!("{text:?} is neither \"reset\" nor \"remapped\"");
    let remedy = format!("the nearest is {near}");
    Err(property_error("/chosen", PROPERTY, reason, remedy))
}

impl Machine {
    /// Chooses the map for an image.
    pub(crate) fn choose_map(&self, image: &Image, path: &str) -> Result<Choice, LoadError> {
        let sure = |map| {
            let note = String::new();
            Ok(Choice { map, note })
        };
        let starts = self.starts_at_reset(image, ImageMap::Reset, 0);
        if let Some(map) = self.image_map_wanted {
            if map == ImageMap::Reset && !starts {
                return Err(LoadError::NothingAtReset {
                    image: path.into(),
                    property: PROPERTY,
                });
            }
            return sure(map);
        }
        if self.core(0).has_translation() || !starts || !self.fits_reset(image) {
            return sure(ImageMap::Remapped);
        }
        if !self.fits_remapped(image) {
            return sure(ImageMap::Reset);
        }
        let before = self.only_in(&self.at_reset, &self.nominal);
        let after = self.only_in(&self.nominal, &self.at_reset);
        let ranges = [before, after].concat();
        let mut words = words_of(image, self.core(0).images().jump_target);
        if let Some(word) = words.find(|word| ranges.iter().any(|range| range.contains(word))) {
            return Ok(Choice {
                map: ImageMap::Reset,
                note: format!(
                    "the image fits both the map at reset and the map after the remap; it starts as flashed, because its code has the address {word:#010x}, \
                     at which an image of the map after the remap has no memory of its own. --set /chosen:{PROPERTY}=remapped loads it as a boot \
                     loader does, =reset leaves it so without this note"
                ),
            });
        }
        // Variables where the flash is at reset need the remap, and nothing in the code names the flash behind it.
        if self.has_variables_in_rom(image, |_| true) {
            return sure(ImageMap::Remapped);
        }
        Ok(Choice {
            map: ImageMap::Remapped,
            note: format!(
                "the image fits both the map at reset and the map after the remap, and no address in its code says which; it is loaded in the map after \
                 the remap, as by a boot loader. --set /chosen:{PROPERTY}=reset starts it as flashed, =remapped leaves it so without this note"
            ),
        })
    }

    /// Whether a core that comes out of reset finds code of the image: an executable section, as headers may lie in segments.
    pub(crate) fn starts_at_reset(&self, image: &Image, map: ImageMap, core: usize) -> bool {
        let Some(reset) = self.memory_at_reset(core) else {
            return false;
        };
        let (map, viewer) = (self.map_of(map), Viewer::Core(core as u16));
        let at_reset = |address: u32| {
            let place = place(map, viewer, address);
            place.is_some_and(|(memory, offset, _)| (memory, offset) == reset)
        };
        if image.sections.is_empty() {
            let mut segments = image.segments.iter();
            return segments.any(|one| !one.bytes.is_empty() && at_reset(one.physical_address));
        }
        let mut code = image.sections.iter().filter(|section| section.executable);
        code.any(|section| {
            let address = segment_of(image, section.address).map_or(section.address, |segment| {
                load_address(segment, section.address)
            });
            at_reset(address)
        })
    }

    /// All bytes lie in memories of the map at reset, and none of those that change in a ROM.
    fn fits_reset(&self, image: &Image) -> bool {
        let lies = |map, address| place(map, FIRST, address).is_some();
        let fits = |segment: &Segment| {
            let runs_at = segment.virtual_address;
            self.segment_place(&self.at_reset, FIRST, segment).is_some()
                && (lies(&self.at_reset, runs_at) || lies(&self.nominal, runs_at))
        };
        image.segments.iter().all(fits)
            && !self.has_variables_in_rom(image, |(section, segment)| {
                section - segment.virtual_address < segment.bytes.len() as u32
            })
    }

    /// All bytes lie in memories of the map after the remap, and run where they can come to.
    fn fits_remapped(&self, image: &Image) -> bool {
        let fits = |segment: &Segment| {
            let loaded = self.segment_place(&self.nominal, FIRST, segment);
            let runs = place(&self.nominal, FIRST, segment.virtual_address);
            match (loaded, runs) {
                (Some(loaded), Some((memory, offset, writable))) => {
                    writable || (memory, offset) == loaded
                }
                _ => false,
            }
        };
        image.segments.iter().all(fits)
    }

    /// Whether a section that changes, and that `counts`, is used where the image puts it, in what is ROM at reset.
    fn has_variables_in_rom(
        &self,
        image: &Image,
        counts: impl Fn((u32, &Segment)) -> bool,
    ) -> bool {
        let data = |section: &&crate::boot::image::Section| section.writable && !section.executable;
        image.sections.iter().filter(data).any(|section| {
            let segment = segment_of(image, section.address);
            let at_reset = place(&self.at_reset, FIRST, section.address);
            let rom = at_reset.is_some_and(|(_, _, writable)| !writable);
            segment.is_some_and(|segment| {
                rom && segment.physical_address == segment.virtual_address
                    && counts((section.address, segment))
            })
        })
    }

    /// Addresses of memories in one map at which the other has none, the one behind each included: stacks begin there.
    fn only_in(&self, map: &AddressMap, other: &AddressMap) -> Vec<RangeInclusive<u32>> {
        let mut ranges = vec![];
        for region in map
            .regions()
            .iter()
            .filter(|one| one.enabled && one.is_of(0))
        {
            let Target::Memory { memory, .. } = region.target else {
                continue;
            };
            let there = |at: &socscope_memory::Region| {
                at.enabled
                    && matches!(at.target, Target::Memory { memory: other, .. } if other == memory)
            };
            // A memory that is nowhere in the other map is opened by the remap: boot loader's images use it, too.
            let base = other
                .regions()
                .iter()
                .find(|at| there(at))
                .map(|at| at.base);
            if region.base != 0 && base.is_some_and(|base| base != region.base) {
                ranges.push(region.base..=region.base.saturating_add(region.size));
            }
        }
        ranges
    }
}

fn segment_of(image: &Image, address: u32) -> Option<&Segment> {
    let around = |segment: &&Segment| {
        let length = segment.bytes.len() as u64 + u64::from(segment.zero_bytes);
        address >= segment.virtual_address && u64::from(address - segment.virtual_address) < length
    };
    image.segments.iter().find(around)
}

fn load_address(segment: &Segment, address: u32) -> u32 {
    let offset = address - segment.virtual_address;
    segment.physical_address.wrapping_add(offset)
}

/// Words in the code that are addresses: literals, and those in instructions that jump there.
fn words_of(image: &Image, jump_target: fn(u32) -> Option<u32>) -> impl Iterator<Item = u32> {
    let code = image.sections.iter().filter(|section| section.executable);
    code.flat_map(move |section| {
        let segment = segment_of(image, section.address);
        let bytes = segment.and_then(|segment| {
            let from = (section.address - segment.virtual_address) as usize;
            segment.bytes.get(from..)
        });
        let bytes = bytes.unwrap_or_default();
        let (words, _) = bytes[..bytes.len().min(section.size as usize)].as_chunks::<4>();
        words.iter().enumerate().filter_map(move |(number, bytes)| {
            let word = match image.big_endian {
                false => u32::from_le_bytes(*bytes),
                true => u32::from_be_bytes(*bytes),
            };
            let address = section.address.wrapping_add(4 * number as u32);
            let below = image.data_marks.partition_point(|&(at, _)| at <= address);
            let mark = below.checked_sub(1).map(|last| image.data_marks[last].1);
            match mark {
                Some(true) => Some(word),
                Some(false) => jump_target(word),
                // Without mapping symbols nothing is known to be a literal.
                None => None,
            }
        })
    })
}
