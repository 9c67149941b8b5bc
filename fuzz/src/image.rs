//! A linked program, and the ELF file that a machine loads.

use crate::assembler::Content;
use std::collections::BTreeMap;

/// A linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Addresses and bytes.
    pub segments: Vec<(u32, Vec<u8>)>,
    /// Where it starts when not at the reset vector.
    pub entry: u32,
    /// Where it ends, when it does.
    pub end: u32,
    /// Name, first address and end of each function, by address.
    pub functions: Vec<(String, u32, u32)>,
    /// What lies where.
    pub contents: BTreeMap<u32, Content>,
}

const HEADER_BYTES: u32 = 52;
const PROGRAM_HEADER_BYTES: u32 = 32;

impl Image {
    /// The word at an address.
    pub fn word(&self, address: u32) -> Option<u32> {
        let (base, bytes) = self.segments.iter().find(|(base, bytes)| {
            address >= *base && u64::from(address - base) + 4 <= bytes.len() as u64
        })?;
        let at = (address - base) as usize;
        Some(u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?))
    }

    /// An executable file (System V ABI, little-endian ARM) of segments without sections.
    pub fn elf(&self) -> Vec<u8> {
        let count = self.segments.len() as u32;
        let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0];
        file.resize(16, 0);
        let half = |file: &mut Vec<u8>, value: u32| file.extend((value as u16).to_le_bytes());
        let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
        half(&mut file, 2);
        half(&mut file, 40);
        for value in [1, self.entry, HEADER_BYTES, 0, 0x0500_0000] {
            word(&mut file, value);
        }
        for value in [HEADER_BYTES, PROGRAM_HEADER_BYTES, count, 40, 0, 0] {
            half(&mut file, value);
        }
        let mut offset = HEADER_BYTES + PROGRAM_HEADER_BYTES * count;
        for (address, bytes) in &self.segments {
            let size = bytes.len() as u32;
            for value in [1, offset, *address, *address, size, size, 7, 4] {
                word(&mut file, value);
            }
            offset += size;
        }
        for (_, bytes) in &self.segments {
            file.extend(bytes);
        }
        file
    }
}
