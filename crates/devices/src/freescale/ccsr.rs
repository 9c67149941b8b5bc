//! The registers of the configuration space (CCSR): words in big-endian order, reached whole or by their bytes.

use crate::hole::warn_of_write;
use crate::lane;
use socscope_device::{Context, Description, Permission};
use socscope_memory::{Endianness, Width};

/// The offset of the word that an access reaches.
pub(crate) fn register_offset(offset: u32) -> u32 {
    Width::Word.align(offset)
}

/// What the core gets of a register that reads as `word`.
pub(crate) fn read(word: u32, offset: u32, width: Width) -> u32 {
    lane::read(word, offset, width, Endianness::Big)
}

/// The word that a register is written with: `before`, but for the bytes that are written.
pub(crate) fn merged(before: u32, offset: u32, width: Width, value: u32) -> u32 {
    let (mask, bits) = lane::written(value, offset, width, Endianness::Big);
    (before & !mask) | bits
}

/// Whether software may write the register at `offset`; warns when it may not.
pub(crate) fn is_writable(
    description: &Description,
    offset: u32,
    value: u32,
    context: &mut Context,
) -> bool {
    let found = description.register_at(offset);
    let writable = found.is_some_and(|(it, _)| it.permission != Permission::ReadOnly);
    if !writable {
        warn_of_write(context, offset, value);
    }
    writable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_from_the_most_significant_end() {
        assert_eq!(read(0x1122_3344, 0x13, Width::Byte), 0x44);
        assert_eq!(merged(0x1122_3344, 0x11, Width::Byte, 0xaa), 0x11aa_3344);
        assert_eq!(merged(0x1122_3344, 0x10, Width::Half, 0xaabb), 0xaabb_3344);
        assert_eq!(merged(0x1122_3344, 0x10, Width::Word, 5), 5);
    }
}
