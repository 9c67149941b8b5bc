//! Accesses narrower than a register of 32 bits: the bytes of the word as they lie in memory for the core that accesses them.

use socscope_memory::{Endianness, Width};

/// How far the lane of an access is above the least significant bit.
fn shift(offset: u32, width: Width, endianness: Endianness) -> u32 {
    let first = offset & 3;
    8 * match endianness {
        Endianness::Little => first,
        Endianness::Big => 4 - width.bytes() - first,
    }
}

/// The part of a word that a read of `width` at `offset` (aligned to it) sees.
pub(crate) fn read(word: u32, offset: u32, width: Width, endianness: Endianness) -> u32 {
    width.truncate(word >> shift(offset, width, endianness))
}

/// The bits of the word that a write of `width` at `offset` (aligned to it) reaches, and what it writes to them.
pub(crate) fn written(value: u32, offset: u32, width: Width, endianness: Endianness) -> (u32, u32) {
    let shift = shift(offset, width, endianness);
    (
        width.truncate(u32::MAX) << shift,
        width.truncate(value) << shift,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_follow_the_byte_order() {
        let word = 0x1122_3344;
        let byte_at = |offset, order| read(word, offset, Width::Byte, order);
        assert_eq!(
            [0, 1, 2, 3].map(|at| byte_at(at, Endianness::Little)),
            [0x44, 0x33, 0x22, 0x11]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|at| byte_at(at, Endianness::Big)),
            [0x11, 0x22, 0x33, 0x44]
        );
        assert_eq!(read(word, 2, Width::Half, Endianness::Big), 0x3344);
        assert_eq!(read(word, 0, Width::Word, Endianness::Big), word);
        let half = written(0xffff_1234, 0, Width::Half, Endianness::Big);
        assert_eq!(half, (0xffff_0000, 0x1234_0000));
        assert_eq!(
            written(0xab, 1, Width::Byte, Endianness::Little),
            (0xff00, 0xab00)
        );
    }
}
