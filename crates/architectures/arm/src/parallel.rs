//! Additions and subtractions of the bytes or half-words of a register, of version 6 (manual: "Parallel addition and subtraction instructions").

use super::saturate;
use super::{ArmSemantics, read, write};

/// What becomes of the sum or difference of two lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// S: what does not fit is lost; GE says what is not negative.
    Signed,
    /// Q: the nearest signed number.
    SignedSaturated,
    /// SH: half of it.
    SignedHalved,
    /// U: what does not fit is lost; GE says what carries, or does not borrow.
    Unsigned,
    /// UQ: the nearest unsigned number.
    UnsignedSaturated,
    /// UH: half of it.
    UnsignedHalved,
}

impl Kind {
    fn is_signed(self) -> bool {
        matches!(
            self,
            Kind::Signed | Kind::SignedSaturated | Kind::SignedHalved
        )
    }
}

/// Which lanes meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// Two half-words.
    Halves {
        /// Whether the lower and the upper result are differences.
        subtracts: [bool; 2],
        /// Each meets the other half of the second operand.
        crossed: bool,
    },
    /// Four bytes.
    Bytes {
        /// Whether the results are differences.
        subtracts: bool,
    },
}

const ADD_HALVES: Lanes = halves(false, false, false);
const ADD_SUBTRACT: Lanes = halves(true, false, true);
const SUBTRACT_ADD: Lanes = halves(false, true, true);
const SUBTRACT_HALVES: Lanes = halves(true, true, false);
const ADD_BYTES: Lanes = Lanes::Bytes { subtracts: false };
const SUBTRACT_BYTES: Lanes = Lanes::Bytes { subtracts: true };

const fn halves(lower: bool, upper: bool, crossed: bool) -> Lanes {
    Lanes::Halves {
        subtracts: [lower, upper],
        crossed,
    }
}

/// Lists the six operations of each kind.
macro_rules! parallel {
    ($($prefix:literal $code:literal $kind:ident)*) => { encodings! {
        since V6;
        $(
            concat!($prefix, "ADD16"), concat!("cccc 01100 ", $code, " nnnn dddd oooo 0001 mmmm"), Data,
                concat!($prefix, "ADD16{c} Rd, Rn, Rm"), parallel(Kind::$kind, ADD_HALVES; n, d, m);
            concat!($prefix, "ADDSUBX"), concat!("cccc 01100 ", $code, " nnnn dddd oooo 0011 mmmm"), Data,
                concat!($prefix, "ADDSUBX{c} Rd, Rn, Rm"), parallel(Kind::$kind, ADD_SUBTRACT; n, d, m);
            concat!($prefix, "SUBADDX"), concat!("cccc 01100 ", $code, " nnnn dddd oooo 0101 mmmm"), Data,
                concat!($prefix, "SUBADDX{c} Rd, Rn, Rm"), parallel(Kind::$kind, SUBTRACT_ADD; n, d, m);
            concat!($prefix, "SUB16"), concat!("cccc 01100 ", $code, " nnnn dddd oooo 0111 mmmm"), Data,
                concat!($prefix, "SUB16{c} Rd, Rn, Rm"), parallel(Kind::$kind, SUBTRACT_HALVES; n, d, m);
            concat!($prefix, "ADD8"), concat!("cccc 01100 ", $code, " nnnn dddd oooo 1001 mmmm"), Data,
                concat!($prefix, "ADD8{c} Rd, Rn, Rm"), parallel(Kind::$kind, ADD_BYTES; n, d, m);
            concat!($prefix, "SUB8"), concat!("cccc 01100 ", $code, " nnnn dddd oooo 1111 mmmm"), Data,
                concat!($prefix, "SUB8{c} Rd, Rn, Rm"), parallel(Kind::$kind, SUBTRACT_BYTES; n, d, m);
        )*
    } };
}

parallel! {
    "S" "001" Signed
    "Q" "010" SignedSaturated
    "SH" "011" SignedHalved
    "U" "101" Unsigned
    "UQ" "110" UnsignedSaturated
    "UH" "111" UnsignedHalved
}

/// Each lane of Rd := that of Rn plus or minus one of Rm.
#[inline(always)]
fn parallel<S: ArmSemantics>(s: &mut S, kind: Kind, lanes: Lanes, n: u32, d: u32, m: u32) {
    let (first, second) = (read(s, n), read(s, m));
    let (bits, count) = match lanes {
        Lanes::Halves { .. } => (16, 2),
        Lanes::Bytes { .. } => (8, 4),
    };
    let (mut result, mut greater_equal) = (s.word(0), s.word(0));
    for lane in 0..count {
        let (subtracts, other) = match lanes {
            Lanes::Halves { subtracts, crossed } => {
                (subtracts[lane as usize], lane ^ u32::from(crossed))
            }
            Lanes::Bytes { subtracts } => (subtracts, lane),
        };
        let a = lane_of(s, kind.is_signed(), bits, first, lane);
        let b = lane_of(s, kind.is_signed(), bits, second, other);
        let sum = if subtracts {
            let (complement, carry) = (s.not(b), s.flag(true));
            s.add_with_carry(a, complement, carry).0
        } else {
            s.add(a, b)
        };
        let value = finish(s, kind, bits, sum);
        let (mask, shift) = (s.word(u32::MAX >> (32 - bits)), s.word(bits * lane));
        let value = s.and(value, mask);
        let value = s.shift_left(value, shift);
        result = s.or(result, value);
        let not_negative = match kind {
            Kind::Unsigned if !subtracts => s.bit(sum, bits),
            _ => {
                let negative = s.bit(sum, 31);
                s.flag_not(negative)
            }
        };
        let (none, of_lane) = (s.word(0), s.word((bits / 4 - 1) << (bits / 8 * lane)));
        let of_lane = s.select(not_negative, of_lane, none);
        greater_equal = s.or(greater_equal, of_lane);
    }
    if matches!(kind, Kind::Signed | Kind::Unsigned) {
        s.set_greater_equal(greater_equal);
    }
    write(s, d, result);
}

/// A lane with its sign, or zeros, above it.
#[inline(always)]
fn lane_of<S: ArmSemantics>(
    s: &mut S,
    signed: bool,
    bits: u32,
    word: S::Word,
    lane: u32,
) -> S::Word {
    let (up, down) = (s.word(32 - bits * (lane + 1)), s.word(32 - bits));
    let upmost = s.shift_left(word, up);
    if signed {
        s.shift_right_signed(upmost, down)
    } else {
        s.shift_right(upmost, down)
    }
}

#[inline(always)]
fn finish<S: ArmSemantics>(s: &mut S, kind: Kind, bits: u32, sum: S::Word) -> S::Word {
    match kind {
        Kind::Signed | Kind::Unsigned => sum,
        Kind::SignedSaturated => saturate::signed(s, sum, bits).0,
        Kind::UnsignedSaturated => saturate::unsigned(s, sum, bits).0,
        Kind::SignedHalved | Kind::UnsignedHalved => {
            let one = s.word(1);
            s.shift_right_signed(sum, one)
        }
    }
}
