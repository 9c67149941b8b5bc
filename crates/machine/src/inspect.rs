//! Looking at a machine, and touching it from outside.

use crate::inputs::input::Input;
use crate::machine::Machine;
use crate::platform::error::PlatformError;
use socscope_device::Description;
use socscope_engines::BusState;
use socscope_memory::{AccessCost, Bus, Endianness, Region, RegionIndex, Target, Viewer, Width};
use socscope_timing::{CacheCounts, CacheName};

/// A device of a machine, for people.
pub struct DeviceEntry<'a> {
    /// Short name.
    pub name: &'a str,
    /// Path of its node.
    pub path: &'a str,
    /// Its manual page.
    pub description: &'static Description,
    /// First address; `None` when it has none.
    pub base: Option<u32>,
}

impl Machine {
    /// Memory at `address` as all cores share it, without side effects; shorter than `size` where no memory answers.
    pub fn peek(&self, address: u32, size: u32) -> Vec<u8> {
        self.peek_for(Viewer::Everyone, address, size)
    }

    /// The same as somebody sees it.
    pub fn peek_for(&self, viewer: Viewer, address: u32, size: u32) -> Vec<u8> {
        let space = &self.bus.space;
        let byte = |offset| {
            let at = address.checked_add(offset)?;
            space
                .read_memory_for(viewer, at, Width::Byte, Endianness::Little)
                .ok()
        };
        (0..size)
            .map_while(byte)
            .map(|(value, _)| value as u8)
            .collect()
    }

    /// What the core's next bus cycles, and their waits on the external bus, depend on; with a timing model that does not count them, as
    /// if the last instruction were a plain one.
    pub fn bus_cycles(&self) -> BusState {
        let counted = self.current().timing.bus_cycles();
        counted.unwrap_or_else(BusState::running)
    }

    /// What the caches of a core were asked for and had; nothing where the timing model has none.
    pub fn cache_counts(&self, core: usize) -> Vec<(CacheName, CacheCounts)> {
        self.processors[core].timing.cache_counts()
    }

    /// The region of an address and what accesses there cost, in the map in force, for the core whose turn it is.
    pub fn access_cost(&self, address: u32) -> (RegionIndex, &AccessCost) {
        let region = self.bus.region(address);
        (region, self.bus.cost(region))
    }

    /// The region that somebody finds at an address, if any answers there.
    pub fn region_for(&self, viewer: Viewer, address: u32) -> Option<&Region> {
        let map = self.bus.space.map();
        match map.find_for(viewer, address) {
            RegionIndex::UNMAPPED => None,
            index => Some(map.region(index)),
        }
    }

    /// Changes memory as all cores share it, ROM too. Gives the number of bytes that were written.
    pub fn poke(&mut self, address: u32, bytes: &[u8]) -> usize {
        let written = self.poke_memory(Viewer::Everyone, address, bytes);
        if written > 0 {
            let bytes = bytes[..written].into();
            self.note(Input::Poke { address, bytes });
        }
        written
    }

    /// The same as a core sees it.
    pub fn poke_core(&mut self, core: u16, address: u32, bytes: &[u8]) -> usize {
        // What it sees alone needs its number in the record; all else is what all share.
        if !self.bus.space.map().has_own_view(core) {
            return self.poke(address, bytes);
        }
        let written = self.poke_memory(Viewer::Core(core), address, bytes);
        if written > 0 {
            let bytes = bytes[..written].into();
            self.note(Input::CorePoke {
                core,
                address,
                bytes,
            });
        }
        written
    }

    fn poke_memory(&mut self, viewer: Viewer, address: u32, bytes: &[u8]) -> usize {
        for (offset, &byte) in bytes.iter().enumerate() {
            let space = &mut self.bus.space;
            let at = u32::try_from(offset).ok();
            let Some(at) = at.and_then(|offset| address.checked_add(offset)) else {
                return offset;
            };
            let region = space.map().region(space.map().find_for(viewer, at));
            let (target, offset_in_region) = (region.target, at - region.base);
            let Target::Memory { memory, .. } = target else {
                return offset;
            };
            space.load(memory, offset_in_region, &[byte]);
        }
        bytes.len()
    }

    /// The device of a name.
    pub(crate) fn device(&self, name: &str) -> Result<u16, PlatformError> {
        self.bus.present_device(name).ok_or_else(|| {
            let slots = self.bus.slots.iter();
            let known = slots.map(|slot| slot.name.as_str()).collect();
            self.unknown("device", name, known)
        })
    }

    pub(crate) fn drive_input(
        &mut self,
        device: &str,
        line: &str,
        level: bool,
    ) -> Result<(), PlatformError> {
        if self.bus.present_device(device).is_none()
            && let Some(driven) = self.drive_core(device, line, level)
        {
            return driven;
        }
        let index = self.device(device)?;
        let inputs = self.bus.slots[index as usize].model.description().inputs;
        let Some(input) = inputs.iter().position(|name| *name == line) else {
            return Err(self.unknown("input line", line, inputs.to_vec()));
        };
        let now = self.now();
        self.bus.call(index, now, |model, context| {
            model.input(input as u32, level, context)
        });
        Ok(())
    }

    pub(crate) fn unknown(
        &self,
        kind: &'static str,
        name: &str,
        known: Vec<&str>,
    ) -> PlatformError {
        PlatformError::UnknownName {
            platform: self.platform.clone(),
            kind,
            name: name.into(),
            known: known.join(", "),
        }
    }

    /// The devices, by index.
    pub fn devices(&self) -> impl Iterator<Item = DeviceEntry<'_>> {
        self.bus
            .slots
            .iter()
            .enumerate()
            .map(|(index, slot)| DeviceEntry {
                name: &slot.name,
                path: &slot.path,
                description: slot.model.description(),
                base: self
                    .regions()
                    .iter()
                    .find(|region| region.target == Target::Device(index as u16))
                    .map(|region| region.base),
            })
    }
}
