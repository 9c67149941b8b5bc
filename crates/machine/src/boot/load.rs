//! Loading an image.

use crate::boot::Handover;
use crate::boot::image::{Expected, Image, Segment, check_core};
use crate::boot::image_map::Choice;
use crate::boot::linked::{Linked, place};
use crate::boot::others::Loaded;
use crate::boot::start::Start;
use crate::machine::Machine;
use crate::platform::error::LoadError;
use socscope_memory::{AddressMap, MemoryIndex, Region, Target};

impl Machine {
    /// Loads an ELF image at its physical addresses in the map that it is linked for, and resets. The core starts at the reset vector when
    /// the image put code there, else at the image's entry with the boot loader's map in force.
    ///
    /// # Errors
    /// Files that are no image for this core or board, and segments outside every memory; nothing is loaded then.
    pub fn load_elf(&mut self, bytes: &[u8], path: &str) -> Result<(), LoadError> {
        let images = self.core(0).images();
        let image = Image::parse(path, bytes, Expected::from(images))?;
        check_core(path, bytes, &**self.core(0))?;
        self.check_board(&image, path)?;
        let Choice { map, note } = self.choose_map(&image, path)?;
        let mut plan = vec![];
        for segment in &image.segments {
            let place = self.segment_place(self.map_of(map), segment);
            plan.push((place.ok_or_else(|| self.outside(path, segment))?, segment));
        }
        let boots_from_reset = self.starts_at_reset(&image, map, 0);
        self.loaded.clear();
        self.other_starts.clear();
        for (place, segment) in plan {
            self.load_segment(place, segment, path);
        }
        // Behind a translation of addresses, where code was linked for says nothing about where it lies.
        let parts = match self.core(0).has_translation() {
            false => self.parts_of(&image, map, map),
            true => vec![],
        };
        self.linked = Linked { map, note, parts };
        self.start = (!boots_from_reset).then(|| Start {
            entry: image.physical_entry(),
            image_end: image.physical_end(),
            ..Start::default()
        });
        if images.have_boot_loader && !boots_from_reset {
            self.boot(&Handover::default())?;
        } else {
            self.reset();
        }
        Ok(())
    }

    pub(crate) fn load_segment(
        &mut self,
        (memory, offset): (MemoryIndex, u32),
        segment: &Segment,
        owner: &str,
    ) {
        let (space, behind) = (&mut self.bus.space, segment.bytes.len() as u32);
        space.load(memory, offset, &segment.bytes);
        space.clear(memory, offset + behind, segment.zero_bytes);
        self.loaded.push(Loaded {
            memory,
            bytes: u64::from(offset)..u64::from(offset) + segment.length(),
            owner: owner.into(),
        });
    }

    /// Where a map has room for a segment.
    pub(crate) fn segment_place(
        &self,
        map: &AddressMap,
        segment: &Segment,
    ) -> Option<(MemoryIndex, u32)> {
        let length = segment.length();
        let (memory, offset, _) = place(map, segment.physical_address)?;
        let size = u64::from(self.bus.space.memory(memory).size());
        (u64::from(offset) + length <= size).then_some((memory, offset))
    }

    pub(crate) fn outside(&self, path: &str, segment: &Segment) -> LoadError {
        LoadError::OutsideMemory {
            image: path.into(),
            address: segment.physical_address,
            length: segment.length(),
            memories: self.memory_list(),
        }
    }

    pub(crate) fn memory_at_reset(&self, core: usize) -> Option<(MemoryIndex, u32)> {
        let (memory, offset, _) = place(&self.at_reset, self.core(core).reset_address())?;
        Some((memory, offset))
    }

    fn memory_list(&self) -> String {
        let memories = self
            .nominal
            .regions()
            .iter()
            .filter(|region| matches!(region.target, Target::Memory { .. }));
        let text = |region: &Region| {
            format!(
                "{} {:#010x} to {:#010x}",
                region.name,
                region.base,
                region.base + (region.size - 1)
            )
        };
        memories
            .filter(|region| region.enabled)
            .map(text)
            .collect::<Vec<_>>()
            .join(", ")
    }
}
