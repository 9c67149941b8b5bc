//! Numbers taken apart and put together, exactly.

use super::compute::Precision;

/// What kind of number a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Zero,
    Finite(Exact),
    Infinity,
    Nan { signalling: bool },
}

/// The size of a number that is neither zero nor infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exact {
    /// Of the most significant one.
    pub exponent: i32,
    /// Bit 127 is one. Bit 0 stands for itself and all that is smaller.
    pub significand: u128,
}

pub(super) const SIGN: u64 = 1 << 63;
const FRACTION: u64 = (1 << 52) - 1;
/// What an invalid operation gives.
pub(super) const QUIET_NAN: u64 = 0x7ff8 << 48;
pub(super) const INFINITY: u64 = 0x7ff0 << 48;

impl Exact {
    /// A number with bits below the most significant one; there is a one.
    pub fn new(lowest_exponent: i32, bits: u128) -> Exact {
        let zeros = bits.leading_zeros();
        Exact {
            exponent: lowest_exponent + 127 - zeros as i32,
            significand: bits << zeros,
        }
    }
}

impl Exact {
    /// The same with no more than so many bits: half a bit and more counts as a whole one.
    pub fn cut_to(self, bits: u32) -> Exact {
        let cut = 128 - bits;
        let (rounded, carried) = self.significand.overflowing_add(1 << (cut - 1));
        if carried {
            return Exact {
                exponent: self.exponent + 1,
                significand: 1 << 127,
            };
        }
        Exact {
            exponent: self.exponent,
            significand: rounded >> cut << cut,
        }
    }
}

/// Shifts right; what falls out remains as bit 0.
pub(super) const fn shift_right_sticky(value: u128, amount: u32) -> u128 {
    if amount == 0 {
        return value;
    }
    if amount >= 128 {
        return (value != 0) as u128;
    }
    value >> amount | (value << (128 - amount) != 0) as u128
}

/// Takes a register apart.
pub(super) fn kind(bits: u64) -> Kind {
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & FRACTION;
    match (exponent, fraction) {
        (0, 0) => Kind::Zero,
        (0, _) => Kind::Finite(Exact::new(-1074, u128::from(fraction))),
        (0x7ff, 0) => Kind::Infinity,
        (0x7ff, _) => Kind::Nan {
            signalling: fraction >> 51 == 0,
        },
        _ => Kind::Finite(Exact::new(exponent - 1075, u128::from(fraction | 1 << 52))),
    }
}

/// A number of at most 53 bits that a register can hold; `bits` are not zero. A trap of a single-precision instruction with operands that are none
/// can ask for one that no register holds, its result is undefined (PEM, 3.3.6): then it is cut.
pub(super) fn packed(negative: bool, lowest_exponent: i32, bits: u64) -> u64 {
    let sign = u64::from(negative) << 63;
    let exponent = lowest_exponent + 63 - bits.leading_zeros() as i32;
    if exponent < -1022 {
        let below = lowest_exponent + 1074;
        let fraction = match u32::try_from(below) {
            Ok(left) => bits << left,
            Err(_) => bits.checked_shr(below.unsigned_abs()).unwrap_or(0),
        };
        return sign | fraction;
    }
    let aligned = bits << (bits.leading_zeros() - 11);
    sign | ((exponent + 1023) as u64 & 0x7ff) << 52 | aligned & FRACTION
}

/// How a number is rounded: the field RN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Zero,
    Up,
    Down,
}

impl Rounding {
    pub fn of(status: u32) -> Rounding {
        match status & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Zero,
            2 => Rounding::Up,
            _ => Rounding::Down,
        }
    }

    /// Whether a magnitude that ends in the bit `odd`, with `rest` behind it, goes up; `half` is half of that bit.
    pub fn goes_up(self, negative: bool, odd: bool, rest: u128, half: u128) -> bool {
        match self {
            Rounding::Nearest => rest > half || rest == half && odd,
            Rounding::Zero => false,
            Rounding::Up => !negative && rest != 0,
            Rounding::Down => negative && rest != 0,
        }
    }
}

/// A number that was rounded.
pub(super) struct Rounded {
    pub bits: u64,
    pub inexact: bool,
    pub up: bool,
    pub overflow: bool,
    pub underflow: bool,
    /// It is less than the smallest number with all bits.
    pub denormal: bool,
}

/// Rounds to a precision. An overflow or underflow that is enabled keeps the bits and moves the exponent (manual: "Overflow exception
/// condition", "Underflow exception condition"). Whether a number is too small is seen before it is rounded; one that is too large was rounded
/// up if its significand was.
pub(super) fn rounded(
    negative: bool,
    number: Exact,
    precision: Precision,
    rounding: Rounding,
    overflow_enabled: bool,
    underflow_enabled: bool,
) -> Rounded {
    let (width, least, most, adjust) = match precision {
        Precision::Double => (53, -1022, 1023, 1536),
        Precision::Single => (24, -126, 127, 192),
    };
    let Exact {
        mut exponent,
        mut significand,
    } = number;
    let tiny = exponent < least;
    if tiny && underflow_enabled {
        exponent += adjust;
    } else if tiny {
        significand = shift_right_sticky(significand, (least - exponent) as u32);
        exponent = least;
    }
    let cut = 128 - width;
    let rest = significand & ((1 << cut) - 1);
    let mut kept = (significand >> cut) as u64;
    let up = rounding.goes_up(negative, kept & 1 != 0, rest, 1 << (cut - 1));
    kept += u64::from(up);
    if kept >> width != 0 {
        kept >>= 1;
        exponent += 1;
    }
    let inexact = rest != 0;
    let overflow = exponent > most;
    let underflow = tiny && (inexact || underflow_enabled);
    let denormal = kept >> (width - 1) == 0;
    if overflow && !overflow_enabled {
        let infinite = rounding.goes_up(negative, true, 2, 1);
        let largest = packed(negative, most + 1 - width, (1 << width) - 1);
        let infinity = u64::from(negative) << 63 | INFINITY;
        return Rounded {
            bits: if infinite { infinity } else { largest },
            inexact: true,
            up,
            overflow,
            underflow,
            denormal: false,
        };
    }
    if overflow {
        exponent -= adjust;
    }
    let bits = match kept {
        0 => u64::from(negative) << 63,
        _ => packed(negative, exponent + 1 - width, kept),
    };
    Rounded {
        bits,
        inexact,
        up,
        overflow,
        underflow,
        denormal,
    }
}

/// A number of single precision as a register holds it (manual: "Floating-point load instructions"); NaNs keep their bits.
pub const fn double_from_single(single: u32) -> u64 {
    let sign = (single as u64 & 0x8000_0000) << 32;
    let exponent = single >> 23 & 0xff;
    let fraction = single as u64 & 0x007f_ffff;
    match (exponent, fraction) {
        (0, 0) => sign,
        (0, _) => {
            let zeros = fraction.leading_zeros() - 41;
            sign | (896 - zeros as u64) << 52 | (fraction << (zeros + 30)) & FRACTION
        }
        (0xff, _) => sign | 0x7ff << 52 | fraction << 29,
        _ => sign | (exponent as u64 + 896) << 52 | fraction << 29,
    }
}

/// What a store of single precision writes (manual: "Floating-point store instructions"): bits are dropped, nothing is rounded.
pub const fn single_from_double(double: u64) -> u32 {
    let exponent = (double >> 52 & 0x7ff) as u32;
    let sign = (double >> 32) as u32 & 0x8000_0000;
    if exponent > 896 || double & !SIGN == 0 {
        return (double >> 32) as u32 & 0xc000_0000 | (double >> 29) as u32 & 0x3fff_ffff;
    }
    if exponent < 874 {
        // Too small: undefined in the manual; here, zero.
        return sign;
    }
    let significand = double & FRACTION | 1 << 52;
    sign | (significand >> (29 + 897 - exponent)) as u32
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn what_no_register_holds_is_cut() {
        assert_eq!(packed(false, -1074, 1), 1);
        assert_eq!(packed(true, -1075, 3), 1 << 63 | 1);
        assert_eq!(packed(false, -1200, 1 << 52 | 1), 0);
        assert_eq!(packed(false, 0, 1), 1.0_f64.to_bits());
        assert_eq!(packed(true, 1100, 1) >> 63, 1);
    }
}
