//! Images of other cores than the first: each lies where it was linked for, and its core starts there.

use crate::boot::image::{Expected, Image, check_core};
use crate::boot::linked::{ImageMap, PARTS_MAX, place};
use crate::boot::start::Start;
use crate::machine::Machine;
use crate::platform::error::LoadError;
use serde::{Deserialize, Serialize, Serializer};
use socscope_memory::{MemoryIndex, Viewer};
use std::collections::BTreeMap;
use std::ops::Range;

/// What the first core's boot loader hands over, as the owner of bytes.
const HANDOVER: &str = "what the boot loader hands over to the first core";

/// Bytes that were loaded before the machine ran.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub memory: MemoryIndex,
    pub bytes: Range<u64>,
    pub owner: String,
}

/// Where other cores start that have an image of their own; `None` is the reset vector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct OtherStarts(pub BTreeMap<u16, Option<Start>>);

/// Nothing at all while there are none: states without them are what they were.
impl Serialize for OtherStarts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_empty() {
            true => serializer.serialize_unit(),
            false => self.0.serialize(serializer),
        }
    }
}

impl OtherStarts {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Machine {
    /// Loads the image of a core behind the first beside those that are loaded, and resets. That core starts at the reset vector when the image put code there,
    /// else at the image's entry.
    pub(crate) fn load_image(
        &mut self,
        core: u16,
        bytes: &[u8],
        path: &str,
    ) -> Result<(), LoadError> {
        if self.processors.iter().any(|processor| processor.cycle > 0) {
            return Err(LoadError::Running { image: path.into() });
        }
        if core == 0 || self.other_starts.0.contains_key(&core) {
            return Err(LoadError::HasImage {
                image: path.into(),
                core,
            });
        }
        let number = usize::from(core);
        if number >= self.cores() {
            let (image, last) = (path.into(), self.cores() - 1);
            return Err(LoadError::NoCore { image, core, last });
        }
        let of_core = |source| LoadError::OfCore { core, source };
        let expected = Expected::from(self.core(number).images());
        let image = Image::parse(path, bytes, expected).map_err(of_core)?;
        check_core(path, bytes, &**self.core(number)).map_err(of_core)?;
        let mut plan = vec![];
        for segment in &image.segments {
            let there = self.place_of((path, core), &self.nominal, segment)?;
            let from = u64::from(there.1);
            if let Some(other) = self.owner_of(there.0, from..from + segment.length()) {
                return Err(LoadError::Overlaps {
                    image: path.into(),
                    address: segment.physical_address,
                    length: segment.length(),
                    other,
                });
            }
            plan.push((there, segment));
        }
        let from_reset = self.starts_at_reset(&image, ImageMap::Remapped, number);
        for (place, segment) in plan {
            self.load_segment(place, segment, path);
        }
        if !self.core(number).has_translation() {
            let parts = self.parts_of((&image, core), ImageMap::Remapped, self.linked.map);
            self.linked.parts.extend(parts);
            self.linked.parts.truncate(PARTS_MAX);
        }
        let start = (!from_reset).then(|| Start {
            entry: image.physical_entry(),
            image_end: image.physical_end(),
            ..Start::default()
        });
        self.other_starts.0.insert(core, start);
        self.reset();
        Ok(())
    }

    /// Lets all cores start as boot loaders leave them.
    pub(crate) fn start_cores(&mut self) {
        let machine = self.core(0).images().elf_machine;
        for (number, processor) in self.processors.iter_mut().enumerate() {
            let cycle = processor.cycle;
            match (self.other_starts.0.get(&(number as u16)), &self.start) {
                (Some(Some(own)), _) => own.apply(&mut processor.state, 0, cycle),
                (None, Some(first)) if processor.state.images().elf_machine == machine => {
                    first.apply(&mut processor.state, number, cycle);
                }
                _ => {}
            }
        }
    }

    /// Whose bytes lie in a part of a memory.
    fn owner_of(&self, memory: MemoryIndex, bytes: Range<u64>) -> Option<String> {
        let overlaps = |one: &&Loaded| {
            one.memory == memory && one.bytes.start < bytes.end && bytes.start < one.bytes.end
        };
        self.loaded
            .iter()
            .find(overlaps)
            .map(|one| one.owner.clone())
    }

    /// The image of another core that lies between two addresses of one memory.
    pub(crate) fn image_in(&mut self, addresses: Range<u64>) -> Option<String> {
        self.loaded.retain(|one| one.owner != HANDOVER);
        let (memory, offset, _) = place(&self.nominal, Viewer::Core(0), addresses.start as u32)?;
        let from = u64::from(offset);
        self.owner_of(memory, from..from + (addresses.end - addresses.start))
    }

    /// Notes where the boot loader puts what it hands over.
    pub(crate) fn note_handover(&mut self, addresses: Range<u64>) {
        if let Some((memory, offset, _)) =
            place(&self.nominal, Viewer::Core(0), addresses.start as u32)
        {
            let from = u64::from(offset);
            self.loaded.push(Loaded {
                memory,
                bytes: from..from + (addresses.end - addresses.start),
                owner: HANDOVER.into(),
            });
        }
    }
}
