//! Loading an image.

use crate::boot::Handover;
use crate::boot::image::{Expected, Image, Segment, check_core};
use crate::boot::image_map::Choice;
use crate::boot::linked::{Linked, place};
use crate::boot::others::Loaded;
use crate::boot::start::Start;
use crate::machine::Machine;
use crate::platform::error::LoadError;
use socscope_memory::{AddressMap, MemoryIndex, Region, Target, Viewer};

impl Machine {
    /// Loads an ELF image at its physical addresses in the map that it is linked for, and resets. The core starts at the reset vector when
    /// the image put code there, else at the image's entry with the boot loader's map in force.
    ///
    /// # Errors
    /// Files that are no image for this core or board, and segments outside every memory; nothing is loaded then.
    pub fn load_elf(&mut self, bytes: &[u8], path: &str) -> Result<(), LoadError> {
        let images = self.core(0).images();
        let mut image = Image::parse(path, bytes, Expected::from(images))?;
        check_core(path, bytes, &**self.core(0))?;
        self.check_board(&image, path)?;
        let is_kernel = image.is_kernel();
        let boot = images.boot.filter(|boot| is_kernel || !boot.kernels_only);
        if let Some(bits) = boot.and_then(|boot| boot.kernel_offset) {
            self.to_memory(&mut image, bits);
        }
        let Choice { map, note } = self.choose_map(&image, path)?;
        let mut plan = vec![];
        for segment in &image.segments {
            let place = self.place_of((path, 0), self.map_of(map), segment)?;
            plan.push((place, segment));
        }
        let boots_from_reset = self.starts_at_reset(&image, map, 0);
        self.loaded.clear();
        self.other_starts.clear();
        for (place, segment) in plan {
            self.load_segment(place, segment, path);
        }
        // Behind a translation of addresses, where code was linked for says nothing about where it lies.
        let parts = match self.core(0).has_translation() {
            false => self.parts_of((&image, 0), map, map),
            true => vec![],
        };
        self.linked = Linked { map, note, parts };
        let start = (!boots_from_reset).then(|| Start {
            entry: image.physical_entry(),
            image_end: image.physical_end(),
            ..Start::default()
        });
        self.start = start.clone();
        match (boot, start) {
            (Some(boot), Some(start)) => self.hand_over(boot, start, &Handover::default())?,
            _ => self.reset(),
        }
        Ok(())
    }

    /// A kernel whose file gives addresses behind translation alone lies as far behind the beginning of memory as `bits` of them say.
    fn to_memory(&self, image: &mut Image, bits: u32) {
        let in_memory =
            |segment: &Segment| self.segment_place(&self.nominal, Viewer::Core(0), segment);
        if image.segments.iter().all(|one| in_memory(one).is_some()) {
            return;
        }
        let is_ram = |region: &&Region| {
            matches!(region.target, Target::Memory { writable: true, .. })
                && region.enabled
                && region.core.is_none()
        };
        let memories = self.nominal.regions().iter().filter(is_ram);
        if let Some(base) = memories.map(|region| region.base).min() {
            image.relocate(|address| base.wrapping_add(address & bits));
        }
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

    /// Where a map has room for a segment, as somebody sees it.
    pub(crate) fn segment_place(
        &self,
        map: &AddressMap,
        viewer: Viewer,
        segment: &Segment,
    ) -> Option<(MemoryIndex, u32)> {
        let length = segment.length();
        let (memory, offset, _) = place(map, viewer, segment.physical_address)?;
        let size = u64::from(self.bus.space.memory(memory).size());
        (u64::from(offset) + length <= size).then_some((memory, offset))
    }

    /// The same for the image of a core.
    pub(crate) fn place_of(
        &self,
        (image, core): (&str, u16),
        map: &AddressMap,
        segment: &Segment,
    ) -> Result<(MemoryIndex, u32), LoadError> {
        let viewer = Viewer::Core(core);
        let (image, address, length) = (image.into(), segment.physical_address, segment.length());
        let Some(place) = self.segment_place(map, viewer, segment) else {
            return Err(LoadError::OutsideMemory {
                image,
                address,
                length,
                memories: self.memory_list(core),
            });
        };
        let last = u64::from(address) + length.saturating_sub(1);
        let seen = map.find_range(viewer, address);
        let private = |at: u32| map.region(map.find_for(viewer, at)).core.is_some();
        if let Some((_, end)) = seen
            && u64::from(end) < last
            && map.has_own_view(core)
            && (private(address) || end.checked_add(1).is_some_and(private))
        {
            return Err(LoadError::AcrossPrivate {
                image,
                address,
                length,
                core,
                border: u64::from(end) + 1,
            });
        }
        Ok(place)
    }

    pub(crate) fn memory_at_reset(&self, core: usize) -> Option<(MemoryIndex, u32)> {
        let viewer = Viewer::Core(core as u16);
        let (memory, offset, _) = place(&self.at_reset, viewer, self.core(core).reset_address())?;
        Some((memory, offset))
    }

    fn memory_list(&self, core: u16) -> String {
        let regions = self.nominal.regions().iter();
        let memories = regions
            .filter(|region| region.is_of(core) && matches!(region.target, Target::Memory { .. }));
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
