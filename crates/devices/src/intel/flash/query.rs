//! What a chip says of itself: the query table of the common flash interface (JESD68.01; Intel 28F128J3A data sheet, appendix C).

/// The first word of the table in the chip's address space.
const FIRST: u32 = 0x10;
/// Where the vendor's part begins.
const VENDOR: u8 = 0x31;

/// 2 to the power of this: microseconds of a word or a buffer, milliseconds of an erased block.
pub(super) const PROGRAM_US_LOG2: u8 = 7;
pub(super) const ERASE_MS_LOG2: u8 = 10;
/// Bytes of the buffer likewise.
pub(super) const BUFFER_LOG2: u8 = 5;
/// Bytes of a block, of which a chip has 128.
pub(super) const BLOCK_BYTES: u32 = 0x2_0000;

const TABLE: [u8; 48] = [
    b'Q',
    b'R',
    b'Y', // Intel's extended command set, and its table; no other.
    1,
    0,
    VENDOR,
    0,
    0,
    0,
    0,
    0, // 2.7 to 3.6 V, no programming voltage of its own.
    0x27,
    0x36,
    0,
    0, // Typical times, then 2 to the power of how many times longer they may be.
    PROGRAM_US_LOG2,
    PROGRAM_US_LOG2,
    ERASE_MS_LOG2,
    0,
    4,
    4,
    4,
    0,
    // 16 MB, 8 or 16 bits wide, the buffer, one region of 128 blocks of 512 * 256 bytes.
    24,
    2,
    0,
    BUFFER_LOG2,
    0,
    1,
    127,
    0,
    0,
    2,
    // Vendor's part, version 1.1: nothing that may be left out is there, no protection registers; 3.3 V.
    b'P',
    b'R',
    b'I',
    b'1',
    b'1',
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0x33,
    0,
    0,
];

/// The word at an address of the chip.
pub(super) fn word(address: u32) -> u16 {
    let entry = address
        .checked_sub(FIRST)
        .and_then(|at| TABLE.get(at as usize));
    entry.map_or(0, |&byte| u16::from(byte))
}
