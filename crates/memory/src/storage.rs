//! The bytes of a memory.

use crate::{Endianness, Width};
use serde::{Deserialize, Serialize};

/// A RAM or ROM: named bytes. What is written to a ROM by the guest is decided by its region, not here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    name: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

impl Memory {
    /// A memory of `size` bytes, all zero.
    pub fn new(name: impl Into<String>, size: u32) -> Memory {
        Memory {
            name: name.into(),
            bytes: vec![0; size as usize],
        }
    }

    /// Name in the device tree.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, to load an image.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Reads at `offset`, which wraps at the end as an incompletely decoded memory does.
    #[inline]
    pub fn read(&self, offset: u32, width: Width, endianness: Endianness) -> u32 {
        let start = self.start(offset);
        let Some(bytes) = self.bytes.get(start..start + width.bytes() as usize) else {
            return 0;
        };
        match (width, endianness) {
            (Width::Byte, _) => u32::from(bytes[0]),
            (Width::Half, Endianness::Little) => {
                u32::from(u16::from_le_bytes([bytes[0], bytes[1]]))
            }
            (Width::Half, Endianness::Big) => u32::from(u16::from_be_bytes([bytes[0], bytes[1]])),
            (Width::Word, Endianness::Little) => {
                u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
            }
            (Width::Word, Endianness::Big) => {
                u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
            }
        }
    }

    /// Writes at `offset`, which wraps at the end.
    #[inline]
    pub fn write(&mut self, offset: u32, width: Width, value: u32, endianness: Endianness) {
        let start = self.start(offset);
        let size = width.bytes() as usize;
        let Some(bytes) = self.bytes.get_mut(start..start + size) else {
            return;
        };
        match endianness {
            Endianness::Little => bytes.copy_from_slice(&value.to_le_bytes()[..size]),
            Endianness::Big => bytes.copy_from_slice(&value.to_be_bytes()[4 - size..]),
        }
    }

    #[inline]
    fn start(&self, offset: u32) -> usize {
        let offset = offset as usize;
        if offset < self.bytes.len() {
            offset
        } else {
            offset % self.bytes.len().max(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_and_mirroring() {
        let mut memory = Memory::new("ram", 8);
        memory.write(0, Width::Word, 0x1122_3344, Endianness::Little);
        assert_eq!(memory.read(0, Width::Word, Endianness::Big), 0x4433_2211);
        assert_eq!(memory.read(2, Width::Half, Endianness::Little), 0x1122);
        memory.write(12, Width::Byte, 0xab, Endianness::Big);
        assert_eq!(memory.read(4, Width::Byte, Endianness::Little), 0xab);
    }
}
