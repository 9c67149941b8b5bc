//! Loading an image.

use crate::boot::Handover;
use crate::error::LoadError;
use crate::image::{Core, Expected, Image, check_core};
use crate::machine::Machine;
use crate::start::Start;
use socscope_architectures::AnyCore;
use socscope_memory::{MemoryIndex, Region, Target};

/// Where a PowerPC begins after its reset.
const POWERPC_RESET: u32 = 0xfff0_0100;

impl Machine {
    /// Loads an ELF image at its physical addresses in the boot loader's map, and resets. The core starts at the reset vector when
    /// the image put something there, else at the image's entry with the boot loader's map in force.
    ///
    /// # Errors
    /// Files that are no image for this core or board, and segments outside every memory; nothing is loaded then.
    pub fn load_elf(&mut self, bytes: &[u8], path: &str) -> Result<(), LoadError> {
        let (expected, core) = match self.core(0) {
            AnyCore::Arm(_) => (Expected::ARM_LITTLE_ENDIAN, Core::Arm7Tdmi),
            AnyCore::PowerPc(processor) => {
                (Expected::POWERPC, Core::PowerPc(processor.core.model()))
            }
        };
        let image = Image::parse(path, bytes, expected)?;
        check_core(path, bytes, core)?;
        self.check_board(&image, path)?;
        let mut plan = vec![];
        for segment in &image.segments {
            let length = segment.bytes.len() as u64 + u64::from(segment.zero_bytes);
            plan.push((self.place(path, segment.physical_address, length)?, segment));
        }
        let at_reset = self.memory_at_reset();
        let mut boots_from_reset = false;
        for ((memory, offset), segment) in plan {
            let (space, behind) = (&mut self.bus.space, segment.bytes.len() as u32);
            space.load(memory, offset, &segment.bytes);
            space.clear(memory, offset + behind, segment.zero_bytes);
            boots_from_reset |= !segment.bytes.is_empty() && Some((memory, offset)) == at_reset;
        }
        self.start = (!boots_from_reset).then(|| Start {
            entry: image.physical_entry(),
            image_end: image.physical_end(),
            ..Start::default()
        });
        match self.core(0) {
            AnyCore::PowerPc(_) if !boots_from_reset => self.boot(&Handover::default())?,
            _ => self.reset(),
        }
        Ok(())
    }

    fn place(
        &self,
        path: &str,
        address: u32,
        length: u64,
    ) -> Result<(MemoryIndex, u32), LoadError> {
        let region = self.nominal.region(self.nominal.find(address));
        let offset = address.wrapping_sub(region.base);
        match region.target {
            Target::Memory { memory, .. }
                if u64::from(offset) + length
                    <= u64::from(self.bus.space.memory(memory).size()) =>
            {
                Ok((memory, offset))
            }
            _ => Err(LoadError::OutsideMemory {
                image: path.into(),
                address,
                length,
                memories: self.memory_list(),
            }),
        }
    }

    fn memory_at_reset(&self) -> Option<(MemoryIndex, u32)> {
        let vector = match self.core(0) {
            AnyCore::Arm(_) => 0,
            AnyCore::PowerPc(_) => POWERPC_RESET,
        };
        let map = self.bus.space.map();
        let region = map.region(map.find(vector));
        match region.target {
            Target::Memory { memory, .. } => Some((memory, vector.wrapping_sub(region.base))),
            _ => None,
        }
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
