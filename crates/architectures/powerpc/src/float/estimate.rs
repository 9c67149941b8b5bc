//! Estimates of the 750 family, by its tables: straight lines over 32 stretches of the significand.
//!
//! The numbers are those that were published for the 750CL and found on other members of the family: value at the begin of a stretch, and how
//! much it falls for each step of the significand's first 15 bits.

use super::number::{Exact, SIGN, packed};

#[rustfmt::skip]
const RECIPROCAL: [(u64, u64); 32] = [
    (0x7f_f800, 0x3e1), (0x78_3800, 0x3a7), (0x70_ea00, 0x371), (0x6a_0800, 0x340),
    (0x63_8800, 0x313), (0x5d_6200, 0x2ea), (0x57_9000, 0x2c4), (0x52_0800, 0x2a0),
    (0x4c_c800, 0x27f), (0x47_ca00, 0x261), (0x43_0800, 0x245), (0x3e_8000, 0x22a),
    (0x3a_2c00, 0x212), (0x36_0800, 0x1fb), (0x32_1400, 0x1e5), (0x2e_4a00, 0x1d1),
    (0x2a_a800, 0x1be), (0x27_2c00, 0x1ac), (0x23_d600, 0x19b), (0x20_9e00, 0x18b),
    (0x1d_8800, 0x17c), (0x1a_9000, 0x16e), (0x17_ae00, 0x15b), (0x14_f800, 0x15b),
    (0x12_4400, 0x143), (0xf_be00, 0x143), (0xd_3800, 0x12d), (0xa_de00, 0x12d),
    (0x8_8400, 0x11a), (0x6_5000, 0x11a), (0x4_1c00, 0x108), (0x2_0c00, 0x106),
];

/// For roots of numbers with an even exponent, then an odd one.
#[rustfmt::skip]
const ROOT: [[(u64, u64); 16]; 2] = [[
    (0x3ff_a000, 0x7a4), (0x3c2_9000, 0x700), (0x38a_a000, 0x670), (0x357_2000, 0x5f2),
    (0x327_9000, 0x584), (0x2fb_7000, 0x524), (0x2d2_6000, 0x4cc), (0x2ac_0000, 0x47e),
    (0x288_1000, 0x43a), (0x266_5000, 0x3fa), (0x246_8000, 0x3c2), (0x228_7000, 0x38e),
    (0x20c_1000, 0x35e), (0x1f1_2000, 0x332), (0x1d7_9000, 0x30a), (0x1bf_4000, 0x2e6),
], [
    (0x1a7_e800, 0x568), (0x17c_b800, 0x4f3), (0x155_2800, 0x48d), (0x130_c000, 0x435),
    (0x10f_2000, 0x3e7), (0xef_f000, 0x3a2), (0xd2_e000, 0x365), (0xb7_c000, 0x32e),
    (0x9e_5000, 0x2fc), (0x86_7000, 0x2d0), (0x6f_f000, 0x2a8), (0x5a_b800, 0x283),
    (0x46_a000, 0x261), (0x33_9800, 0x243), (0x21_8800, 0x226), (0x10_5800, 0x20b),
]];

/// What fres finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Estimate {
    Number(u64),
    /// Beyond single precision: the largest number.
    TooLarge(u64),
    /// Below the normalised numbers of single precision: zero.
    TooSmall(u64),
}

/// The largest number of single precision, in a register.
const LARGEST: u64 = 0x47ef_ffff_e000_0000;

/// The first 15 bits of the fraction.
fn step(number: Exact) -> u64 {
    (number.significand >> 112) as u64 & 0x7fff
}

/// About one by the number.
pub(super) fn reciprocal(negative: bool, number: Exact) -> Estimate {
    let sign = if negative { SIGN } else { 0 };
    if number.exponent < -128 {
        return Estimate::TooLarge(sign | LARGEST);
    }
    if number.exponent >= 126 {
        return Estimate::TooSmall(sign);
    }
    let step = step(number);
    let (start, fall) = RECIPROCAL[(step >> 10) as usize];
    let fraction = start - (fall * (step & 0x3ff)).div_ceil(2);
    let bits = 1 << 23 | fraction;
    Estimate::Number(packed(negative, -number.exponent - 1 - 23, bits))
}

/// About one by the root of a positive number.
pub(super) fn reciprocal_root(number: Exact) -> u64 {
    let step = step(number);
    let odd = number.exponent.rem_euclid(2);
    let (start, fall) = ROOT[odd as usize][(step >> 11) as usize];
    let fraction = start - fall * (step & 0x7ff);
    let exponent = -(number.exponent - odd) / 2 - 1;
    packed(false, exponent - 26, 1 << 26 | fraction)
}
