//! What a helper says that looked at an address before an instruction does something with it.

/// The interpreter has to do it; nothing has happened.
pub(crate) const IMPOSSIBLE: u64 = 0;
/// It is done, and a store that follows cannot fail.
pub(crate) const DONE: u64 = 1;
/// The address was not reserved, and no reservation is left.
pub(crate) const NOT_RESERVED: u64 = 2;

/// The place, among an architecture's own helpers, of the one that looks.
pub(crate) const PREPARE: usize = 0;

/// What such a helper is told beside the address: the table of pages, and what the instruction is about to do, by an architecture's own number.
pub(crate) const fn how(table: usize, work: u8) -> u32 {
    (table as u32) << 8 | work as u32
}

/// The same, taken apart.
pub(crate) const fn parts_of(how: u32) -> (usize, u8) {
    (how as usize >> 8, how as u8)
}
