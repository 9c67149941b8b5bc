//! Registers of 32 bits that a core of either byte order reaches whole or by their bytes, as it would find them in memory.

use crate::lane;
use socscope_device::Context;
use socscope_memory::Width;

/// The offset of the word that an access reaches.
pub(super) fn offset_of(offset: u32) -> u32 {
    Width::Word.align(offset)
}

/// What the core gets of a register that reads as `word`.
pub(super) fn read(word: u32, offset: u32, width: Width, context: &Context) -> u32 {
    lane::read(word, offset, width, context.order)
}

/// The word that the core writes, zero where it writes nothing.
pub(super) fn written(value: u32, offset: u32, width: Width, context: &Context) -> u32 {
    lane::written(value, offset, width, context.order).1
}
