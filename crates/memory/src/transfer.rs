//! Whole runs of bytes to and from memory, as a device without a bus of its own moves them.

use crate::{AddressSpace, Direction, Fault, FaultReason, MemoryIndex, Target};

/// Bytes of one region that are moved at once.
struct Piece {
    memory: MemoryIndex,
    offset: u32,
    count: usize,
}

impl AddressSpace {
    /// Reads bytes of memories, never of a device; they may lie in several regions.
    ///
    /// # Errors
    /// The first address where no memory is.
    pub fn read_bytes(&self, address: u32, target: &mut [u8]) -> Result<(), Fault> {
        let mut done = 0;
        while done < target.len() {
            let piece = self.piece(address, done, target.len(), Direction::Read)?;
            let bytes = &mut target[done..done + piece.count];
            self.memory(piece.memory).copy_to(piece.offset, bytes);
            done += piece.count;
        }
        Ok(())
    }

    /// Writes bytes to memories, never to a device and never to a ROM; they may lie in several regions.
    ///
    /// # Errors
    /// The first address where no memory is; the bytes before it were written.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) -> Result<(), Fault> {
        let mut done = 0;
        while done < bytes.len() {
            let piece = self.piece(address, done, bytes.len(), Direction::Write)?;
            let part = &bytes[done..done + piece.count];
            self.load(piece.memory, piece.offset, part);
            done += piece.count;
        }
        Ok(())
    }

    /// The bytes from `address + done` on that lie in one memory, up to `count` behind `address`.
    fn piece(
        &self,
        address: u32,
        done: usize,
        count: usize,
        direction: Direction,
    ) -> Result<Piece, Fault> {
        let at = u64::from(address) + done as u64;
        let Ok(at) = u32::try_from(at) else {
            return Err(Fault {
                address: u32::MAX,
                reason: FaultReason::Unmapped,
            });
        };
        let region = self.map().region(self.map().find(at));
        let refused = |reason| Fault {
            address: at,
            reason,
        };
        let memory = match region.target {
            Target::Memory { memory, writable } if writable || direction == Direction::Read => {
                memory
            }
            Target::Memory { .. } => return Err(refused(FaultReason::ReadOnly)),
            Target::Device(_) | Target::Stub => return Err(refused(FaultReason::Device)),
            Target::Unmapped => return Err(refused(FaultReason::Unmapped)),
        };
        let size = self.memory(memory).size().max(1);
        let within = at - region.base;
        let room = (region.size - within).min(size - within % size);
        Ok(Piece {
            memory,
            offset: within % size,
            count: (room as usize).min(count - done),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessCost, Memory, Region};

    fn space() -> AddressSpace {
        let mut space = AddressSpace::default();
        let places = [
            ("low", 0x1000, 0x1800, true),
            ("high", 0x2800, 0x1000, true),
            ("rom", 0x8000, 0x1000, false),
        ];
        for (name, base, size, writable) in places {
            let memory = space.add_memory(Memory::new(name, size));
            let region = Region {
                name: name.into(),
                base,
                size,
                enabled: true,
                core: None,
                target: Target::Memory { memory, writable },
                cost: AccessCost::SINGLE_CYCLE,
            };
            space.map_mut().add(region).expect("they do not overlap");
        }
        space
    }

    #[test]
    fn bytes_cross_regions_and_pages() {
        let mut space = space();
        let bytes: Vec<u8> = (0..0x1400).map(|number| number as u8 ^ 0x5a).collect();
        space.write_bytes(0x2001, &bytes).expect("memory is there");
        let mut seen = vec![0; bytes.len()];
        space
            .read_bytes(0x2001, &mut seen)
            .expect("memory is there");
        assert!(seen == bytes);
        let (word, _) = space
            .read_memory(0x2804, crate::Width::Word, crate::Endianness::Little)
            .expect("it is");
        assert_eq!(word.to_le_bytes(), bytes[0x803..0x807]);
    }

    #[test]
    fn what_is_no_memory_is_refused_with_its_address() {
        let mut space = space();
        let mut bytes = [0; 16];
        let fault = space.read_bytes(0x37fc, &mut bytes).expect_err("the end");
        assert_eq!(
            (fault.address, fault.reason),
            (0x3800, FaultReason::Unmapped)
        );
        let fault = space.write_bytes(0x8000, &bytes).expect_err("a ROM");
        assert_eq!(fault.reason, FaultReason::ReadOnly);
        assert!(space.read_bytes(0x8000, &mut bytes).is_ok());
        assert!(space.read_bytes(u32::MAX - 3, &mut bytes).is_err());
        assert!(space.read_bytes(u32::MAX, &mut []).is_ok());
    }
}
