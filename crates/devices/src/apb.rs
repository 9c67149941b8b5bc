//! ARM's peripheral bus (APB), whose bridge knows words only (AMBA specification, rev. 2.0, chapter 5; doc1354, "Peripherals"):
//! of a narrower access it drops the low address bits and makes it a word access. The core picks its lane of the word that it
//! reads, and repeats a byte or half-word that it writes on all lanes.

pub(crate) use crate::hole::{warn_of_read, warn_of_write};
use socscope_memory::Width;

/// The offset of the register that answers.
pub(crate) fn register_offset(offset: u32) -> u32 {
    Width::Word.align(offset)
}

/// What the core gets of a register that reads as `word`.
pub(crate) fn lane(word: u32, offset: u32, width: Width) -> u32 {
    width.truncate(word >> (8 * (offset & 3)))
}

/// The word that a register is written with.
pub(crate) fn repeated(value: u32, width: Width) -> u32 {
    match width {
        Width::Byte => (value & 0xff) * 0x0101_0101,
        Width::Half => (value & 0xffff) * 0x0001_0001,
        Width::Word => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_accesses_become_word_accesses() {
        assert_eq!(register_offset(0x17), 0x14);
        assert_eq!(lane(0x1122_3344, 0x16, Width::Half), 0x1122);
        assert_eq!(lane(0x1122_3344, 0x15, Width::Byte), 0x33);
        assert_eq!(lane(0x1122_3344, 0x14, Width::Word), 0x1122_3344);
        assert_eq!(repeated(0xff5a, Width::Byte), 0x5a5a_5a5a);
        assert_eq!(repeated(0x1234, Width::Half), 0x1234_1234);
    }
}
