//! Multiplications (manual: "Multiply instructions"). C and V keep their values.

use super::{ArmSemantics, read, set_negative_zero, write};

encodings! {
    "MUL", "cccc 0000000 f dddd zzzz ssss 1001 mmmm", Multiply, "MUL{c}{S} Rd, Rm, Rs", multiply(; f, d, s, m);
    "MLA", "cccc 0000001 f dddd nnnn ssss 1001 mmmm", MultiplyAccumulate, "MLA{c}{S} Rd, Rm, Rs, Rn",
        multiply_accumulate(; f, d, n, s, m);
    "UMULL", "cccc 0000100 f hhhh llll ssss 1001 mmmm", MultiplyLong, "UMULL{c}{S} RdLo, RdHi, Rm, Rs",
        multiply_long(false, false; f, h, l, s, m);
    "UMLAL", "cccc 0000101 f hhhh llll ssss 1001 mmmm", MultiplyAccumulateLong, "UMLAL{c}{S} RdLo, RdHi, Rm, Rs",
        multiply_long(false, true; f, h, l, s, m);
    "SMULL", "cccc 0000110 f hhhh llll ssss 1001 mmmm", MultiplyLong, "SMULL{c}{S} RdLo, RdHi, Rm, Rs",
        multiply_long(true, false; f, h, l, s, m);
    "SMLAL", "cccc 0000111 f hhhh llll ssss 1001 mmmm", MultiplyAccumulateLong, "SMLAL{c}{S} RdLo, RdHi, Rm, Rs",
        multiply_long(true, true; f, h, l, s, m);
}

/// Rd := Rm * Rs.
#[inline(always)]
pub(super) fn multiply<S: ArmSemantics>(s: &mut S, flags: u32, d: u32, by: u32, m: u32) {
    let product = product(s, by, m);
    finish(s, flags, d, product);
}

#[inline(always)]
fn multiply_accumulate<S: ArmSemantics>(s: &mut S, flags: u32, d: u32, n: u32, by: u32, m: u32) {
    let product = product(s, by, m);
    let addend = read(s, n);
    let sum = s.add(product, addend);
    finish(s, flags, d, sum);
}

/// RdHi:RdLo := Rm * Rs, plus RdHi:RdLo if `accumulate`.
#[inline(always)]
fn multiply_long<S: ArmSemantics>(
    s: &mut S,
    signed: bool,
    accumulate: bool,
    flags: u32,
    high: u32,
    low: u32,
    by: u32,
    m: u32,
) {
    let a = read(s, m);
    let b = read(s, by);
    s.multiplier(b, signed);
    let mut low_value = s.multiply(a, b);
    let mut high_value = s.multiply_high(a, b, signed);
    if accumulate {
        let addend = (read(s, low), read(s, high));
        (low_value, high_value) = add_long(s, (low_value, high_value), addend);
    }
    if flags != 0 {
        let negative = s.bit(high_value, 31);
        let either = s.or(low_value, high_value);
        let zero = s.is_zero(either);
        s.set_negative(negative);
        s.set_zero(zero);
    }
    write_long(s, (low, high), (low_value, high_value));
}

/// The sum of two pairs of words, the low ones first.
#[inline(always)]
pub(super) fn add_long<S: ArmSemantics>(
    s: &mut S,
    (low, high): (S::Word, S::Word),
    (low_addend, high_addend): (S::Word, S::Word),
) -> (S::Word, S::Word) {
    let no_carry = s.flag(false);
    let (low, carry, _) = s.add_with_carry(low, low_addend, no_carry);
    (low, s.add_with_carry(high, high_addend, carry).0)
}

#[inline(always)]
pub(super) fn write_long<S: ArmSemantics>(
    s: &mut S,
    (low, high): (u32, u32),
    value: (S::Word, S::Word),
) {
    write(s, low, value.0);
    write(s, high, value.1);
}

#[inline(always)]
fn product<S: ArmSemantics>(s: &mut S, by: u32, m: u32) -> S::Word {
    let a = read(s, m);
    let b = read(s, by);
    s.multiplier(b, true);
    s.multiply(a, b)
}

#[inline(always)]
fn finish<S: ArmSemantics>(s: &mut S, flags: u32, d: u32, result: S::Word) {
    if flags != 0 {
        set_negative_zero(s, result);
    }
    write(s, d, result);
}
