//! What one bus access is, and the bus as a core sees it.

use crate::{AccessCost, RegionIndex};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Size of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Width {
    /// 8 bits.
    Byte = 0,
    /// 16 bits.
    Half = 1,
    /// 32 bits.
    Word = 2,
}

impl Width {
    /// All widths, narrow first.
    pub const ALL: [Width; 3] = [Width::Byte, Width::Half, Width::Word];

    /// Size in bytes: 1, 2 or 4.
    pub const fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// Size in bits: 8, 16 or 32.
    pub const fn bits(self) -> u32 {
        8 << self as u32
    }

    /// `address` rounded down to a multiple of the size.
    pub const fn align(self, address: u32) -> u32 {
        address & !(self.bytes() - 1)
    }

    /// The bits of `value` that fit.
    pub const fn truncate(self, value: u32) -> u32 {
        value & (u32::MAX >> (32 - self.bits()))
    }

    /// The aligned pieces of an access at any address, the widest that there can be, from its first byte on: offset and width.
    pub fn pieces(self, address: u32) -> impl Iterator<Item = (u32, Width)> {
        let mut offset = 0;
        std::iter::from_fn(move || {
            let left = self.bytes() - offset;
            let widest = |width: &&Width| {
                let at = address.wrapping_add(offset);
                width.bytes() <= left && width.align(at) == at
            };
            let piece = *Width::ALL.iter().rev().find(widest)?;
            offset += piece.bytes();
            Some((offset - piece.bytes(), piece))
        })
    }
}

/// Which way the data goes, as the bus master sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Direction {
    /// From memory or device.
    Read = 0,
    /// To memory or device.
    Write = 1,
}

/// Byte order of whoever accesses memory: where the bytes of a word lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Endianness {
    /// Least significant byte at the lowest address.
    #[default]
    Little,
    /// Most significant byte at the lowest address.
    Big,
}

/// A read that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The value, zero-extended.
    pub value: u32,
    /// Where it came from.
    pub region: RegionIndex,
}

/// An access that the bus refused; the core takes an abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{reason} at {address:#010x}")]
pub struct Fault {
    /// The aligned address.
    pub address: u32,
    /// Why it was refused.
    pub reason: FaultReason,
}

/// Why a bus refused an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum FaultReason {
    /// No region there, and the platform answers such accesses with a bus error.
    #[error("nothing is mapped")]
    Unmapped,
    /// A read-only memory whose platform entry makes writes an error.
    #[error("memory is read-only")]
    ReadOnly,
    /// A device that does not answer accesses of this width or offset.
    #[error("device refuses the access")]
    Device,
    /// The address is no multiple of what the core asks for.
    #[error("address off alignment")]
    Unaligned,
}

/// At which of the core's cycles an access transfers its data, when it is to a region of such a cost. A bus asks where something sees the time,
/// which memory does not.
pub trait When: FnOnce(RegionIndex, &AccessCost) -> u64 {}

impl<F: FnOnce(RegionIndex, &AccessCost) -> u64> When for F {}

/// The bus as a core sees it. Addresses are aligned to the width.
pub trait Bus {
    /// Reads an opcode of `width`.
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault>;
    /// Reads data; may have side effects in a device.
    fn read(&mut self, address: u32, width: Width, when: impl When) -> Result<Access, Fault>;
    /// Writes data.
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        when: impl When,
    ) -> Result<RegionIndex, Fault>;
    /// The region that holds `address`; [`RegionIndex::UNMAPPED`] when none does.
    fn region(&self, address: u32) -> RegionIndex;
    /// What accesses to `region` cost now.
    fn cost(&self, region: RegionIndex) -> &AccessCost;
    /// The cycle at which the core must stop for an event. An access to a device may bring it forward.
    fn deadline(&self) -> u64;
    /// Whether the core's normal interrupt request line is active.
    fn irq(&self) -> bool;
    /// Whether the core's fast interrupt request line is active.
    fn fiq(&self) -> bool;
    /// A magic instruction with this number and argument is executed; a bus may bring its deadline forward so that the machine can act on it.
    fn magic(&mut self, _number: u8, _argument: u32, _cycle: u64) {}
    /// The core takes the exception of this number, as its architecture counts, instead of, or because of, the instruction at `pc`.
    fn exception(&mut self, _vector: u8, _pc: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unaligned_accesses_are_made_of_the_widest_aligned_pieces() {
        use Width::{Byte, Half, Word};
        let of = |address, width: Width| width.pieces(address).collect::<Vec<_>>();
        assert_eq!(of(1, Word), [(0, Byte), (1, Half), (3, Byte)]);
        assert_eq!(of(2, Word), [(0, Half), (2, Half)]);
        assert_eq!(of(3, Word), [(0, Byte), (1, Half), (3, Byte)]);
        assert_eq!(of(7, Half), [(0, Byte), (1, Byte)]);
        assert_eq!(of(u32::MAX, Half), [(0, Byte), (1, Byte)]);
    }
}
