//! Random values that are worth trying.

use crate::memories::{CODE, DATA, DATA_BYTES};
use crate::support::random::Random;

/// A general-purpose register: often a pointer into the middle of the data.
pub fn word(random: &mut Random) -> u32 {
    match random.below(20) {
        0..8 => DATA + DATA_BYTES / 4 + (random.below(DATA_BYTES / 2) & !3),
        8 => DATA + DATA_BYTES / 4 + random.below(DATA_BYTES / 2),
        9..12 => random.below(80),
        12 => random.below(0x1000) & !3,
        13 => [
            0,
            1,
            31,
            32,
            63,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            u32::MAX,
        ][random.below(9) as usize],
        14 => 1 << random.below(32),
        15 => random.below(0x2_0000).wrapping_sub(0x1_0000),
        16 => CODE + 0x10_0000 + (random.below(0x8000) & !3),
        _ => random.word(),
    }
}

/// A floating-point register: numbers of all kinds, many with few bits or of nearly the same size.
pub fn double(random: &mut Random) -> u64 {
    let sign = u64::from(random.word() & 1) << 63;
    let fraction = match random.below(8) {
        0 => 0,
        1 | 6 | 7 => random.next() & 0x000f_ffff_e000_0000,
        2 => 1 << random.below(52),
        3 => 0x000f_ffff_ffff_ffff << random.below(52) & 0x000f_ffff_ffff_ffff,
        4 => random.next() & 0x0000_0000_1fff_ffff,
        _ => random.next() & 0x000f_ffff_ffff_ffff,
    };
    let exponent = match random.below(16) {
        0 => 0,
        1 => 0x7ff,
        2 => random.below(0x800),
        3 => 0x7f0 + random.below(15),
        4 => random.below(60),
        5 => 0x37e + random.below(30) - 26,
        6 => 0x47e - random.below(4),
        7 => 0x3ff + random.below(64),
        _ => 0x3ff - 16 + random.below(33),
    };
    sign | u64::from(exponent) << 52 | fraction
}
